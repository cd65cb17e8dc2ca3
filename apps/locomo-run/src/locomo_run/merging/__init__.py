"""Runs of one identity, joined into one."""
