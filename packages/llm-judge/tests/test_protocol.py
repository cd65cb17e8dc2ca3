import re
from pathlib import Path

import pytest
from llm_judge import (
    BINARY,
    GRADED,
    STRICT,
    JudgeError,
    JudgeProtocol,
    LabelScale,
    NumberScale,
    ProtocolError,
    build_judge_prompt,
    load_protocol,
)

OWN = """
name = "own"
version = "2"
description = "Five steps."
system = "Judge from 1 to 5."
user = '''
<q>{question}</q>
<g>{gold}</g>
<p>{prediction}</p>
'''
verdict_key = "rating"
explanation_key = "why"
[scale]
kind = "number"
minimum = 1
maximum = 5
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("protocol", "signature"),
    [
        (GRADED, "protocol:graded|version:1|sha256:d84dfa610101|parser:1"),
        (BINARY, "protocol:binary|version:1|sha256:9f405efb6ab0|parser:1"),
        (STRICT, "protocol:strict|version:1|sha256:fd4dc53a803b|parser:1"),
    ],
    ids=lambda value: value.name if isinstance(value, JudgeProtocol) else "",
)
def test_a_built_in_protocol_changes_only_with_its_version(
    protocol: JudgeProtocol, signature: str
) -> None:
    assert protocol.signature == signature


def test_the_built_in_scales_are_0_to_100_and_correct_or_wrong() -> None:
    assert GRADED.scale == NumberScale(minimum=0, maximum=100)
    for protocol in (BINARY, STRICT):
        assert isinstance(protocol.scale, LabelScale)
        assert {name: one.score for name, one in protocol.scale.labels.items()} == {
            "CORRECT": 1,
            "WRONG": 0,
        }


def test_the_reply_schema_follows_the_scale_and_the_order_of_the_prompt() -> None:
    assert GRADED.reply_schema == {
        "type": "object",
        "properties": {
            "score": {"type": "number", "description": "a number from 0 to 100"},
            "explanation": {"type": "string"},
        },
        "required": ["score", "explanation"],
        "additionalProperties": False,
    }
    assert BINARY.reply_schema == {
        "type": "object",
        "properties": {
            "explanation": {"type": "string"},
            "label": {"type": "string", "enum": ["CORRECT", "WRONG"]},
        },
        "required": ["explanation", "label"],
        "additionalProperties": False,
    }


def test_a_temporal_question_has_a_standard_of_its_own() -> None:
    assert "Dates, durations and order must match exactly" in GRADED.standard(
        "temporal"
    )
    assert GRADED.standard("Single Hop ") == GRADED.standard("single-hop")
    assert GRADED.standard("something else") == GRADED.standard("general")


def test_a_protocol_file_gives_a_protocol(tmp_path: Path) -> None:
    protocol = load_protocol(write(tmp_path, OWN))

    assert protocol.signature.startswith("protocol:own|version:2|sha256:")
    assert protocol.standard("temporal") == ""
    assert build_judge_prompt("q", "g", "p", "c", protocol).user == (
        "<q>q</q>\n<g>g</g>\n<p>p</p>"
    )


def test_the_hash_is_of_the_content_and_not_of_the_file(tmp_path: Path) -> None:
    protocol = load_protocol(write(tmp_path, OWN))
    dressed = "\ufeff# a comment\n" + OWN.replace("\n", "\r\n")
    other = OWN.replace("Judge from", "Please judge from")

    renamed = OWN.replace('"own"', '"mine"').replace("Five steps", "Stars")

    assert load_protocol(write(tmp_path, dressed)).sha256 == protocol.sha256
    assert load_protocol(write(tmp_path, renamed)).sha256 == protocol.sha256
    assert load_protocol(str(write(tmp_path, other))).sha256 != protocol.sha256


def test_a_label_protocol_can_weigh_a_partial_answer(tmp_path: Path) -> None:
    scale = OWN[: OWN.index("[scale]")] + (
        '[scale]\nkind = "labels"\n[scale.labels]\n'
        "right = { score = 1 }\npartial = { score = 0.5 }\nwrong = { score = 0 }\n"
    )
    protocol = load_protocol(write(tmp_path, scale))

    assert isinstance(protocol.scale, LabelScale)
    assert protocol.scale.labels["partial"].score == 0.5


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{gold}", "{golden}", "the placeholder {gold} is missing"),
        ("<g>{gold}</g>", "<g>{gold}</g> {answer}", "unknown placeholder {answer}"),
        ("<g>{gold}</g>", "Gold: {gold}", "{gold} must stand alone between tags"),
        ("<g>{gold}</g>", "<g>{gold}</h>", "{gold} must stand alone between tags"),
        ("<g>{gold}</g>", "<g>{gold}</g>{gold}", "{gold} must stand alone"),
        ("<g>{gold}</g>", "<g>{gold} {category}</g>", "{gold} must stand alone"),
        ("<g>{gold}</g>", "<g>{gold}</g>{standard}", "needs an entry 'general'"),
        ("from 1 to 5", "{question}", "placeholders belong into the user template"),
        ('"why"', '"Rating"', "verdict_key and explanation_key must differ"),
        ('name = "own"', 'name = "own|x"', "name: String should match pattern"),
        ('name = "own"', 'name = "own\\n"', "name: String should match pattern"),
        ('version = "2"', "version = 2", "version: Input should be a valid string"),
        ('"Five steps."', '" "', "description: String should have at least 1"),
        ("maximum = 5", "maximum = 0", "scale.number: Value error, minimum 1 must be"),
        ('kind = "number"', 'kind = "stars"', "scale: Input tag 'stars'"),
        ("maximum = 5", "maximum = 5\nstep = 1", "scale.number.step: Extra inputs"),
        ("minimum = 1", "minimum =", "not valid TOML: Invalid value (at line 15"),
    ],
)
def test_a_faulty_protocol_is_refused_with_file_place_and_problem(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in OWN
    path = write(tmp_path, OWN.replace(old, new))

    with pytest.raises(ProtocolError, match=re.escape(problem)) as caught:
        load_protocol(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert isinstance(caught.value, JudgeError)


def test_a_protocol_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="cannot read the protocol: No such file"):
        load_protocol(tmp_path / "missing.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "é"'.encode("latin-1"))
    with pytest.raises(ProtocolError, match="not UTF-8 text"):
        load_protocol(path)
