"""Tests of CSV for spreadsheets: cells, and the order of the rows."""

import csv
import io
import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Event, EventFilter, Record, Sort, Unreadable
from cdb_desktop.events.export.checkpoint import Checkpoint, export_key, load_checkpoint
from cdb_desktop.events.export.export import Export
from cdb_desktop.events.export.formats import ExportedQuery, export_format, receipt_path, write_receipt
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.sheet import SheetOptions

BY_TYPE = (Sort("type"), Sort("object_id", descending=True))
COLUMNS = ("id", "time", "type", "object", "info.value")
GERMAN = SheetOptions(BY_TYPE, ",", "UTC")


def event(number: int, type_: str = "A", value: object = None, object_id: int | None = None) -> Event:
    """An event with a value in its info."""
    return Event(
        id=number,
        type=type_,
        timestamp=datetime(2026, 11, 22, 14, 3, number % 60, tzinfo=UTC),
        objecttype="Gemälde" if object_id else None,
        object_id=object_id,
        object_version=2 if object_id else None,
        info=msgspec.Raw(msgspec.json.encode({"value": value})),
    )


async def exported(
    target: Path, records: list[Record], sheet: SheetOptions, *, columns: tuple[str, ...] = COLUMNS
) -> Export:
    """Exports records to a file."""
    options = ExportOptions(columns=columns, sheet=sheet)

    async def fetch(offset: int) -> list[Record]:
        return records[offset : offset + 1000]

    entered = EventFilter()
    checkpoint = load_checkpoint(options, entered, target)
    kind = export_format(options, entered, target)
    export = Export(fetch, target, kind, total=len(records), checkpoint=checkpoint)
    await export.run(lambda _progress: None)
    return export


def rows_of(target: Path, delimiter: str = ";") -> list[list[str]]:
    """The cells as a spreadsheet reads them."""
    content = target.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


async def test_rows_have_the_order_of_the_table_and_the_object_its_own_columns(tmp_path: Path) -> None:
    """The locale determines separator and decimals; times are dates and times for every spreadsheet."""
    target = tmp_path / "events.csv"
    records: list[Record] = [
        event(1, "B", 1.5),
        event(2, "A", object_id=7),
        event(3, "A", object_id=1042),
        event(4, "A"),
        event(5, "B"),
    ]
    await exported(target, records, GERMAN)
    titles, *rows = rows_of(target)
    named = ["_id", "timestamp (UTC)", "type", "object_type", "object_id", "object_version", "info.value"]
    assert titles == named
    assert [row[0] for row in rows] == ["3", "2", "4", "5", "1"]
    assert rows[0] == ["3", "2026-11-22 14:03:03", "A", "Gemälde", "1042", "2", ""]
    assert rows[-1][-1] == "1,5"
    assert os.listdir(tmp_path) == ["events.csv"]  # noqa: PTH208  # not blocking


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("00123", "'00123"),
        ("192.168.100.100", "'192.168.100.100"),
        ("3-4", "'3-4"),
        ("1E5", "'1E5"),
        ("10.20.1.35", "10.20.1.35"),
        ("12", "12"),
        ("Ägypten; Öl", "Ägypten; Öl"),
        (1234567890123456, "'1234567890123456"),
        (123456789012345, "123456789012345"),
        (-2.25, "-2.25"),
        ([1, "a"], '[1,"a"]'),
        (True, "true"),
        (None, ""),
        ("two\nlines", "two\nlines"),
    ],
)
async def test_values_are_not_changed_by_the_spreadsheet(tmp_path: Path, value: object, cell: str) -> None:
    """What it would take for a formula, or for another number or date, is text."""
    target = tmp_path / "events.csv"
    await exported(target, [event(1, value=value)], SheetOptions(BY_TYPE))
    assert rows_of(target, ",")[1][-1] == cell


async def test_long_values_are_cut_and_counted_and_unreadable_records_stay(tmp_path: Path) -> None:
    """A cell of Excel has at most 32,767 characters."""
    target = tmp_path / "events.csv"
    broken = Unreadable("no_id", b'{"event":{"type":"BROKEN"}}', 0)
    export = await exported(target, [broken, event(1, value="x" * 40_000)], GERMAN)
    rows = rows_of(target)[1:]
    assert [(row[2], len(row[-1])) for row in rows] == [("BROKEN", 0), ("A", 32_767)]
    assert (export.progress.cut, export.checkpoint.unreadable) == (1, 1)


async def test_an_interrupted_export_continues_and_ends_sorted(tmp_path: Path) -> None:
    """No row is missing or written twice, also if it was interrupted in the middle."""
    target, records = tmp_path / "events.csv", [event(number, "BA"[number % 2]) for number in range(1, 2501)]
    options = ExportOptions(columns=COLUMNS, sheet=GERMAN)
    fails = True

    async def fetch(offset: int) -> list[Event]:
        if offset > 0 and fails:
            raise OSError("away")
        return records[offset : offset + 1000]

    kind = export_format(options, EventFilter(), target)
    with pytest.raises(OSError, match="away"):
        await Export(fetch, target, kind, total=2500).run(lambda _progress: None)
    fails = False
    checkpoint = load_checkpoint(options, EventFilter(), target)
    assert checkpoint.rows == 1000
    seen: list[int | None] = []
    again = Export(fetch, target, kind, total=2500, checkpoint=checkpoint)
    await again.run(lambda progress: seen.append(progress.converted))
    numbers = [int(row[0]) for row in rows_of(target)[1:]]
    assert numbers == sorted(range(1, 2501), key=lambda number: ("BA"[number % 2], number * -1))
    assert 2000 in seen
    assert os.listdir(tmp_path) == ["events.csv"]  # noqa: PTH208  # not blocking


async def test_the_receipt_names_order_and_locale(tmp_path: Path) -> None:
    """Who gets the file can see how it is sorted and which times it has."""
    target = tmp_path / "events.csv"
    await exported(target, [event(1)], GERMAN)
    options = ExportOptions(columns=COLUMNS, sheet=GERMAN, escape_formulas=True)
    write_receipt(
        target, options, ExportedQuery(EventFilter(), EventFilter()), Checkpoint(rows=1), "http://x"
    )
    receipt = msgspec.json.decode(receipt_path(target).read_bytes())
    assert receipt["order"] == "type ascending, object_id descending"
    assert receipt["spreadsheet"] == {"delimiter": ";", "decimal": ",", "times": "UTC"}


def test_keys_of_earlier_exports_stay_valid() -> None:
    """Only exports for spreadsheets have the new option in their key, so older checkpoints still resume."""
    before = (
        '[{"form":"csv","options":{"delimiter":",","quote":"\\"","escape":"\\"","use_bom":false,'
        '"explode":false,"explode_array_concat":null,"max_length":0},"guard":false,"receipt":true,'
        '"columns":["id"],"zone":"utc"},'
    )
    assert export_key(ExportOptions(columns=("id",)), EventFilter(), ()).startswith(before)
    with_sheet = ExportOptions(columns=("id",), sheet=GERMAN)
    assert msgspec.json.decode(msgspec.json.encode(with_sheet), type=ExportOptions) == with_sheet


async def test_libreoffice_gets_times_that_it_always_recognizes(tmp_path: Path) -> None:
    """Excel does not recognize them, so it gets a blank in place of the T."""
    target = tmp_path / "events.csv"
    await exported(target, [event(1)], SheetOptions(BY_TYPE, time_mark="T"))
    assert rows_of(target, ",")[1][1] == "2026-11-22T14:03:01"
