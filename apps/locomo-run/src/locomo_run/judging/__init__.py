"""Judges of answers: their verdicts, and how far to trust them."""
