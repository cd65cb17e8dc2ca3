"""The tables of the ledger."""

from __future__ import annotations

from locomo_run.batches import ledger as batch_ledger
from locomo_run.ledger.file import SCHEMA_VERSION

SCHEMA = f"""
BEGIN;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE content (digest TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  stage TEXT NOT NULL,
  item TEXT NOT NULL,
  run INTEGER NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX request_by_stage ON request (stage);
CREATE TABLE attempt (
  request INTEGER NOT NULL REFERENCES request (id),
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  reply TEXT NOT NULL,
  reason TEXT NOT NULL,
  latency_ms REAL,
  model TEXT NOT NULL,
  usage TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (request, number)
);
{batch_ledger.SCHEMA}
PRAGMA user_version={SCHEMA_VERSION};
COMMIT;
"""
