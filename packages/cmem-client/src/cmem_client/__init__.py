"""Timed, typed HTTP client for the claude-mem worker, sync and async."""
