"""Results: figures from the ledger, and the tables, pages and files they become."""
