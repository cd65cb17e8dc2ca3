"""Token F1 for question answering with named, reproducible recipes."""
