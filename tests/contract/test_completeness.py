"""Holds the cases against the contract's document: every row of its tables has a case that names it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__)
DOCUMENT = HERE.parents[3] / "shared" / "interface.md"
SECTION = re.compile(r"^#{2,3} (\d+(?:\.\d+)?)\.? .*$", re.MULTILINE)
PARAMETER = re.compile(r"^- (?:Path|Query): (\w+)", re.MULTILINE)
RULE = re.compile(r"^ *(\d)\. ", re.MULTILINE)
MODE = re.compile(r"^- (\w+ mode): ", re.MULTILINE)
FILTER_MODE = re.compile(r"^- Filter mode: accepts (.+?), with ", re.MULTILINE)

needs_document = pytest.mark.skipif(not DOCUMENT.is_file(), reason="the contract's document is not here")


def _sections() -> dict[str, str]:
    """The text of each section by its number."""
    _, *parts = SECTION.split(DOCUMENT.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _tables(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every row of every table: the heading of its first column, its cells."""
    heading = ""
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            continue
        if not before.startswith("|"):
            heading = cells[0]
        elif not set(line) <= set("|- "):
            yield heading, cells


def _rows_of_endpoint(number: str, text: str) -> Iterator[str]:
    for heading, cells in _tables(text):
        yield f"§{number} status {cells[0]} {cells[1]}" if heading == "Status" else f"§{number} {cells[0]}"
    yield from (f"§{number} {name}" for name in PARAMETER.findall(text))
    yield from (f"§{number} rule {rule}" for rule in RULE.findall(text))
    yield from (f"§{number} {mode}" for mode in MODE.findall(text))
    for accepted in FILTER_MODE.findall(text):
        yield from (f"§{number} {name}" for name in accepted.split(", "))


def _rows() -> set[str]:
    """The names of all rows: states, parameters, rules and statuses of each endpoint, rights, limits."""
    sections = _sections()
    states = {f"§3 {cells[0]} · {cells[1]}" for _, cells in _tables(sections["3"])}
    endpoints = {
        row
        for number, text in sections.items()
        if number.startswith("4.")
        for row in _rows_of_endpoint(number, text)
    }
    rights = {f"§5.2 {cells[0]}" for _, cells in _tables(sections["5"])}
    limits = {f"§8 {cells[0]} · {cells[1]}" for _, cells in _tables(sections["8"])}
    return states | endpoints | rights | limits


def _covers() -> dict[str, Mapping[str, Callable[..., None]]]:
    """What each module of cases says that it covers."""
    names = sorted(file.stem for file in HERE.parent.glob("test_*.py") if file != HERE)
    modules = [import_module(f"tests.contract.{name}") for name in names]
    return {module.__name__: getattr(module, "COVERS", {}) for module in modules}


@needs_document
def test_the_document_is_read() -> None:
    """Enough rows are found in it that the proof below is one."""
    rows = _rows()
    assert len(rows) > 90
    assert {"§4.3 csv_delimiter", "§4.5 date_to", "§8 limit default · Poll", "§4.1 id"} <= rows


@needs_document
def test_every_row_has_a_case() -> None:
    """Nothing of the tables is left out, and no case names a row that is not there."""
    named = {row for covers in _covers().values() for row in covers}
    assert sorted(_rows() - named) == []
    assert sorted(named - _rows()) == []


def test_every_named_case_is_one() -> None:
    """What a module registers are its own test functions, so that a case taken away is missed here."""
    for module, covers in _covers().items():
        for row, case in covers.items():
            assert case.__name__.startswith("test_"), row
            assert case.__module__.endswith(module.rpartition(".")[2]), row
