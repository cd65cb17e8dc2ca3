"""LLM-as-a-judge with versioned protocols, careful parsing and many runs."""
