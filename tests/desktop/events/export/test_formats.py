"""Tests of export formats, of resuming after a crash, and of receipts."""

import csv
import hashlib
import io
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from openpyxl import load_workbook

from cdb_desktop.client import CsvOptions, Event, EventFilter
from cdb_desktop.events.export import table_files
from cdb_desktop.events.export.checkpoint import (
    Checkpoint,
    checkpoint_path,
    discard_unfinished,
    load_checkpoint,
)
from cdb_desktop.events.export.csv_page import CsvDialect, escape_formulas, merge_columns, unify_columns
from cdb_desktop.events.export.export import Export, TooManyRowsError
from cdb_desktop.events.export.formats import ExportedQuery, export_format, receipt_path, write_receipt
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.events.export.table_files import TableError
from cdb_desktop.events.part_file import part_path
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

ALL = EventFilter()


def damage(part: Path) -> None:
    """Damages a part file as a crash while writing does."""
    with part.open("ab") as file:
        file.write(b"half a li")


def names_in(folder: Path) -> list[str]:
    """The files of a folder."""
    return sorted(path.name for path in folder.iterdir())


def size_of(file: Path) -> int:
    """The size of a file in bytes."""
    return file.stat().st_size


class Log:
    """A service's list by ascending id, as CSV or as events; the call ``breaks_at`` fails."""

    def __init__(self, rows: int, options: ExportOptions, breaks_at: int = -1) -> None:
        self.ids = list(range(1, rows + 1))
        self.offsets: list[int] = []
        self._options = options
        self._breaks_at = breaks_at

    async def fetch(self, offset: int) -> bytes | Sequence[Event]:
        if len(self.offsets) == self._breaks_at:
            raise ConnectionError
        self.offsets.append(offset)
        ids = self.ids[offset : offset + PAGE_SIZE]
        if self._options.file_format == "jsonl":
            return [Event(id=one, type="SEARCH", session_token="secret") for one in ids]
        return self._csv(ids)

    def _csv(self, ids: Sequence[int]) -> bytes:
        dialect = self._options.dialect
        keys = sorted({f"info.k{one // PAGE_SIZE}" for one in ids}) if self._options.csv.explode else ["info"]
        rows = [
            dialect.record(
                [
                    str(one),
                    "=cmd()",
                    *(f'{key} of "{one}",\n' if str(one // PAGE_SIZE) in key else "" for key in keys),
                ]
            )
            for one in ids
        ]
        return dialect.record(["_id", "type", *keys]) + b"".join(rows)


async def exported(
    log: Log, target: Path, options: ExportOptions, checkpoint: Checkpoint | None = None
) -> Export:
    """Runs an export to its end."""
    found = load_checkpoint(options, ALL, target) if checkpoint is None else checkpoint
    export = Export(
        log.fetch,
        target,
        export_format(options, ALL, target),
        total=len(log.ids),
        checkpoint=found,
    )
    await export.run(lambda _progress: None)
    return export


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("breaks_at", [0, 1, 2, 3])
async def test_an_export_is_resumed_after_a_crash(tmp_path: Path, form: FileFormat, breaks_at: int) -> None:
    """The file equals that of an uninterrupted export, and only the rest is requested."""
    options = ExportOptions(form)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    await exported(Log(3_500, options), whole, options)
    first = Log(3_500, options, breaks_at)
    with pytest.raises(ConnectionError):
        await exported(first, broken, options)
    damage(broken.with_name("broken.part"))
    second = Log(3_500, options)
    export = await exported(second, broken, options)
    assert broken.read_bytes() == whole.read_bytes()
    assert len(first.offsets) + len(second.offsets) == 4
    assert (export.checkpoint.rows, export.checkpoint.first, export.checkpoint.last) == (3_500, 1, 3_500)
    assert names_in(tmp_path) == ["broken", "whole"]


async def test_only_the_same_export_is_resumed(tmp_path: Path) -> None:
    """With another filter, other options or a missing part file it starts again."""
    options, target = ExportOptions(), tmp_path / "events.csv"
    with pytest.raises(ConnectionError):
        await exported(Log(3_500, options, 2), target, options)
    assert load_checkpoint(options, ALL, target).rows == 1_999
    assert load_checkpoint(options, EventFilter(type=("SEARCH",)), target) == Checkpoint()
    assert load_checkpoint(ExportOptions(escape_formulas=True), ALL, target) == Checkpoint()
    checkpoint_path(target).write_bytes(b"{")
    assert load_checkpoint(options, ALL, target) == Checkpoint()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit to a file's size")
def test_a_failed_checkpoint_leaves_the_previous_one(tmp_path: Path) -> None:
    """A full disk or a kill while writing does not lose the progress."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    options, target = ExportOptions(), tmp_path / "events.csv"
    shape = export_format(options, ALL, target)
    part_path(target).write_bytes(b"part")
    shape.save_checkpoint(Checkpoint(rows=3, size=4))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            shape.save_checkpoint(Checkpoint(rows=4, size=4))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert load_checkpoint(options, ALL, target).rows == 3
    # A kill while writing leaves this.
    checkpoint_path(target).with_name(f".{checkpoint_path(target).name}.0123abcd.new").touch()
    discard_unfinished(target)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dialect", [CsvDialect(), CsvDialect(";", "'", "'"), CsvDialect("\t", '"', "\\")])
async def test_columns_of_all_pages_are_combined(tmp_path: Path, dialect: CsvDialect) -> None:
    """Every value is in its own column, also if pages have different keys."""
    csv_options = CsvOptions(
        max_length=0, explode=True, delimiter=dialect.delimiter, quote=dialect.quote, escape=dialect.escape
    )
    options, target = ExportOptions(csv=csv_options), tmp_path / "events.csv"
    await exported(Log(2_500, options), target, options)
    same = dialect.quote == dialect.escape
    rows = list(
        csv.DictReader(
            io.StringIO(target.read_bytes().decode(), newline=""),
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            doublequote=same,
            escapechar=None if same else dialect.escape,
        )
    )
    assert list(rows[0]) == ["_id", "type", "info.k0", "info.k1", "info.k2"]
    assert len(rows) == 2_500
    for row in rows:
        number = int(row["_id"])
        expected = {
            f"info.k{n}": f'info.k{n} of "{number}",\n' if number // PAGE_SIZE == n else "" for n in range(3)
        }
        assert {key: row[key] for key in expected} == expected


async def test_a_guarded_file_has_no_formulas(tmp_path: Path) -> None:
    """All other values are unchanged."""
    options, target = ExportOptions(escape_formulas=True), tmp_path / "events.csv"
    await exported(Log(3, options), target, options)
    assert [row["type"] for row in csv.DictReader(io.StringIO(target.read_bytes().decode(), newline=""))] == [
        "'=cmd()"
    ] * 3


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30", "'+49 30"),
        ("-5", "-5"),
        ("-5,5", "-5,5"),
        ("@a", "'@a"),
        ("\ta", "'\ta"),
        ("\ra", "'\ra"),
        ("\na", "'\na"),
        ("＝1+1", "'＝1+1"),
        ("＠a", "'＠a"),
        ("a\rb", "a\rb"),
        ("a\nb", "a\nb"),
        ("a=b", "a=b"),
    ],
)
def test_which_cells_are_formulas(cell: str, written: str) -> None:
    """Numbers with a sign are not."""
    dialect = CsvDialect(";")
    assert dialect.cells(escape_formulas([dialect.record(["x", cell])], dialect)) == ["x", written]


def test_combined_columns_have_the_order_of_the_service() -> None:
    """Fixed columns keep their order, keys are sorted."""
    assert merge_columns([("_id", "info.b", "info.c"), ("_id", "type", "info.a")]) == (
        "_id",
        "type",
        "info.a",
        "info.b",
        "info.c",
    )


async def test_the_receipt_describes_the_file(tmp_path: Path) -> None:
    """It has rows, first and last id, checksum, query and options, and no secret."""
    options, target = ExportOptions(), tmp_path / "events.csv"
    export = await exported(Log(1_500, options), target, options)
    entered = EventFilter(type=("SEARCH",))
    loaded = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
    query = ExportedQuery(entered, replace(entered, date_to=loaded), Query(types=("SEARCH",)), newest=1_500)
    write_receipt(target, options, query, export.checkpoint, "https://db.example.org")
    receipt = msgspec.json.decode(receipt_path(target).read_bytes())
    assert receipt["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    assert (receipt["rows"], receipt["first_id"], receipt["last_id"]) == (1_500, 1, 1_500)
    assert receipt["query"] == {"type": ["SEARCH"]}
    assert receipt["frozen"] == {"last_second": "2026-11-20T14:02:07Z", "newest_id": 1_500}
    assert receipt["csv"]["max_length"] == 0
    assert "token=" not in receipt_path(target).read_text()


async def test_a_receipt_has_relative_dates_as_entered(tmp_path: Path) -> None:
    """It also has their values at that time; a date that the user has set is absolute."""
    options, target = ExportOptions(), tmp_path / "events.csv"
    export = await exported(Log(20, options), target, options)
    first, loaded = datetime(2026, 11, 13, 14, tzinfo=UTC), datetime(2026, 11, 20, 14, tzinfo=UTC)
    week = Query(span=TimeSpan(preset=TimePreset.WEEK))
    entered = EventFilter(date_from=first)
    query = ExportedQuery(entered, replace(entered, date_to=loaded), week)
    write_receipt(target, options, query, export.checkpoint, "https://db.example.org")
    receipt = msgspec.json.decode(receipt_path(target).read_bytes())
    assert receipt["query"] == {"date": {"preset": TimePreset.WEEK.value}}
    assert receipt["dates_resolved"] == {"date_from": "2026-11-13T14:00:00Z", "date_to": None}
    until = EventFilter(date_to=loaded)
    query = ExportedQuery(until, until, Query(span=TimeSpan(last=loaded)))
    write_receipt(target, options, query, export.checkpoint, "https://db.example.org")
    receipt = msgspec.json.decode(receipt_path(target).read_bytes())
    assert receipt["query"] == {"date_to": "2026-11-20T14:00:00Z"}
    assert receipt["frozen"] == {"last_second": None, "newest_id": None}
    assert receipt["dates_resolved"] is None


async def test_a_table_is_resumed_after_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are not read again, also if the table fails, and every row is in the table once."""
    options, target = ExportOptions("xlsx"), tmp_path / "events.xlsx"
    first = Log(3_500, options, 2)
    with pytest.raises(ConnectionError):
        await exported(first, target, options)
    damage(tmp_path / "events.xlsx.part")
    second = Log(3_500, options)
    with monkeypatch.context() as patch:
        patch.setattr(table_files, "_HELPER", "no.such.helper")
        with pytest.raises(TableError):
            await exported(second, target, options)
    assert len(first.offsets) + len(second.offsets) == 4
    assert names_in(tmp_path) == ["events.xlsx.part", "events.xlsx.part.json"]
    third = Log(3_500, options)
    export = await exported(third, target, options)
    assert third.offsets == [3_499]
    assert export.progress.size == size_of(target)
    titles, *rows = load_workbook(target)["events"].values
    assert titles == ("_id", "type", "info")
    assert [row[0] for row in rows] == list(range(1, 3_501))
    assert {row[1] for row in rows} == {"=cmd()"}
    assert names_in(tmp_path) == ["events.xlsx"]


async def test_a_crash_while_columns_are_combined_loses_nothing(tmp_path: Path) -> None:
    """The rows that were read are unchanged until the file is complete."""
    options = ExportOptions(csv=CsvOptions(max_length=0, explode=True))
    part = tmp_path / "events.csv.part"
    shape = export_format(ExportOptions(), ALL, tmp_path / "events.csv")
    export = Export(Log(2_500, options).fetch, tmp_path / "events.csv", shape)
    await export.run(lambda _progress: None)
    export.target.rename(part)
    before = part.read_bytes()
    unified = unify_columns(part, export.checkpoint.sections, options.dialect)
    assert part.read_bytes() == before
    assert unified != part


async def test_more_rows_than_a_worksheet_can_have_fail(tmp_path: Path) -> None:
    """This holds if the rows were not counted before."""
    shape = replace(export_format(ExportOptions(), ALL, tmp_path / "events.csv"), max_rows=1_200)
    export = Export(Log(3_500, ExportOptions()).fetch, tmp_path / "events.csv", shape)
    with pytest.raises(TooManyRowsError):
        await export.run(lambda _progress: None)
    assert not export.target.exists()
