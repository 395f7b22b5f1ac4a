"""Columns of event tables: definitions, the optional ones, and their stored state."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

import msgspec
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QHeaderView

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import language, number_text, tr
from cdb_desktop.vocabulary.event_json import info_path, masked, value_at
from cdb_desktop.vocabulary.event_summary import SUMMARY, event_summary
from cdb_desktop.vocabulary.event_types import EventFamily, family_of, object_text, user_text
from cdb_desktop.vocabulary.pattern import type_in_words
from cdb_desktop.vocabulary.times import clock_time, day_and_time, exact_time

TYPE = "type"
_LARGE = 100_000  # bytes of info; decoding more for a cell is noticeable
_MOST = 300  # characters of a cell


class EventColumn(msgspec.Struct, frozen=True):
    """A column of an event table.

    ``sample`` is as wide as usual content. ``figures`` are aligned right and muted. ``fills`` takes the rest
    of the width. ``ends``: texts that do not fit lose their middle. ``whole`` needs full records (wire §3).
    ``detailed`` shows more of full records, which are fetched for visible rows only.
    """

    name: str
    title: str
    sample: str
    text: Callable[[Event], str]
    tooltip: Callable[[Event], str] = lambda _event: ""
    family: Callable[[Event], EventFamily | None] = lambda _event: None
    figures: bool = False
    fills: bool = False
    ends: bool = False
    whole: bool = False
    detailed: bool = False


def _type_in_words(event: Event) -> str:
    words = type_in_words(event.type, language())
    return f"{event.type}: {words}" if words else ""


def browser_columns() -> tuple[EventColumn, ...]:
    """The columns of the event browser."""
    time = _time_column("time", "0000-00-00 00:00:00", day_and_time)
    return (_id_column(), time, *_what_columns())


def feed_columns() -> tuple[EventColumn, ...]:
    """The columns of the live feed, which shows the time without the day."""
    return (_id_column(), _time_column("clock", "00:00:00", clock_time), *_what_columns())


def _time_column(name: str, sample: str, text: Callable[[datetime | None], str]) -> EventColumn:
    return EventColumn(
        name,
        tr("Time"),
        sample,
        lambda event: text(event.timestamp),
        lambda event: exact_time(event.timestamp),
    )


def _id_column() -> EventColumn:
    # Wide enough for the number of a mark before the id.
    return EventColumn("id", tr("Id"), "00,000,000", lambda event: number_text(event.id), figures=True)


def _what_columns() -> tuple[EventColumn, ...]:
    return (
        EventColumn(
            TYPE,
            tr("Type"),
            "XX RESOURCE_NOT_AVAILABLE",
            lambda event: event.type,
            _type_in_words,
            family=lambda event: family_of(event.type),
        ),
        EventColumn("user", tr("User"), "Alexandra Someone-Name", user_text),
        EventColumn("object", tr("Object"), "objecttype 00000 v00", object_text, object_text, ends=True),
        EventColumn(
            SUMMARY,
            tr("Summary"),
            "What the event is about, in some words of one line",
            event_summary,
            event_summary,
            fills=True,
            detailed=True,
        ),
    )


def more_columns() -> tuple[EventColumn, ...]:
    """The optional columns: all other fields of a record."""
    return (
        EventColumn("basetype", tr("Base type"), "collection", partial(_field, "basetype")),
        EventColumn("objecttype", tr("Object type"), "objecttype", partial(_field, "objecttype")),
        _figures("object_id", tr("Object id"), "000000"),
        _figures("object_version", tr("Version"), "v0000"),
        EventColumn("schema", tr("Schema"), "SCHEMA", partial(_field, "schema")),
        EventColumn(
            "global_object_id",
            tr("Global id"),
            "00000@instance",
            partial(_field, "global_object_id"),
        ),
        _figures("user_id", tr("User id"), "User id 0"),
        _whole("pollable", tr("Pollable"), "Pollable"),
        _whole("ipv4_address", tr("IP address"), "255.255.255.255", "address"),
        _whole("system_object_id", tr("System object id"), "System object id"),
    )


def info_column(name: str) -> EventColumn:
    """An optional column for the path of a value in info, such as ``info.search.0.string``."""
    path = info_path(name)
    return EventColumn(
        name, name, "a value of usual width", partial(_info, path), partial(_info, path), whole=True
    )


def info_value(event: Event, path: list[str]) -> object:
    """The value at a path of info, secrets masked; None if it is missing or info is very large."""
    if event.info is None or len(bytes(event.info)) > _LARGE:
        return None
    return value_at(masked(event.info_value), path)


def _figures(name: str, title: str, sample: str) -> EventColumn:
    return EventColumn(name, title, sample, partial(_field, name), figures=True)


def _whole(name: str, title: str, sample: str, field: str = "") -> EventColumn:
    return EventColumn(name, title, sample, partial(_field, field or name), whole=True)


def _field(name: str, event: Event) -> str:
    return _cell_text(getattr(event, name))


def _info(path: list[str], event: Event) -> str:
    return _cell_text(info_value(event, path))


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return " ".join(text[:_MOST].split())


def persist_columns(header: QHeaderView, settings: QSettings, key: str, when: Callable[[], bool]) -> None:
    """Restores the columns from ``key`` and stores changes there while ``when`` returns True."""
    state = settings.value(key)
    if isinstance(state, QByteArray):
        header.restoreState(state)

    def write() -> None:
        if when():
            settings.setValue(key, header.saveState())

    header.sectionResized.connect(write)
    header.sectionMoved.connect(write)


def fit_widths(room: int, wanted: Sequence[int], least: Sequence[int], sign: int) -> list[int]:
    """Column widths of at most ``room`` pixels in all: as wanted, else shrunk towards ``least``.

    If that is too much, the first column gets ``sign`` pixels; if it still is, all are narrower
    than ``least``.
    """
    spare = room - sum(least)
    over = [more - less for more, less in zip(wanted, least, strict=True)]
    if spare >= sum(over):
        return list(wanted)
    if spare >= 0:
        return [less + more * spare // sum(over) for less, more in zip(least, over, strict=True)]
    if least[0] > sign:
        return fit_widths(room, [sign, *wanted[1:]], [sign, *least[1:]], sign)
    return [less * room // sum(least) for less in least]
