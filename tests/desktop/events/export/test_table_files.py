"""Tests of tables in Parquet and XLSX."""

import asyncio
import csv
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from openpyxl import load_workbook

from cdb_desktop.events.export import table_files, table_helper
from cdb_desktop.events.export.table_files import TableFormat, TableLimits, make_table, missing_library
from cdb_desktop.events.export.table_helper import TooManyColumnsError, write_table

TITLES = ("_id", "timestamp", "type", "object_id", "pollable", "info")
FORMULA = '=HYPERLINK("http://example.org";"x")'
FORMS = [
    pytest.param(
        form, marks=pytest.mark.skipif(bool(missing_library(form)), reason="its library is not there")
    )
    for form in table_files.TABLE_LIMITS
]


def written(file: Path, rows: Sequence[Sequence[object]], titles: Sequence[str] = TITLES) -> Path:
    """Writes a CSV file as the service does."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([titles, *rows])
    return file


def names_in(folder: Path) -> list[str]:
    """The files of a folder."""
    return sorted(path.name for path in folder.iterdir())


def row(number: int, info: str = "{}", object_id: object = 7) -> list[object]:
    """The row of an event."""
    return [number, "2026-05-01T12:30:15+02:00", FORMULA, object_id, "true", info]


def read(form: TableFormat, file: Path) -> pd.DataFrame:
    """Reads the table with pandas."""
    if form == "parquet":
        return pd.read_parquet(file)
    book = load_workbook(file)
    titles, *rows = book["events"].values
    return pd.DataFrame(rows, columns=titles, dtype=object)


async def create(form: TableFormat, folder: Path, rows: Sequence[Sequence[object]]) -> tuple[Path, list[int]]:
    """Creates a table; returns it with the reported progress."""
    progress: list[int] = []
    target = folder / f"events.{form}"
    source = written(folder / "events.csv", rows)
    assert await make_table(form, source, target, len(rows), progress.append) == 0
    assert names_in(folder) == sorted({source.name, target.name})
    return target, progress


@pytest.mark.parametrize("form", FORMS)
async def test_values_have_their_types(form: TableFormat, tmp_path: Path) -> None:
    """Numbers, times and flags have their types; strings stay strings."""
    info = '{"a": "line\\nbreak, \\"quoted\\""}'
    target, progress = await create(form, tmp_path, [row(1, info), row(2, "x\ny", ""), row(3, "ü 漢")])
    found = read(form, target)
    assert found["_id"].tolist() == [1, 2, 3]
    assert found["type"].tolist() == [FORMULA] * 3
    assert found["info"].tolist() == [info, "x\ny", "ü 漢"]
    assert found["pollable"].tolist() == [True] * 3
    assert found["object_id"].tolist()[0] == 7
    assert pd.isna(found["object_id"].tolist()[1])
    moment = datetime(2026, 5, 1, 10, 30, 15, tzinfo=UTC)
    time = found["timestamp" if form == "parquet" else "timestamp (UTC)"][0]
    assert time == (pd.Timestamp(moment) if form == "parquet" else pd.Timestamp(moment.replace(tzinfo=None)))
    assert progress[-1] == 3


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_written_in_slices(
    form: TableFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order, with a report after each; one value of another type makes the whole column text."""
    monkeypatch.setattr(table_helper, "_MAX_FRAME_BYTES", 20_000)
    rows = [*(row(number, "x" * 100) for number in range(1, 301)), row(301, object_id="7a")]
    target, progress = tmp_path / f"events.{form}", list[int]()
    write_table(form, written(tmp_path / "events.csv", rows), target, len(rows), progress.append)
    found = read(form, target)
    assert found["_id"].tolist() == list(range(1, 302))
    assert found["object_id"].tolist() == ["7"] * 300 + ["7a"]
    assert len(set(progress)) >= 3
    assert progress == sorted(progress)


def test_long_and_unusual_values(tmp_path: Path) -> None:
    """Long values are truncated and counted, and characters that XML excludes are escaped."""
    long, odd = "x" * 40_000, "a\x01b_x0041_"
    source = written(tmp_path / "events.csv", [row(1, long), row(2, odd), row(10**17)])
    target = tmp_path / "events.xlsx"
    assert write_table("xlsx", source, target, 3, lambda _rows: None) == 1
    found = read("xlsx", target)
    assert found["info"][0] == "x" * 32_767
    assert found["info"][1] == "a_x0001_b_x005F_x0041_"
    assert found["_id"].tolist() == [1, 2, str(10**17)]
    assert found["type"].tolist() == [FORMULA] * 3


def test_too_many_columns_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An XLSX worksheet has a limit."""
    monkeypatch.setitem(table_files.TABLE_LIMITS, "xlsx", TableLimits(columns=len(TITLES) - 1))
    source = written(tmp_path / "events.csv", [row(1)])
    with pytest.raises(TooManyColumnsError) as caught:
        write_table("xlsx", source, tmp_path / "events.xlsx", 1, lambda _rows: None)
    assert table_helper._fault(caught.value).fault == "columns"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are a matter of Linux")
async def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported as an OSError; the source stays, and no other file is left."""
    import resource

    rows = [row(number, f"{number}" * 300) for number in range(1, 2_001)]
    source = written(tmp_path / "events.csv", rows)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))  # child processes inherit it
    try:
        with pytest.raises(OSError, match="File too large"):
            await make_table("xlsx", source, tmp_path / "events.xlsx", len(rows), lambda _rows: None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names_in(tmp_path) == ["events.csv"]


async def test_cancelling_ends_the_child_process(tmp_path: Path) -> None:
    """It ends at once, and its files are removed."""
    source = written(tmp_path / "events.csv", [row(number, "x" * 3_000) for number in range(1, 5_001)])
    began = asyncio.Event()

    def on_rows(rows: int) -> None:
        if rows:
            began.set()

    work = asyncio.ensure_future(make_table("xlsx", source, tmp_path / "events.xlsx", 5_000, on_rows))
    await asyncio.wait_for(began.wait(), 60)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert names_in(tmp_path) == ["events.csv"]


def test_missing_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are looked up without importing anything."""
    installed: set[str] = set()

    def find(name: str) -> Any:
        return find_spec("csv") if name in installed else None

    monkeypatch.setattr(table_files, "find_spec", find)
    assert (missing_library("xlsx"), missing_library("parquet")) == ("XlsxWriter", "pyarrow")
    installed.add("xlsxwriter")
    assert (missing_library("xlsx"), missing_library("parquet")) == ("", "pyarrow")
