import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from locomo_dataset import Dataset, DatasetError, load, load_mini
from locomo_dataset._load import MAX_BYTES, read

Write = Callable[[Any], Path]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (
            b"<!DOCTYPE html>\n<p>Sorry",
            r"not JSON: Expecting value at line 1 column 1; the file starts with '<!D",
        ),
        (
            b'[{"qa": [',
            "not JSON: Expecting value at line 1 column 10; the file starts with '[{",
        ),
        (
            b"[] []",
            "not JSON: Extra data at line 1 column 4; the file starts with '[] []'",
        ),
        (
            b"\x89PNG\r\n",
            "not UTF-8 text: byte 0x89 at offset 0; expected a JSON file",
        ),
        (
            '["\u00e9"]'.encode("latin-1"),
            "not UTF-8 text: byte 0xe9 at offset 2; expected a JSON file",
        ),
        (
            "[]".encode("utf-16"),
            "not UTF-8 text: byte 0xff at offset 0; expected a JSON file",
        ),
        (b"[" * 200_000, "not usable: nested too deep"),
        (b'{"a":' * 200_000, "not usable: nested too deep"),
        (b"null", "$: expected an array of conversations, found null"),
        (b"NaN", "$: expected an array of conversations, found the constant NaN"),
        (b"9" * 5000, "$: expected an array of conversations, found an integer of"),
        (b"[]", "$: expected at least one conversation, found an array of 0 items"),
    ],
)
def test_what_is_no_data_set_gives_one_clear_line(
    write: Write, content: bytes, message: str
) -> None:
    file = write(content)

    with pytest.raises(DatasetError) as caught:
        load(file)

    assert str(caught.value).startswith(f"{file}: {message}")
    assert str(caught.value).isprintable()


def test_a_byte_order_mark_is_tolerated(mini: Any, write: Write) -> None:
    path = write(mini)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    assert load(path).conversations == load_mini().conversations


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError,
        match=r"nowhere\.json: cannot be read: (No such|The system cannot find)",
    ):
        load(tmp_path / "nowhere.json")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="expected a file, found something else"):
        load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(DatasetError, match="expected a file, found something else"):
        load(pipe)


def test_an_impossible_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        load(f"{tmp_path}{os.sep}a\0b\n")

    assert str(caught.value) == rf"{tmp_path}{os.sep}a\x00b\n: not a possible file name"


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)  # sparse: it takes no space

    with pytest.raises(DatasetError) as caught:
        load(path)

    assert caught.value.message == (
        "too large: 536,870,913 bytes; the limit is 536,870,912"
    )


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "exact"
    path.write_bytes(b"12345")

    assert read(path, max_bytes=5) == b"12345"


def test_the_data_set_knows_which_file_it_was(mini: Any, write: Write) -> None:
    path = write(mini)

    for given in (path, str(path)):
        dataset = load(given)
        assert dataset.name == "changed.json"
        assert dataset.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.locomo
def test_the_real_file_loads_within_a_second(real_path: Path) -> None:
    spent = []
    for _ in range(3):
        start = time.process_time()
        load(real_path)
        spent.append(time.process_time() - start)

    assert min(spent) < 1.0


@pytest.mark.locomo
def test_the_real_file_is_read_to_the_last_member(real: Dataset) -> None:
    assert real.unread == ()
    assert real.name.endswith(".json")
