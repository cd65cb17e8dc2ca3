"""From a path to a data set: the only module here that reads a user's file."""

import hashlib
import os
import stat
from pathlib import Path

from ._errors import DatasetError, shown
from ._model import Dataset
from ._node import decode
from ._parse import parse

MAX_BYTES = 512 * 1024 * 1024
"""The largest file `load` reads; the real data set has 2.8 MB."""


def load(path: str | os.PathLike[str]) -> Dataset:
    """Read a data set in the format of `locomo10.json`.

    Raises:
        DatasetError: The file cannot be read, is not JSON, or a place in it has
            not the shape it should have. What is merely odd does not raise:
            see `validate`.

    Example:
        ```python
        dataset = load("locomo10.json")
        dataset.conversation("conv-26").questions()
        ```
    """
    content = read(path)
    return parse_bytes(content, os.fspath(path))


def parse_bytes(content: bytes, file: str) -> Dataset:
    """Read a data set out of the content of a file."""
    conversations, unread = parse(decode(content, file))
    return Dataset(
        conversations=conversations,
        sha256=hashlib.sha256(content).hexdigest(),
        name=Path(file).name,
        unread=unread,
    )


def read(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> bytes:
    """Read a regular file of bounded size.

    Raises:
        DatasetError: There is no such file, it is not a file, it is too large, or
            the system refuses.
    """
    file = os.fspath(path)
    try:
        status = Path(file).stat()
        if not stat.S_ISREG(status.st_mode):
            raise DatasetError("expected a file, found something else", file=file)
        if status.st_size > max_bytes:
            raise DatasetError(
                f"too large: {status.st_size:,} bytes; the limit is {max_bytes:,}",
                file=file,
            )
        return Path(file).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DatasetError(f"cannot be read: {shown(reason)}", file=file) from None
    except ValueError:
        raise DatasetError("not a possible file name", file=file) from None
