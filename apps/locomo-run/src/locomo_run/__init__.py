"""Evaluate the memory of an LLM agent on LoCoMo: resumable, audited, dual-scored."""
