"""Calls to memories and models: pace, retries, connections, and when to stop."""
