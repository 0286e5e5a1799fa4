"""Tables that users bring and files that are written: what both refuse, and what they take."""

from __future__ import annotations

import gzip
import os
import pathlib
from typing import Any

import pytest
import warpath
import warpath.files
from warpath.files import require_new, write_whole
from warpath.input_tables import read_table


_HUGE = 10**5000


@pytest.mark.parametrize("cell", ["1_0", "", "x", "nan", "inf", True, 10**400, [1], b"1x", "huge"])
def test_cells_that_are_no_numbers(cell: Any) -> None:
    cell = _HUGE if cell == "huge" else cell
    with pytest.raises(warpath.InputError, match="row 0: column a: is "):
        read_table([{"a": cell}]).numbers("a")


@pytest.mark.parametrize("cell", ["", None, True, [1], {}, "\ud800", "huge"])
def test_cells_that_are_no_texts(cell: Any) -> None:
    cell = _HUGE if cell == "huge" else cell
    with pytest.raises(warpath.InputError, match="row 0: column a: is "):
        read_table([{"a": cell}]).texts("a")


def test_numbers_and_texts() -> None:
    table = read_table([{"a": " 1 "}, {"a": 2.0}, {"a": 3}])
    assert table.texts("a") == ["1", "2", "3"] and table.numbers("a").tolist() == [1, 2, 3]


def test_a_packed_table_that_is_too_large(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a\n" + b"1\n" * 100_000))
    assert len(read_table(file)) == 100_000
    monkeypatch.setattr(warpath.files, "default_limit", lambda: 1000)
    with pytest.raises(warpath.InputError, match=r"t\.csv\.gz: is larger than .*1000 bytes"):
        read_table(file)


def test_names_that_utf8_cannot_hold(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"\\ud800": 1}\n')
    with pytest.raises(warpath.InputError, match="has a name that UTF-8 cannot hold"):
        read_table(file)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(end: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"\xef\xbb\xbf" + end.join(["a,b", "1,2", "3,4", ""]).encode())
    table = read_table(file)
    assert table.columns == ["a", "b"] and table.place(1) == "line 3"


def test_outputs_in_folders_of_inputs(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "one.json").write_text("{}")
    os.symlink(folder / "one.json", tmp_path / "link")
    for name in (folder / "one.json", tmp_path / "link"):
        with pytest.raises(warpath.UsageError, match="--out .* would replace a file of .*graphs"):
            require_new({"--out": str(name)}, [str(folder)])
    require_new({"--out": str(folder / "new.json"), "--csv": "-"}, [str(folder)])


def test_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("-", "a,b\n")
    assert capfdbinary.readouterr().out == b"a,b\n" and os.listdir(tmp_path) == []
