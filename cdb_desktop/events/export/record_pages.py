"""Pages of records as JSON lines, as CSV in the visible columns, or as CSV like the service's."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from cdb_desktop.client import CsvOptions, Event, Record
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export.csv_page import BOM, CsvDialect, RowEnds, escape_formulas
from cdb_desktop.events.paging import PageOverlap
from cdb_desktop.events.result import readable_events
from cdb_desktop.vocabulary.event_json import (
    INFO,
    SHORT_FIELDS,
    info_path,
    json_line,
    masked,
    value_at,
    wire_record,
)
from cdb_desktop.vocabulary.event_summary import SUMMARY, event_summary
from cdb_desktop.vocabulary.event_types import object_text, object_type, user_text
from cdb_desktop.vocabulary.times import Zone, in_zone

FIELDS = {"id": "_id", "time": "timestamp"}  # names of columns that the service names otherwise
# Besides info. No record contains the type of its user, which the service's CSV has.
_SERVICE_COLUMNS = (
    *SHORT_FIELDS,
    "pollable",
    "user_id",
    "user_generated_displayname",
    "session",
    "ipv4_address",
)
_OTHER_COLUMNS = ("group_id", "system_object_id")  # that only services without options of CSV have

ColumnValue = Callable[[Event, object], object]
_COMPOSED: Mapping[str, Callable[[Event], str]] = {
    "user": user_text,
    "object": object_text,
    "object_type": object_type,
    "ipv4_address": lambda event: event.address or "",
    SUMMARY: event_summary,
}


class RecordPage(msgspec.Struct, frozen=True):
    """A page of records by ascending id; some of them may be unreadable."""

    records: Sequence[Record]

    def __len__(self) -> int:
        return len(self.records)

    def count_known(self, overlap: PageOverlap) -> int:
        """How many rows have been written before."""
        return overlap.count_known(self.records)

    def first_after(self, last: int) -> int:
        """The first row of an event with an id above ``last``, the number of rows if no event follows."""
        beyond = (row for row, one in enumerate(self.records) if isinstance(one, Event) and one.id > last)
        return next(beyond, len(self.records))

    def ends(self, overlap: PageOverlap, rows: range) -> RowEnds:
        """The ends of ``rows``, which follow those up to ``overlap``."""
        records = self.slice(rows)
        events = readable_events(records)
        first = events[0].id if events else None
        return RowEnds(first, overlap.after(records), len(records) - len(events))

    def slice(self, rows: range) -> Sequence[Record]:
        """The records of ``rows``."""
        return self.records[rows.start : rows.stop]


class JsonLinesPage(RecordPage, frozen=True):
    """Whole records as JSON, one a line, secrets masked; unreadable ones as they came."""

    header: bytes = b""

    @property
    def columns(self) -> tuple[str, ...]:
        """Empty: each record has its own keys."""
        return ()

    def chunks(self, rows: range) -> Iterable[bytes]:
        """The rows as they are written, one by one."""
        return map(json_line, self.slice(rows))


class ColumnPage(RecordPage, frozen=True):
    """CSV in the columns that are visible in the table, which the service cannot choose; secrets masked.

    ``names`` are those columns from left to right. A column that is a field of the service has the service's
    name (§4.3) in the file; *user*, *object* and *summary* are composed of several fields. Times are in
    ``zone``. ``options`` apply as they do to the service's CSV, except that there is nothing to explode.
    """

    names: tuple[str, ...]
    options: CsvOptions
    zone: Zone = "utc"
    escapes_formulas: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles in the file."""
        return tuple(FIELDS.get(name, name) for name in self.names)

    @property
    def header(self) -> bytes:
        """The line of titles, preceded by a byte order mark depending on the options."""
        return (BOM if self.options.use_bom else b"") + self._dialect.record(self.columns)

    def chunks(self, rows: range) -> Iterable[bytes]:
        """The rows as they are written, in one piece."""
        return (self.body(rows),)

    def body(self, rows: range) -> bytes:
        """The rows as they are written."""
        cells = [column_value(name, self.zone) for name in self.names]
        needs_info = any(name.startswith(INFO) for name in self.names)
        values = (self._row(one, cells, needs_info=needs_info) for one in self.slice(rows))
        if self.escapes_formulas:
            return escape_formulas([self._dialect.record(row) for row in values], self._dialect)
        return self._dialect.records(values)

    @property
    def _dialect(self) -> CsvDialect:
        return CsvDialect(self.options.delimiter, self.options.quote, self.options.escape)

    def _row(self, record: Record, cells: Sequence[ColumnValue], *, needs_info: bool) -> list[str]:
        if isinstance(record, Event):
            info = masked(record.info_value) if needs_info and record.info is not None else None
            values = [cell(record, info) for cell in cells]
        else:
            values = unreadable_values(masked(record.value), self.names)
        longest = self.options.max_length or None
        return [csv_cell(value, self.options.explode_array_concat)[:longest] for value in values]


