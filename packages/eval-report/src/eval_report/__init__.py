"""Evaluation tables with counts, intervals and baselines that carry their source."""
