"""Runs and conversations set side by side."""
