"""The real claude-mem worker, driven against a language model of our own.

Everything here is marked `worker`: `uv run pytest -m worker`, or `-m "not worker"` to
leave it out. It needs node 20, npm and, for vector search, uv. The first run installs
two versions of the worker into `locomo-bench` in the user's cache (0.5 GB, and as much
in uv's cache); later runs use no network. Workers run on loopback, with a throw-away
home, on ports below 32768.
"""
