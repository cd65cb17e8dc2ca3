"""Downloads from a server on loopback that misbehaves as real ones do."""

import dataclasses
import hashlib
import http.server
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from locomo_dataset import DatasetError
from locomo_dataset.fetch import (
    KNOWN,
    FetchError,
    KnownFile,
    Progress,
    Status,
    fetch,
)

if sys.platform != "win32":
    import resource

CONTENT = bytes(range(256)) * 1024
HALF = len(CONTENT) // 2

Answer = Callable[["Handler"], None]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers each request with the next of the prepared answers."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        self.server.ranges.append(self.headers.get("Range"))
        index = min(len(self.server.ranges), len(self.server.answers)) - 1
        self.close_connection = True
        self.server.answers[index](self)

    def reply(
        self, body: bytes, status: int = 200, length: int | None = None, **more: str
    ) -> None:
        self.send_response(status)
        size = len(body) if length is None else length
        self.send_header("Content-Length", str(size))
        self.send_header("Connection", "close")
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""


class Server(http.server.ThreadingHTTPServer):
    """A server with a list of answers, the last of which repeats."""

    answers: list[Answer]
    ranges: list[str | None]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/data/file.bin"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    running = Server(("127.0.0.1", 0), Handler)
    running.answers = [whole]
    running.ranges = []
    thread = threading.Thread(
        target=running.serve_forever, kwargs={"poll_interval": 0.01}
    )
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def known(server: Server) -> KnownFile:
    """A known file on that server."""
    return KnownFile(
        name="sample",
        filename="sample.bin",
        url=server.url,
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        size=len(CONTENT),
        licence="none",
        source="none",
    )


def whole(handler: Handler) -> None:
    handler.reply(CONTENT)


def drops_half_way(handler: Handler) -> None:
    handler.reply(CONTENT[:HALF], length=len(CONTENT))


def continues(handler: Handler) -> None:
    start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    last = len(CONTENT) - 1
    handler.reply(
        CONTENT[start:],
        status=206,
        Content_Range=f"bytes {start}-{last}/{len(CONTENT)}",
    )


def continues_elsewhere(handler: Handler) -> None:
    handler.reply(
        CONTENT[HALF + 1 :], status=206, Content_Range=f"bytes {HALF + 1}-9/*"
    )


