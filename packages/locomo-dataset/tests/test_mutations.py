"""Broken files of every kind: either they load, or one line says why not."""

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locomo_dataset import DatasetError, load, load_mini, stats, validate
from locomo_dataset.errata import load_errata


def shorten(text: str) -> str:
    """Keep of each conversation what has a different shape; small files break fast."""
    samples = json.loads(text)
    for sample in samples:
        body = sample["conversation"]
        for number in range(3, 6):
            del body[f"session_{number}"], body[f"session_{number}_date_time"]
            del sample["observation"][f"session_{number}_observation"]
            del sample["session_summary"][f"session_{number}_summary"]
            del sample["event_summary"][f"events_session_{number}"]
        for number in range(1, 3):
            body[f"session_{number}"] = body[f"session_{number}"][2:5]
        kinds = {(q["category"], type(q.get("answer"))): q for q in sample["qa"]}
        sample["qa"] = list(kinds.values())
    return json.dumps(samples)


MINI = shorten(files("locomo_dataset").joinpath("data/mini.json").read_text("utf-8"))
ERRATA = json.dumps(
    [
        {
            "question_id": f"locomo_{index}_qa{question.index}",
            "question": question.text,
            "golden_answer": question.gold,
            "category": int(question.category),
            "error_type": ["AMBIGUOUS", "WRONG_CITATION"][question.index % 2],
            "cited_evidence": list(question.evidence_raw),
        }
        for index, conversation in enumerate(load_mini().conversations)
        for question in conversation.questions()[:6]
    ]
)

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**30, -1, 0, 5, 10**400]),
    st.floats(),
    st.text(st.characters(), max_size=8),  # control characters and surrogates too
    st.sampled_from(["D1:1", "D1:1; D2:2", "D", "\u202e\n", "\ud800", "\u2028", ""]),
    st.sampled_from([[], {}, [[]], [{}], {"": None}, [None], {"date": []}]),
)


@st.composite
def broken_json(draw: st.DrawFn, text: str) -> bytes:
    """Change one to three places of a JSON file: their value, type, key or number."""
    root = json.loads(text)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(root))
        parent, key = places[draw(st.integers(0, len(places) - 1))]
        match draw(st.sampled_from(["delete", "junk", "other", "twice", "rename"])):
            case "delete":
                del parent[key]
            case "junk":
                parent[key] = copy.deepcopy(draw(JUNK))
            case "other":
                other, name = places[draw(st.integers(0, len(places) - 1))]
                parent[key] = copy.deepcopy(other[name])
            case "twice" if isinstance(parent, list):
                parent.insert(key, copy.deepcopy(parent[key]))
            case _:
                if isinstance(parent, dict):
                    parent[draw(st.text(max_size=8))] = parent.pop(key)
        if not root:
            break
    plain = draw(st.booleans())
    return json.dumps(root, ensure_ascii=plain).encode("utf-8", "surrogatepass")


@st.composite
def broken_bytes(draw: st.DrawFn, text: str) -> bytes:
    """Cut, overwrite, insert or repeat bytes of a file."""
    content = bytearray(text.encode())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        stop = start + draw(st.integers(0, 40))
        piece = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from([b'"', b"}", b"]", b",", b"\\ud800", b"1e999", b"NaN"]),
                st.just(bytes(content[start:stop]) * 2),
            )
        )
        content[start:stop] = piece
    return bytes(content)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """List every member and item below a value, as its container and its key."""
    if isinstance(value, dict):
        steps: Any = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    else:
        return
    for key, item in steps:
        yield value, key
        yield from _places(item)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place to write one broken file after the other."""
    return tmp_path_factory.mktemp("broken") / "broken.json"


def loads_or_complains(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    try:
        dataset = load(file)
    except DatasetError as error:
        complains_in_one_line(error, file)
        return
    counts = stats(dataset)
    assert counts.questions == len(dataset.all_questions())
    for issue in validate(dataset):
        for text in (issue.path, issue.subject, issue.message, issue.reason):
            assert text
            assert text.isprintable()


def joins_or_complains(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    try:
        errata = load_errata(file)
    except DatasetError as error:
        complains_in_one_line(error, file)
        return
    join = errata.join(load_mini())
    assert len(join.kinds) + len(join.mismatches) == len(errata.errors)
    for mismatch in join.mismatches:
        assert mismatch.message
        assert mismatch.message.isprintable()


def complains_in_one_line(error: DatasetError, file: Path) -> None:
    line = str(error)
    assert line.startswith(f"{file}: ")
    assert line.isprintable()
    assert len(line) < len(str(file)) + 500


@settings(max_examples=1500, deadline=None)
@given(content=broken_json(MINI))
def test_a_data_set_with_wrong_members_loads_or_complains(
    file: Path, content: bytes
) -> None:
    loads_or_complains(file, content)


@settings(max_examples=1000, deadline=None)
@given(content=broken_bytes(MINI))
def test_a_data_set_with_wrong_bytes_loads_or_complains(
    file: Path, content: bytes
) -> None:
    loads_or_complains(file, content)


@settings(max_examples=400, deadline=None)
@given(content=broken_json(ERRATA))
def test_errata_with_wrong_members_join_or_complain(file: Path, content: bytes) -> None:
    joins_or_complains(file, content)


@settings(max_examples=200, deadline=None)
@given(content=broken_bytes(ERRATA))
def test_errata_with_wrong_bytes_join_or_complain(file: Path, content: bytes) -> None:
    joins_or_complains(file, content)


@given(content=st.binary(max_size=200))
def test_any_bytes_load_or_complain(file: Path, content: bytes) -> None:
    loads_or_complains(file, content)
    joins_or_complains(file, content)
