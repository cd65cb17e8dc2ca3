"""Ports of the loopback interface that a server can take."""

from __future__ import annotations

import random
import socket

FIRST, LAST = 20_000, 32_767
"""Below Linux's ephemeral range: above it, any client's socket may sit on a port."""


def free_port() -> int:
    """Return a port on which nothing listens at this moment.

    Raises:
        OSError: None of fifty ports drawn at random is free.
    """
    for _ in range(50):
        port = random.randint(FIRST, LAST)  # noqa: S311  # no secret
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    msg = f"no free port found between {FIRST} and {LAST}"
    raise OSError(msg)