def event_csv_page(
    records: Sequence[Record], options: CsvOptions, *, is_first: bool = True, like_service: bool = True
) -> bytes:
    """A page of CSV with the service's columns, made of whole records; secrets masked.

    For events that were selected one by one, since the service's CSV has no filter by id, and with more
    columns for services whose CSV has no options. A byte order mark only precedes the first page.
    """
    columns = _SERVICE_COLUMNS if like_service else _SERVICE_COLUMNS + _OTHER_COLUMNS
    dialect = CsvDialect(options.delimiter, options.quote, options.escape)
    infos = [_info_cells(one, options) if isinstance(one, Event) else {} for one in records]
    names = sorted({name for info in infos for name in info}) if options.explode else ["info"]
    longest = options.max_length or None
    lines = [dialect.record([*columns, *names])]
    for record, info in zip(records, infos, strict=True):
        cells = [*_service_cells(record, columns), *(info.get(name, "") for name in names)]
        lines.append(dialect.record([cell[:longest] for cell in cells]))
    return (BOM if is_first and options.use_bom else b"") + b"".join(lines)


def csv_cell(value: object, separator: str | None = None) -> str:
    """A value as a cell of CSV; entries of a list are joined by ``separator``, without one it is JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and separator is not None:
        return separator.join(csv_cell(one, separator) for one in value)
    return msgspec.json.encode(value).decode()


def column_value(name: str, zone: Zone) -> ColumnValue:
    """A function that returns the value of a column from an event and its masked info."""
    if name.startswith(INFO):
        path = info_path(name)
        return lambda _event, info: value_at(info, path)
    if name == "time":
        return partial(_time, zone)
    composed = _COMPOSED.get(name)
    if composed is not None:
        return lambda event, _info: composed(event)
    return lambda event, _info: getattr(event, name)


def _time(zone: Zone, event: Event, _info: object) -> object:
    return event.timestamp and in_zone(event.timestamp, zone).isoformat()


def unreadable_values(value: object, names: Sequence[str]) -> list[object]:
    """The values under the fields of an unreadable record; composed columns stay empty."""
    event = value.get("event") if isinstance(value, Mapping) else None
    if not isinstance(event, Mapping):
        return [None] * len(names)
    return [
        value_at(event.get("info"), info_path(name))
        if name.startswith(INFO)
        else event.get(FIELDS.get(name, name))
        for name in names
    ]


def _service_cells(record: Record, columns: Sequence[str]) -> list[str]:
    if not isinstance(record, Event):
        return [csv_cell(value) for value in unreadable_values(masked(record.value), columns)]
    event = record
    values = {
        **msgspec.to_builtins(wire_record(event)).get("event", {}),
        "timestamp": event.timestamp.isoformat() if event.timestamp else None,
        "user_id": event.user_id,
        "group_id": event.group_id,
        "user_generated_displayname": event.user_displayname,
        "session": MASK if event.session_token else None,
        "ipv4_address": event.address,
    }
    return [csv_cell(values.get(name)) for name in columns]


def _info_cells(event: Event, options: CsvOptions) -> dict[str, str]:
    info = msgspec.to_builtins(wire_record(event)).get("event", {}).get("info")
    if options.explode and isinstance(info, Mapping):
        return _exploded(info, "info.", options.explode_array_concat)
    return {"info": "" if info is None else msgspec.json.encode(info).decode()}


def _exploded(value: Mapping[str, object], prefix: str, separator: str | None) -> dict[str, str]:
    """A cell for each key, nested keys with dots; an object whose columns are taken stays whole."""
    found: dict[str, str] = {}
    for key, inner in sorted(value.items(), key=lambda one: isinstance(one[1], Mapping)):
        name = prefix + key
        cells = _exploded(inner, f"{name}.", separator) if isinstance(inner, Mapping) and inner else {}
        found |= cells if cells and found.keys().isdisjoint(cells) else {name: csv_cell(inner, separator)}
    return found
