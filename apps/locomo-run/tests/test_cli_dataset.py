import hashlib
import http.server
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from locomo_dataset import fetch
from locomo_run.cli import dataset as command

Call = Callable[..., Result]

# stats


def numbers(text: str) -> dict[str, int]:
    """The counts that `stats` prints, by their names."""
    lines = (line.partition("(")[0].split() for line in text.splitlines()[1:])
    return {" ".join(words[:-1]): int(words[-1].replace(",", "")) for words in lines}


def test_stats_count_the_small_data_set(call: Call) -> None:
    result = call("dataset", "stats", "mini")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("mini.json, sha256 ")
    assert numbers(result.stdout) == {
        "conversations": 2,
        "sessions": 10,
        "turns": 121,
        "turns with an image": 12,
        "questions": 55,
        "1 multi-hop": 10,
        "2 temporal": 15,
        "3 open-domain": 4,
        "4 single-hop": 18,
        "without adversarial": 47,
        "5 adversarial, apart": 8,
    }


@pytest.mark.locomo
def test_stats_count_the_real_data_set(call: Call, dataset_path: Path) -> None:
    result = call("dataset", "stats", dataset_path)

    assert result.exit_code == 0
    found = numbers(result.stdout)
    del found["turns with an image"]
    assert found == {
        "conversations": 10,
        "sessions": 272,
        "turns": 5_882,
        "questions": 1_986,
        "1 multi-hop": 282,
        "2 temporal": 321,
        "3 open-domain": 96,
        "4 single-hop": 841,
        "without adversarial": 1_540,
        "5 adversarial, apart": 446,
    }
    for printed in ("5,882", "1,986", "1,540", "446   (adversarial questions take no"):
        assert f" {printed}" in result.stdout


@pytest.mark.locomo
def test_stats_as_json_hold_the_same_counts(call: Call, dataset_path: Path) -> None:
    found = json.loads(call("dataset", "stats", dataset_path, "--json").stdout)

    assert found["name"] == "locomo10.json"
    assert found["sha256"] == hashlib.sha256(dataset_path.read_bytes()).hexdigest()
    assert (found["conversations"], found["sessions"]) == (10, 272)
    assert (found["turns"], found["questions"]) == (5_882, 1_986)
    assert found["questions_by_category"] == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }
    assert found["questions_without_adversarial"] == 1_540
    assert found["note"] == command.APART


