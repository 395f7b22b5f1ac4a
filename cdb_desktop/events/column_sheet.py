"""One page of records as CSV in the columns that are on screen, which the service cannot choose. No I/O.

Names are those of the service where a column is one of its fields (§4.3), so that whoever reads both kinds of
files meets the same ones; user and object are what the screen makes of several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from cdb_desktop.client import CsvOptions, Event, Record
from cdb_desktop.events.guard import guarded
from cdb_desktop.events.record_page import RecordPage
from cdb_desktop.events.record_sheet import as_cell
from cdb_desktop.events.sheet import BOM, Dialect
from cdb_desktop.vocabulary.event_json import INFO, info_path, masked, value_at
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.times import Zone, in_zone

_FIELDS = {"id": "_id", "time": "timestamp"}
_WHOLE = ("pollable", "ipv4_address")

Cell = Callable[[Event, object], object]


class ColumnSheet(RecordPage, frozen=True):
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
            return guarded([self._dialect.record(row) for row in rows], self._dialect)
        return self._dialect.records(rows)

    @property
    def _dialect(self) -> Dialect:
        return Dialect(self.options.delimiter, self.options.quote, self.options.escape)

    def _row(self, record: Record, cells: Sequence[Cell], *, looks_in: bool) -> list[str]:
        if isinstance(record, Event):
            info = masked(record.info_value) if looks_in and record.info is not None else None
            values = [cell(record, info) for cell in cells]
        else:
            values = _as_far_as_known(masked(record.value), self.names)
        longest = self.options.max_length or None
        return [as_cell(value, self.options.explode_array_concat)[:longest] for value in values]


def needs_whole(names: Sequence[str]) -> bool:
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
