"""Where the worker is and which token it wants, and who said so."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import httpx
from pydantic import SecretStr

from ._errors import SettingsError
from ._settings import Settings, data_directory, port_number, read_settings, read_token

OLD_PORT = 37777
"""The default port of older workers."""

NEW_PORT_BASE = 37700
"""Recent workers listen at this plus the user id modulo 100."""

_PROBE_TIMEOUT_S = 1.0
_NO_UID = 77  # leads to 37777 where the system has no user ids
_DEFAULT_HOST = "localhost"
# addresses to listen at are no addresses to call
_WILDCARDS: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104

Probe = Callable[[str], bool]


@unique
class Source(StrEnum):
    """Who named the address or the token."""

    ARGUMENT = "argument"
    ENVIRONMENT = "environment"
    PID_FILE = "worker.pid"
    SETTINGS = "settings.json"
    PROBE = "probe"
    DEFAULT = "default"
    ENV_FILE = ".env"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A resolved address and token; the token shows in no representation of it."""

    url: str
    source: Source
    token: SecretStr | None = None
    token_source: Source | None = None
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What was tried or ignored on the way."""

    def __str__(self) -> str:
        told = f"; token from {self.token_source}" if self.token_source else ""
        return f"{self.url} (from {self.source}{told})"

    @property
    def address(self) -> str:
        """The address for people, without a scheme."""
        return self.url.partition("://")[2]

    @property
    def is_loopback(self) -> bool:
        """Whether the address is this machine's own."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")


def _split(address: str) -> SplitResult:
    if "@" in address:
        raise SettingsError(
            "An address must not hold credentials: pass the token as token=..."
        )
    has_scheme = "://" in address
    shown = address.partition("?")[0]  # what follows may be a secret
    try:
        parts = urlsplit(address if has_scheme else f"http://{address}")
        port = parts.port
    except ValueError as error:
        raise SettingsError(f"Unusable worker address {shown!r}: {error}") from error
    wrong = (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or any(c.isspace() or not c.isprintable() for c in address)
        or bool(parts.query or parts.fragment)
        or (port is None and not has_scheme)
        or port == 0
    )
    if wrong:
        raise SettingsError(
            f"Unusable worker address {shown!r}: expected host:port or http://host:port"
        )
    return parts


def normalised(address: str) -> str:
    """Spell an address as a base URL.

    Raises:
        SettingsError: It is none, or it holds credentials.

    Example:
        >>> normalised("localhost:37777/")
        'http://localhost:37777'
    """
    parts = _split(address)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _url(host: str, port: int) -> str:
    name = _WILDCARDS.get(host, host)
    return normalised(f"[{name}]:{port}" if ":" in name else f"{name}:{port}")


def answers(url: str) -> bool:
    """Return whether a worker answers a health check at a base URL."""
    try:
        reply = httpx.get(
            f"{url}/api/health", timeout=_PROBE_TIMEOUT_S, trust_env=False
        )
        value = reply.json()
    except (httpx.HTTPError, ValueError):
        return False
    return isinstance(value, dict) and "status" in value


def _environment_port(environ: Mapping[str, str]) -> int | None:
    text = environ.get("CLAUDE_MEM_WORKER_PORT", "")
    port = port_number(text)
    if text and port is None:
        raise SettingsError(
            f"CLAUDE_MEM_WORKER_PORT is {text!r}: expected a number from 1 to 65535"
        )
    return port


def _from_files(
    settings: Settings, host: str, probe: Probe
) -> tuple[str, Source] | None:
    named = [
        (_url(host, port), source)
        for port, source in (
            (settings.bound_port, Source.PID_FILE),
            (settings.port, Source.SETTINGS),
        )
        if port is not None
    ]
    if len({url for url, _ in named}) < 2:
        return named[-1] if named else None
    # worker.pid may be left over from a worker that was killed
    return next((pair for pair in named if probe(pair[0])), named[-1])


