"""Calls in message batches: half the price, within a day."""
