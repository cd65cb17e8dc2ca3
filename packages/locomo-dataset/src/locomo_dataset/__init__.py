"""Typed loader, validator and verified download for the LoCoMo benchmark."""