def _from_probe(
    host: str, uid: int, probe: Probe
) -> tuple[str, Source, tuple[str, ...]]:
    urls = [
        _url(host, port)
        for port in dict.fromkeys((OLD_PORT, NEW_PORT_BASE + uid % 100))
    ]
    for url in urls:
        if probe(url):
            return url, Source.PROBE, ()
    tried = " or ".join(url.partition("://")[2] for url in urls)
    return urls[0], Source.DEFAULT, (f"no worker answers at {tried}",)


def _locate(
    environ: Mapping[str, str], home: Path, uid: int, probe: Probe
) -> tuple[str, Source, tuple[str, ...]]:
    settings = read_settings(data_directory(environ, home))
    environment_host = environ.get("CLAUDE_MEM_WORKER_HOST", "").strip()
    host = environment_host or settings.host or _DEFAULT_HOST
    port = _environment_port(environ)
    if port is not None:
        return _url(host, port), Source.ENVIRONMENT, ()
    found = _from_files(settings, host, probe)
    if found is not None:
        return *found, settings.notes
    url, source, notes = _from_probe(host, uid, probe)
    return url, source, settings.notes + notes


def _token(
    token: str | None, environ: Mapping[str, str], env_file: Path | None
) -> tuple[SecretStr, Source] | tuple[None, None]:
    source: Source
    if token is not None:
        text, source = token, Source.ARGUMENT
    elif environ.get("CLAUDE_MEM_AUTH_TOKEN"):
        text, source = environ["CLAUDE_MEM_AUTH_TOKEN"], Source.ENVIRONMENT
    else:
        text, source = (read_token(env_file) or "") if env_file else "", Source.ENV_FILE
    if not text:
        return None, None
    if any(not "!" <= c <= "~" for c in text):
        # the text itself must not appear here
        raise SettingsError(
            f"The auth token from {source} holds a character that no header can carry"
        )
    return SecretStr(text), source


def _user_id() -> int:
    return os.getuid() if hasattr(os, "getuid") else _NO_UID


def resolve(
    address: str | None = None,
    *,
    token: str | None = None,
    environ: Mapping[str, str] | None = None,
    home: Path | None = None,
    probe: Probe = answers,
) -> Connection:
    """Find the worker and its token, and say who named them.

    The address: the argument; `CLAUDE_MEM_WORKER_PORT` and `_HOST`; `worker.pid` and
    `settings.json` in the data directory (where they differ, the one that answers);
    whichever of 37777 and 37700 + user id % 100 answers a health check; 37777.

    The token: the argument (an empty one means none); `CLAUDE_MEM_AUTH_TOKEN`;
    `CLAUDE_MEM_AUTH_TOKEN` or `AUTH_TOKEN` of `~/.claude-mem/.env`, which goes to no
    remote address that an argument or the environment named.

    Only where files disagree or nothing names the address, `probe` is called: it
    waits for at most a second per port.

    Args:
        address: `host:port` or a URL.
        token: The auth token; most local workers want none.
        environ: The environment; that of the process by default.
        home: The home directory; the user's by default.
        probe: Whether a worker answers at a base URL.

    Raises:
        SettingsError: An address, port or token cannot be used.

    Example:
        >>> print(resolve("localhost:37777", token="s3cret"))
        http://localhost:37777 (from argument; token from argument)
    """
    environ = os.environ if environ is None else environ
    home = Path.home() if home is None else home
    notes: tuple[str, ...] = ()
    if address is not None:
        url, source = normalised(address), Source.ARGUMENT
    else:
        url, source, notes = _locate(environ, home, _user_id(), probe)
    where = Connection(url=url, source=source, notes=notes)
    host_of_files = address is None and not environ.get("CLAUDE_MEM_WORKER_HOST")
    trusted = where.is_loopback or host_of_files
    env_file = home / ".claude-mem" / ".env" if trusted else None
    secret, token_source = _token(token, environ, env_file)
    return replace(where, token=secret, token_source=token_source)
