from importlib.metadata import version

from llm_judge import BINARY, GRADED, STRICT
from locomo_run.scoring import F1_PROFILES, signature
from locomo_run.versions import version_lines
from qa_f1 import profiles


def test_every_member_is_named_with_its_version() -> None:
    members = [line.split(" ") for line in version_lines() if line.count(" ") == 1]

    assert {name for name, _ in members} == {
        *("locomo-run", "locomo-dataset", "claude-mem-client"),
        *("qa-f1", "llm-judge", "eval-report"),
    }
    assert all(version(name) == installed for name, installed in members)


def test_every_f1_signature_that_a_report_prints_is_there() -> None:
    lines = version_lines()

    assert {f"f1 {name} {signature(name)}" for name in F1_PROFILES} < set(lines)
    assert [line.split(" ")[1] for line in lines if line.startswith("f1 ")] == [
        *profiles.names(),
        "locomo_abstain",
    ]


def test_every_judge_protocol_that_comes_along_is_there() -> None:
    judges = [line for line in version_lines() if line.startswith("judge ")]

    built_in = [f"judge {p.name} {p.signature}" for p in (GRADED, BINARY, STRICT)]
    assert judges[:-1] == built_in
    assert judges[-1].startswith("judge refusal protocol:refusal|version:1|sha256:")


def test_each_line_is_a_kind_or_member_and_what_follows() -> None:
    for line in version_lines():
        assert 1 <= line.count(" ") <= 2, line
        assert line.isascii()
