"""The real claude-mem worker, driven against a language model of our own.

Everything here is marked `worker`: it installs two versions of the worker from npm
into a cache folder, once, and starts them on loopback with a throw-away home.
"""