def without_length(body: bytes) -> Answer:
    def answer(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def status(code: int) -> Answer:
    return lambda handler: handler.reply(b"no", status=code)


class Pauses:
    """Stands in for time.sleep."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def get(known: KnownFile, folder: Path, **options: int) -> tuple[Path, list[Progress]]:
    reports: list[Progress] = []
    path = fetch(known, folder, progress=reports.append, sleep=Pauses(), **options)
    return path, reports


def refused(known: KnownFile, folder: Path, **options: int) -> str:
    with pytest.raises(FetchError) as caught:
        get(known, folder, **options)
    assert list(folder.iterdir()) == []
    assert caught.value.name == known.name
    return str(caught.value)


def test_a_file_arrives_with_progress(known: KnownFile, tmp_path: Path) -> None:
    path, reports = get(known, tmp_path / "new" / "folder")

    assert path == tmp_path / "new" / "folder" / "sample.bin"
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]
    assert {r.status for r in reports[:-1]} == {Status.DOWNLOADING}
    received = [r.received for r in reports]
    assert received == sorted(received)
    assert reports[-1] == Progress(
        status=Status.DONE, received=len(CONTENT), total=len(CONTENT)
    )


def test_a_right_file_is_kept_without_a_connection(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "sample.bin").write_bytes(CONTENT)

    path, reports = get(known, tmp_path)

    assert path == tmp_path / "sample.bin"
    assert [r.status for r in reports] == [Status.KEPT]
    assert server.ranges == []


@pytest.mark.parametrize("content", [b"mine", CONTENT[::-1]], ids=["size", "bytes"])
def test_another_file_in_its_place_is_not_overwritten(
    known: KnownFile, server: Server, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "sample.bin"
    path.write_bytes(content)

    with pytest.raises(FetchError, match="another file than the pinned sample"):
        get(known, tmp_path)

    assert path.read_bytes() == content
    assert server.ranges == []


def test_a_dropped_connection_goes_on_where_it_broke(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [drops_half_way, continues]

    path, reports = get(known, tmp_path)

    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]
    retries = [r for r in reports if r.status is Status.RETRYING]
    assert [r.received for r in retries] == [HALF]
    assert "RemoteProtocolError" in retries[0].detail


@pytest.mark.parametrize(
    "second", [whole, continues_elsewhere, status(416)], ids=["whole", "part", "416"]
)
def test_a_server_that_cannot_continue_is_asked_for_all(
    known: KnownFile, server: Server, tmp_path: Path, second: Answer
) -> None:
    server.answers = [drops_half_way, second, whole]

    path, _ = get(known, tmp_path)

    assert path.read_bytes() == CONTENT


def test_a_body_that_ends_early_without_a_length_is_continued(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [without_length(CONTENT[:HALF]), continues]

    path, reports = get(known, tmp_path)

    assert path.read_bytes() == CONTENT
    assert f"the connection ended after {HALF:,} bytes" in {r.detail for r in reports}


def test_a_busy_server_is_asked_again_after_growing_pauses(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [status(503), status(429), status(500), whole]
    pauses = Pauses()

    path = fetch(known, tmp_path, sleep=pauses)

    assert path.read_bytes() == CONTENT
    assert pauses.seconds == [1.0, 2.0, 4.0]


def test_attempts_are_bounded_and_the_last_failure_is_told(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [status(502)]

    message = refused(known, tmp_path, attempts=3)

    assert message == (
        "sample: gave up after 3 attempts: the server answered 502;"
        f" address: {server.url}; you can download the file by hand and pass its path"
    )
    assert len(server.ranges) == 3


def test_a_refused_connection_is_told(known: KnownFile, tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"

        message = refused(dataclasses.replace(known, url=url), tmp_path, attempts=2)

    assert message.startswith("sample: gave up after 2 attempts: ConnectError (")
    assert f"address: {url};" in message


def test_a_silent_server_is_not_waited_for_longer_than_the_timeout(
    known: KnownFile, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        slow = dataclasses.replace(known, url=url)

        with pytest.raises(FetchError, match="after 1 attempts: ReadTimeout"):
            fetch(slow, tmp_path, attempts=1, timeout=0.05)

    assert list(tmp_path.iterdir()) == []


def test_a_server_that_starts_slowly_is_asked_again(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    retried = threading.Event()

    def wakes_up_late(handler: Handler) -> None:
        retried.wait(timeout=10)

    server.answers = [wakes_up_late, whole]

    path = fetch(known, tmp_path, timeout=0.05, sleep=lambda _: retried.set())

    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, None]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda h: h.reply(CONTENT[::-1]), "what came has the wrong checksum"),
        (status(404), "the server answered 404"),
        (status(403), "the server answered 403"),
        (status(204), "the server answered 204"),
        (
            lambda h: h.reply(b"<p>", Content_Type="text/html; charset=utf-8"),
            "a web page came instead of the file",
        ),
        (
            lambda h: h.reply(b"short"),
            "5 bytes were announced, but the file has 262,144",
        ),
        (
            lambda h: h.reply(b"", length=10**15),
            "1,000,000,000,000,000 bytes were announced, but the file has 262,144",
        ),
        (without_length(CONTENT + b"x"), "more than 262,144 bytes came"),
        (
            lambda h: h.reply(b"", status=302, Location="gopher://example.org"),
            "there is no http or https address to fetch from",
        ),
    ],
    ids=["bytes", "404", "403", "204", "html", "short", "huge", "endless", "redirect"],
)
def test_what_is_not_the_file_is_refused_at_once(
    known: KnownFile, server: Server, tmp_path: Path, answer: Answer, reason: str
) -> None:
    server.answers = [answer]

    message = refused(known, tmp_path)

    assert message.startswith(f"sample: {reason}; address: {server.url};")
    assert len(server.ranges) == 1


def test_a_redirect_is_followed(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [
        lambda h: h.reply(b"", status=301, Location="/elsewhere"),
        whole,
    ]

    path, _ = get(known, tmp_path)

    assert path.read_bytes() == CONTENT


def test_redirects_in_circles_end(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [lambda h: h.reply(b"", status=302, Location="/again")]

    assert "TooManyRedirects" in refused(known, tmp_path, attempts=1)


@pytest.mark.parametrize(
    "url", ["", "no address", "http://[", "ftp://example.org/", "http://a:b/"]
)
def test_an_impossible_address_is_told(
    known: KnownFile, tmp_path: Path, url: str
) -> None:
    message = refused(dataclasses.replace(known, url=url), tmp_path)

    assert message.startswith("sample: there is no http or https address")


def test_secrets_in_an_address_are_not_shown(
    known: KnownFile, server: Server, tmp_path: Path
) -> None:
    server.answers = [status(404)]
    secret = server.url.replace("http://", "http://me:hunter2@") + "?token=hunter2"

    with pytest.raises(FetchError) as caught:
        fetch(dataclasses.replace(known, url=secret), tmp_path)

    assert "hunter2" not in str(caught.value)
    assert caught.value.url == server.url


def test_proxies_of_the_environment_are_left_alone_on_loopback(
    known: KnownFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    path, _ = get(known, tmp_path)

    assert path.read_bytes() == CONTENT


def test_proxies_of_the_environment_are_used_elsewhere(
    known: KnownFile, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
    remote = dataclasses.replace(known, url="http://example.invalid/file.bin")

    path, _ = get(remote, tmp_path)

    assert path.read_bytes() == CONTENT


def test_a_broken_proxy_setting_is_told_without_its_text(
    known: KnownFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "gopher://me:hunter2@127.0.0.1")
    remote = dataclasses.replace(known, url="http://example.invalid/file.bin")

    message = refused(remote, tmp_path)

    assert "the proxy or certificate settings of the environment" in message
    assert "hunter2" not in message


@pytest.mark.skipif(sys.platform == "win32", reason="nothing limits a file there")
def test_a_full_disk_is_told(known: KnownFile, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (HALF + 1, hard))
    try:
        message = refused(known, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert message.startswith("sample: cannot use ")
    assert message.endswith(": File too large")


def test_an_interrupt_leaves_nothing_behind(known: KnownFile, tmp_path: Path) -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(known, tmp_path, progress=interrupt)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(
    known: KnownFile, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(
        FetchError, match=r"sample: cannot use .*(: File exists|already exists)"
    ):
        fetch(known, tmp_path / "file")


def test_an_impossible_folder_is_told(known: KnownFile) -> None:
    with pytest.raises(FetchError, match=r"sample: cannot use a\\x00b[/\\]sample\.bin"):
        fetch(known, "a\0b")


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        fetch("locomo\n11", tmp_path)

    assert str(caught.value) == (
        r"no known file 'locomo\n11'; there are: locomo10, errata"
    )


def test_a_known_file_is_fetched_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "locomo-audit-errors.json").write_text("[]", encoding="utf-8")

    with pytest.raises(FetchError, match="another file than the pinned errata"):
        fetch("errata", tmp_path)


def test_fetch_errors_are_data_set_errors() -> None:
    assert issubclass(FetchError, DatasetError)


def test_without_httpx_the_command_that_installs_it_is_told(
    known: KnownFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)

    message = refused(known, tmp_path)

    assert message.startswith(
        "sample: downloading needs httpx: pip install 'locomo-dataset[fetch]'; "
    )


@pytest.mark.parametrize("known_file", KNOWN.values(), ids=list(KNOWN))
def test_known_files_are_pinned_to_a_commit(known_file: KnownFile) -> None:
    assert KNOWN[known_file.name] is known_file
    host, _, commit, *_ = httpx.URL(known_file.url).path.split("/")[1:]
    assert known_file.source.startswith(f"https://github.com/{host}/")
    assert len(bytes.fromhex(commit)) == 20
    assert len(bytes.fromhex(known_file.sha256)) == 32
    assert known_file.licence == "CC BY-NC 4.0"


@pytest.mark.locomo
@pytest.mark.parametrize("name", KNOWN)
def test_the_real_files_are_the_known_ones(name: str, real_path: Path) -> None:
    content = real_path.with_name(KNOWN[name].filename).read_bytes()

    assert len(content) == KNOWN[name].size
    assert hashlib.sha256(content).hexdigest() == KNOWN[name].sha256
