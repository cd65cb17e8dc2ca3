"""One file on its way over HTTP; the only module here that uses httpx."""

import contextlib
import hashlib
import io
import ipaddress
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ._errors import FetchError, shown
from ._known import KnownFile

if TYPE_CHECKING:
    import httpx

_RETRY_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_NO_ADDRESS = "there is no http or https address to fetch from"
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]+/(?:[0-9]+|\*)")


class Status(StrEnum):
    """What a download is doing."""

    KEPT = "kept"
    """The right file was there already; nothing was downloaded."""
    DOWNLOADING = "downloading"
    RETRYING = "retrying"
    """The connection failed; the next attempt goes on where it broke."""
    DONE = "done"
    """Downloaded and verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One report about a download."""

    status: Status
    received: int
    """Bytes so far."""
    total: int
    """Bytes in all."""
    detail: str = ""
    """Why the last attempt failed, when `status` is `retrying`."""


@dataclass(slots=True)
class Download:
    """A server, an open temporary file, and who wants to hear about it."""

    file: KnownFile
    out: io.BufferedRandom
    report: Callable[[Progress], None]

    def run(
        self, *, attempts: int, timeout: float, sleep: Callable[[float], None]
    ) -> None:
        """Fill the temporary file with the right bytes.

        Raises:
            FetchError: They could not be had.
        """
        with self._client(timeout) as client:
            problem = "no attempt was made"
            for attempt in range(attempts):
                if attempt:
                    self._tell(Status.RETRYING, problem)
                    sleep(min(2.0 ** (attempt - 1), 10.0))
                problem = self._attempt(client)
                if not problem:
                    return
        raise self._refusal(f"gave up after {attempts} attempts: {problem}")

    def _client(self, timeout: float) -> "httpx.Client":
        try:
            import httpx
        except ImportError:
            raise self._refusal(
                "downloading needs httpx: pip install 'locomo-dataset[fetch]'"
            ) from None
        host = _host(self.file.url)
        if host is None:
            raise self._refusal(_NO_ADDRESS)
        try:
            return httpx.Client(
                follow_redirects=True,
                timeout=timeout,
                trust_env=not _is_loopback(host),
            )
        except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
            # Not the error's text: an address of a proxy may hold a password.
            raise self._refusal(
                "the proxy or certificate settings of the environment do not work"
                f" ({type(error).__name__})"
            ) from None

    def _attempt(self, client: "httpx.Client") -> str:
        """Ask for what is missing; give the reason when another try may help."""
        import httpx

        try:
            return self._exchange(client)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise self._refusal(_NO_ADDRESS) from None
        except httpx.RequestError as error:
            return f"{type(error).__name__} ({shown(str(error))})"

    def _exchange(self, client: "httpx.Client") -> str:
        have = self.out.tell()
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with client.stream("GET", self.file.url, headers=headers) as response:
            problem = self._check_status(response, have)
            if problem:
                return problem
            self._check_headers(response)
            for chunk in response.iter_bytes():
                self._write(chunk)
                self._tell(Status.DOWNLOADING)
        if self.out.tell() < self.file.size:
            return f"the connection ended after {self.out.tell():,} bytes"
        self._verify()
        return ""

    def _check_status(self, response: "httpx.Response", have: int) -> str:
        """Set the file to where the body belongs, or give the reason to retry."""
        status = response.status_code
        if status in _RETRY_STATUS:
            return f"the server answered {status}"
        if status == 206 and _starts_at(response) == have:
            return ""
        self._rewind()
        if status in {206, 416}:
            return "the server did not send the part that was asked for"
        if status != 200:
            raise self._refusal(f"the server answered {status}")
        return ""

    def _check_headers(self, response: "httpx.Response") -> None:
        """Refuse what cannot be the file before its body is read."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if kind.lower() in {"text/html", "application/xhtml+xml"}:
            raise self._refusal("a web page came instead of the file")
        length = response.headers.get("content-length", "")
        if "content-encoding" in response.headers or not length.isdecimal():
            return
        announced = self.out.tell() + int(length)
        if announced != self.file.size:
            raise self._refusal(
                f"{announced:,} bytes were announced,"
                f" but the file has {self.file.size:,}"
            )

    def _verify(self) -> None:
        with disk_errors(self.file, Path(self.out.name)):
            self.out.flush()
            os.fsync(self.out.fileno())
        self.out.seek(0)
        if hashlib.file_digest(self.out, "sha256").hexdigest() != self.file.sha256:
            raise self._refusal("what came has the wrong checksum")

    def _write(self, chunk: bytes) -> None:
        if self.out.tell() + len(chunk) > self.file.size:
            raise self._refusal(f"more than {self.file.size:,} bytes came")
        with disk_errors(self.file, Path(self.out.name)):
            self.out.write(chunk)

    def _rewind(self) -> None:
        self.out.seek(0)
        self.out.truncate()

    def _tell(self, status: Status, detail: str = "") -> None:
        self.report(
            Progress(
                status=status,
                received=self.out.tell(),
                total=self.file.size,
                detail=detail,
            )
        )

    def _refusal(self, what: str) -> FetchError:
        return FetchError(
            f"{self.file.name}: {what}; address: {shown_address(self.file.url)};"
            " you can download the file by hand and pass its path",
            name=self.file.name,
            url=shown_address(self.file.url),
        )


def _starts_at(response: "httpx.Response") -> int | None:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    return None if match is None else int(match[1])


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None


def _is_loopback(host: str) -> bool:
    """Whether proxies of the environment have no business with this host."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def disk_errors(file: KnownFile, target: Path) -> Iterator[None]:
    """Say in one line what the system refused to do with a path."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise FetchError(
            f"{file.name}: cannot use {shown(str(target))}: {shown(reason)}",
            name=file.name,
            url=shown_address(file.url),
        ) from None


def shown_address(url: str) -> str:
    """Show an address without user, password and query, which may be secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "none"
    return shown(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")
