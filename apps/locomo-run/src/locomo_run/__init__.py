"""Evaluate the memory of an LLM agent on LoCoMo: resumable, audited, dual-scored.

The program is `locomo-run`; the seams for other systems are `locomo_run.memory` and
`locomo_run.answerers`.
"""
