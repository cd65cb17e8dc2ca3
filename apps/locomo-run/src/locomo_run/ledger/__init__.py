"""The ledger: what a run has bought, durably, in one file."""
