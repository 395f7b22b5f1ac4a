"""One page of records as CSV in the columns that are on screen, which the service cannot choose. No I/O.

Names are those of the service where a column is one of its fields (§4.3), so that whoever reads both kinds of
files meets the same ones; user and object are what the screen makes of several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from cdb_desktop.client import CsvOptions, Event, Record
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export.csv_page import BOM, CsvDialect, escape_formulas
from cdb_desktop.events.paging import PageOverlap, RowEnds
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
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.times import Zone, in_zone

_FIELDS = {"id": "_id", "time": "timestamp"}
_WHOLE = ("pollable", "ipv4_address")

Cell = Callable[[Event, object], object]


class RecordPage(msgspec.Struct, frozen=True):
    """Where the page goes on after the one before it, also among records that cannot be read."""

    records: Sequence[Record]

    def __len__(self) -> int:
        return len(self.records)

    def known(self, seam: PageOverlap) -> int:
        """How many rows have come before."""
        return seam.known(self.records)

    def first_after(self, last: int) -> int:
        """The first row of an event with an id above ``last``; the number of rows if there is none."""
        beyond = (row for row, one in enumerate(self.records) if isinstance(one, Event) and one.id > last)
        return next(beyond, len(self.records))

    def ends(self, seam: PageOverlap, chosen: range) -> RowEnds:
        """Where the chosen rows begin and end, after those up to ``seam``."""
        records = self.chosen(chosen)
        events = readable_events(records)
        first = events[0].id if events else None
        return RowEnds(first, seam.then(records), len(records) - len(events))

    def chosen(self, rows: range) -> Sequence[Record]:
        """The records of some rows."""
        return self.records[rows.start : rows.stop]


class ColumnPage(RecordPage, frozen=True):
    """``names`` are those of the columns on screen, from left to right; times are told in ``zone``.

    The options hold as for the service's own CSV, but that there is nothing to explode: a column is one key.
    """

    names: tuple[str, ...]
    options: CsvOptions
    zone: Zone = "utc"
    guard: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles."""
        return tuple(_FIELDS.get(name, name) for name in self.names)

    @property
    def header(self) -> bytes:
        """The line of titles, after a byte order mark if there is to be one."""
        return (BOM if self.options.use_bom else b"") + self._dialect.record(self.columns)

    def pieces(self, chosen: range) -> Iterable[bytes]:
        """The chosen rows, secrets masked."""
        return (self.body(chosen),)

    def body(self, chosen: range) -> bytes:
        """The chosen rows, secrets masked."""
        cells = [_cell_of(name, self.zone) for name in self.names]
        looks_in = any(name.startswith(INFO) for name in self.names)
        rows = (self._row(one, cells, looks_in=looks_in) for one in self.chosen(chosen))
        if self.guard:
            return escape_formulas([self._dialect.record(row) for row in rows], self._dialect)
        return self._dialect.records(rows)

    @property
    def _dialect(self) -> CsvDialect:
        return CsvDialect(self.options.delimiter, self.options.quote, self.options.escape)

    def _row(self, record: Record, cells: Sequence[Cell], *, looks_in: bool) -> list[str]:
        if isinstance(record, Event):
            info = masked(record.info_value) if looks_in and record.info is not None else None
            values = [cell(record, info) for cell in cells]
        else:
            values = _as_far_as_known(masked(record.value), self.names)
        longest = self.options.max_length or None
        return [csv_cell(value, self.options.explode_array_concat)[:longest] for value in values]


def needs_whole_records(names: Sequence[str]) -> bool:
    """Whether short records (wire §3) have too little for these columns."""
    return any(name in _WHOLE or name.startswith(INFO) for name in names)


def _cell_of(name: str, zone: Zone) -> Cell:
    if name.startswith(INFO):
        path = info_path(name)
        return lambda _event, info: value_at(info, path)
    if name == "time":
        return partial(_moment, zone)
    composed = {"user": user_text, "object": object_text}.get(name)
    if composed is not None:
        return lambda event, _info: composed(event)
    return lambda event, _info: getattr(event, name)