@pytest.mark.parametrize("name", ["stats", "validate"])
def test_a_data_set_that_was_not_fetched_says_how_to_fetch_it(
    call: Call, name: str
) -> None:
    result = call("dataset", name)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: locomo10 has not been fetched (")
    assert "`locomo-run dataset fetch locomo10` brings it" in result.stderr


@pytest.mark.parametrize("name", ["stats", "validate"])
@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{}", b"[" * 100_000])
def test_a_file_that_is_no_data_set_is_said_in_one_line(
    call: Call, folder: Path, name: str, content: bytes
) -> None:
    (folder / "a.json").write_bytes(content)

    result = call("dataset", name, "a.json")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: a.json: ")
    assert result.stderr.count("\n") == 1


# validate


def test_validate_groups_what_is_odd_and_says_why_it_is_harmless(call: Call) -> None:
    result = call("dataset", "validate", "mini")

    assert result.exit_code == 0
    assert result.stderr == "12 issues, 0 of them not harmless\n"
    heads = [line for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert [head.split(": ") for head in heads] == [
        [
            "image-without-address",
            "1, harmless",
            "only the caption is used, never the image",
        ],
        ["ghost-date", "1, harmless", "a date without turns is not read as a session"],
        ["gold-integer", "1, harmless", "it is read as its decimal digits"],
        ["evidence-repaired", "1, harmless", "the ids have exactly one reading"],
        [
            "adversarial-without-gold",
            "8, harmless",
            "adversarial questions have no right answer",
        ],
    ]
    assert (
        "  $[0].qa[16].evidence[0]  mini-1:16: 'D3:11; D5:1' is read as D3:11, D5:1\n"
    ) in result.stdout


@pytest.mark.locomo
def test_validate_finds_the_known_oddities_of_the_real_data_set(
    call: Call, dataset_path: Path
) -> None:
    result = call("dataset", "validate", dataset_path, "--json")

    assert result.exit_code == 0
    issues = json.loads(result.stdout)
    assert all(issue["harmless"] and issue["reason"] for issue in issues)
    counts = Counter(issue["code"] for issue in issues)
    as_written = counts["evidence-repaired"] + counts["evidence-unresolved"]
    assert as_written == 9
    assert counts["gold-integer"] == 6
    assert counts["adversarial-without-gold"] == 444
    assert counts["ghost-date"] == 16
    assert counts["question-repeated"] == 11
    assert counts["evidence-none"] == 4
    text = call("dataset", "validate", dataset_path).stdout
    for code, count in counts.items():
        assert f"{code}: {count}, harmless: " in text


@pytest.mark.locomo
def test_the_real_data_set_has_nothing_harmful(call: Call, dataset_path: Path) -> None:
    result = call("dataset", "validate", dataset_path, "--harmful")

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith(" issues, 0 of them not harmless\n")


@pytest.fixture
def harmful(folder: Path) -> str:
    """The small data set, but a question has lost its gold; the name of the file."""
    from importlib.resources import files

    mini = files("locomo_dataset") / "data/mini.json"
    content = json.loads(mini.read_text(encoding="utf-8"))
    del content[0]["qa"][0]["answer"]
    (folder / "a.json").write_text(json.dumps(content), encoding="utf-8")
    return "a.json"


def test_what_is_not_harmless_stands_out_and_ends_with_exit_1(
    call: Call, harmful: str
) -> None:
    everything = call("dataset", "validate", harmful)
    result = call("dataset", "validate", harmful, "--harmful")

    assert (everything.exit_code, result.exit_code) == (1, 1)
    assert "adversarial-without-gold: 8, harmless" in everything.stdout
    first, second, *more = result.stdout.splitlines()
    assert ": 1, HARMFUL: " in first
    assert second.startswith("  $[0].qa[0]")
    assert more == []
    assert result.stderr == (
        "13 issues, 1 of them not harmless\nError: a.json: 1 issues are not harmless\n"
    )


def test_what_is_not_harmless_is_marked_in_json(call: Call, harmful: str) -> None:
    result = call("dataset", "validate", harmful, "--harmful", "--json")

    assert result.exit_code == 1
    (issue,) = json.loads(result.stdout)
    assert issue["harmless"] is False
    assert issue["subject"] == "mini-1:0"


# fetch


CONTENT = b"[]" * 5_000


class Server(http.server.ThreadingHTTPServer):
    """Answers with the prepared statuses, the last of which repeats."""

    statuses: list[int]
    body: bytes
    asked: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/locomo10.json"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        status = self.server.statuses[
            min(self.server.asked, len(self.server.statuses) - 1)
        ]
        self.server.asked += 1
        self.send_response(status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that has the known file, which is made small for that."""
    running = Server(("127.0.0.1", 0), Handler)
    running.statuses, running.body = [200], CONTENT
    small = replace(
        fetch.KNOWN["locomo10"],
        url=running.url,
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        size=len(CONTENT),
    )
    known = {**fetch.KNOWN, "locomo10": small}
    monkeypatch.setattr("locomo_dataset.fetch.KNOWN", known)
    monkeypatch.setattr("locomo_run.dataset_source.KNOWN", known)
    thread = threading.Thread(
        target=running.serve_forever, kwargs={"poll_interval": 0.01}
    )
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def test_a_fetched_file_is_told_with_checksum_and_licence(
    call: Call, folder: Path, server: Server
) -> None:
    result = call("dataset", "fetch", "--to", "here")

    assert result.exit_code == 0
    assert result.stdout == (
        f"here/locomo10.json  sha256 {hashlib.sha256(CONTENT).hexdigest()}, "
        "CC BY-NC 4.0\n"
    )
    assert "locomo10" in result.stderr
    assert (folder / "here/locomo10.json").read_bytes() == CONTENT
    assert len(list((folder / "here").iterdir())) == 1


def test_a_file_that_is_there_is_not_fetched_again(
    call: Call, folder: Path, server: Server
) -> None:
    first = call("dataset", "fetch", "locomo10", "--to", "here")
    second = call("dataset", "fetch", "locomo10", "--to", "here")

    assert (second.exit_code, second.stdout) == (0, first.stdout)
    assert server.asked == 1


def test_without_a_folder_it_goes_where_the_name_is_looked_for(
    call: Call, folder: Path, server: Server
) -> None:
    fetched = call("dataset", "fetch")
    counted = call("dataset", "stats")

    path = Path(fetched.stdout.partition("  sha256")[0])
    assert path.is_relative_to(folder.parent / "cache")
    assert counted.stderr.startswith(f"Error: {path}: "), "found, though no data set"


def test_a_mirror_can_be_named(call: Call, folder: Path, server: Server) -> None:
    server.asked = 0

    result = call("dataset", "fetch", "--url", f"{server.url}?mirror", "--to", ".")

    assert (result.exit_code, server.asked) == (0, 1)
    assert (folder / "locomo10.json").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, CONTENT[::-1], "what came has the wrong checksum"),
        (200, b"short", "5 bytes were announced, but the file has 10,000"),
        (404, b"", "the server answered 404"),
    ],
    ids=["wrong", "short", "404"],
)
def test_what_is_not_the_file_is_refused_and_nothing_is_left_behind(
    call: Call, folder: Path, server: Server, status: int, body: bytes, reason: str
) -> None:
    server.statuses, server.body = [status], body

    result = call("dataset", "fetch", "--to", ".")

    assert (result.exit_code, result.stdout) == (1, "")
    assert f"Error: locomo10: {reason}; address: {server.url};" in result.stderr
    assert list(folder.iterdir()) == []


def test_a_secret_in_the_address_of_a_mirror_is_not_shown(
    call: Call, folder: Path, server: Server
) -> None:
    server.statuses = [404]
    url = server.url.replace("://", "://me:secret@") + "?token=secret"

    result = call("dataset", "fetch", "--url", url, "--to", ".")

    assert result.exit_code == 1
    assert "secret" not in result.output


def test_a_new_attempt_is_told(
    call: Call, folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.statuses = [503, 200]
    patient = fetch.fetch

    def impatient(file: fetch.KnownFile, to: Path, **options: object) -> Path:
        return patient(file, to, sleep=lambda _: None, **options)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr("locomo_dataset.fetch.fetch", impatient)

    result = call("dataset", "fetch", "--to", ".")

    assert result.exit_code == 0
    assert "the server answered 503; trying again\n" in result.stderr


@pytest.mark.parametrize("name", ["locomo", "a\n\x1b[1m", "../locomo10"])
def test_an_unknown_name_lists_those_there_are(call: Call, name: str) -> None:
    result = call("dataset", "fetch", name)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: no known file {name!r}; there are locomo10, errata\n"
    )
