"""Download the known files and verify them.

Nothing is downloaded unless `fetch` is called, and nothing but the right bytes
ever stands under the file's name. This needs httpx, the extra `fetch`.
"""

import contextlib
import hashlib
import io
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ._download import Download, Progress, Status, disk_errors, shown_address
from ._errors import FetchError, quoted, shown
from ._known import KNOWN, KnownFile

__all__ = ["KNOWN", "FetchError", "KnownFile", "Progress", "Status", "fetch"]


def fetch(
    file: str | KnownFile,
    directory: str | os.PathLike[str],
    *,
    progress: Callable[[Progress], None] | None = None,
    attempts: int = 5,
    timeout: float = 30.0,
    sleep: Callable[[float], None] = time.sleep,
) -> Path:
    """Put a known file into a directory, and give its path.

    A file that is there and right is kept without a connection. A broken download
    goes on where it broke, if the server allows it. What arrives is compared with
    the pinned checksum before it gets the file's name; on any failure, and on
    Ctrl-C, nothing is left behind.

    Args:
        file: A key of `KNOWN` (`locomo10` or `errata`), or a value of the same type,
            such as `dataclasses.replace(KNOWN["locomo10"], url=mirror)`.
        directory: Where to put the file; made if it is not there.
        progress: Called with a `Progress` as the download goes.
        attempts: How many connections to try.
        timeout: Seconds without any data after which an attempt is given up.
        sleep: Called with the seconds to wait before another attempt.

    Raises:
        FetchError: The name is not known, httpx is not installed, the server did
            not send the file, another file stands in its place, or the directory
            cannot be written.
    """
    if isinstance(file, str):
        file = _known(file)
    report = progress or _ignore
    target = Path(directory) / file.filename
    with disk_errors(file, target):
        kept = _is_there(file, target)
    if not kept:
        with _written_whole(file, target) as out:
            download = Download(file, out, report)
            download.run(attempts=attempts, timeout=timeout, sleep=sleep)
    report(
        Progress(
            status=Status.KEPT if kept else Status.DONE,
            received=file.size,
            total=file.size,
        )
    )
    return target


def _known(name: str) -> KnownFile:
    if name not in KNOWN:
        raise FetchError(
            f"no known file {quoted(name)}; there are: {', '.join(KNOWN)}",
            name=name,
            url="",
        )
    return KNOWN[name]


def _ignore(_: Progress) -> None:
    """Report to nobody."""


def _is_there(file: KnownFile, target: Path) -> bool:
    if not target.exists():
        return False
    if target.stat().st_size == file.size and _sha256(target) == file.sha256:
        return True
    raise FetchError(
        f"{shown(str(target))} is another file than the pinned {file.name}"
        " (its checksum differs); move it away or delete it, then fetch again",
        name=file.name,
        url=shown_address(file.url),
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def _written_whole(file: KnownFile, target: Path) -> Iterator[io.BufferedRandom]:
    """Give a temporary file beside the target, which becomes it if all goes well."""
    part = target.with_name(f".{file.filename}.{secrets.token_hex(8)}.part")
    with disk_errors(file, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        out = part.open("x+b")
    try:
        try:
            yield out
        finally:
            with disk_errors(file, target):
                out.close()
        with disk_errors(file, target):
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)