def _moment(zone: Zone, event: Event, _info: object) -> object:
    return event.timestamp and in_zone(event.timestamp, zone).isoformat()


def _as_far_as_known(value: object, names: Sequence[str]) -> list[object]:
    """What stands under the fields of a record that is no event; what the screen composes is not guessed."""
    event = value.get("event") if isinstance(value, Mapping) else None
    if not isinstance(event, Mapping):
        return [None] * len(names)
    return [
        value_at(event.get("info"), info_path(name))
        if name.startswith(INFO)
        else event.get(_FIELDS.get(name, name))
        for name in names
    ]


_OF_EVENT = (*SHORT_FIELDS, "pollable")
_OF_USER = ("user_id", "user_generated_displayname")
COLUMNS = (*_OF_EVENT, *_OF_USER, "session", "ipv4_address")  # and info; no record has the type of its user


def event_csv_page(events: Sequence[Event], options: CsvOptions, *, is_first: bool = True) -> bytes:
    """Header and rows in the service's columns, secrets masked; a byte order mark goes before the first."""
    dialect = CsvDialect(options.delimiter, options.quote, options.escape)
    infos = [_info(event, options) for event in events]
    names = sorted({name for info in infos for name in info}) if options.explode else ["info"]
    longest = options.max_length or None
    lines = [dialect.record([*COLUMNS, *names])]
    for event, info in zip(events, infos, strict=True):
        cells = [*_cells(event), *(info.get(name, "") for name in names)]
        lines.append(dialect.record([cell[:longest] for cell in cells]))
    return (BOM if is_first and options.use_bom else b"") + b"".join(lines)


def _cells(event: Event) -> list[str]:
    told = msgspec.to_builtins(wire_record(event)).get("event", {})
    known = {
        **told,
        "timestamp": event.timestamp.isoformat() if event.timestamp else None,
        "user_id": event.user_id,
        "user_generated_displayname": event.user_displayname,
        "session": MASK if event.session_token else None,
    }
    return [csv_cell(known.get(name)) for name in COLUMNS]


def _info(event: Event, options: CsvOptions) -> dict[str, str]:
    info = msgspec.to_builtins(wire_record(event)).get("event", {}).get("info")
    if options.explode and isinstance(info, Mapping):
        return _leaves(info, "info.", options.explode_array_concat)
    return {"info": "" if info is None else msgspec.json.encode(info).decode()}


def _leaves(value: Mapping[str, object], prefix: str, between: str | None) -> dict[str, str]:
    """One key a column, nested keys dotted; an object whose column is taken stays whole."""
    found: dict[str, str] = {}
    for key, inner in sorted(value.items(), key=lambda one: isinstance(one[1], Mapping)):
        name = prefix + key
        leaves = _leaves(inner, f"{name}.", between) if isinstance(inner, Mapping) and inner else {}
        found |= leaves if leaves and found.keys().isdisjoint(leaves) else {name: csv_cell(inner, between)}
    return found


def csv_cell(value: object, between: str | None = None) -> str:
    """A value as CSV holds it; the entries of a list are joined by ``between``, else it stays a list."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and between is not None:
        return between.join(csv_cell(one, between) for one in value)
    return msgspec.json.encode(value).decode()


class JsonLinesPage(RecordPage, frozen=True):
    """There is no header. What cannot be read is written as it came."""

    header: bytes = b""

    @property
    def rows(self) -> Sequence[bytes]:
        """The records as lines."""
        return [json_line(one) for one in self.records]

    @property
    def columns(self) -> tuple[str, ...]:
        """None: each record tells its own."""
        return ()

    def pieces(self, chosen: range) -> Iterable[bytes]:
        """The chosen records, secrets masked."""
        return map(json_line, self.chosen(chosen))
