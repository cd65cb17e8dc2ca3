"""The path of a run through a claude-mem worker: ingest, gate, search, doctor."""
