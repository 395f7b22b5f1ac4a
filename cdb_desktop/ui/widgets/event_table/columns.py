"""Columns of event tables: definitions, the optional ones, and their stored state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QByteArray, QCoreApplication, QSettings
from PySide6.QtWidgets import QHeaderView

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.vocabulary.event_json import info_path, masked, value_at
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.event_types import EventFamily, family_of
from cdb_desktop.vocabulary.times import clock_time, day_and_time, exact_time


def _nothing(_event: Event) -> str:
    return ""


def _no_family(_event: Event) -> EventFamily | None:
    return None


class EventColumn(msgspec.Struct, frozen=True):
    """One column; ``sample`` is as wide as its usual content, ``figures`` are set right and muted.

    ``whole`` events are needed for it: the short ones (wire §3) have nothing to show there.
    """

    name: str
    title: str
    sample: str
    text: Callable[[Event], str]
    tooltip: Callable[[Event], str] = _nothing
    family: Callable[[Event], EventFamily | None] = _no_family
    figures: bool = False
    fills: bool = False
    whole: bool = False


def _id(event: Event) -> str:
    return number_text(event.id)


def _family(event: Event) -> EventFamily | None:
    return family_of(event.type)


def _type(event: Event) -> str:
    return event.type


def _time(event: Event) -> str:
    return day_and_time(event.timestamp)


def _clock(event: Event) -> str:
    return clock_time(event.timestamp)


def _exact(event: Event) -> str:
    return exact_time(event.timestamp)


def browser_columns() -> tuple[EventColumn, ...]:
    """The columns of the event browser, in the user's language."""
    time = EventColumn(
        "time", QCoreApplication.translate("Columns", "Time"), "0000-00-00 00:00:00", _time, _exact
    )
    return (_id_column(), time, *_what_columns())


def feed_columns() -> tuple[EventColumn, ...]:
    """The columns of the live feed, where the day is known."""
    clock = EventColumn("clock", QCoreApplication.translate("Columns", "Time"), "00:00:00", _clock, _exact)
    return (_id_column(), clock, *_what_columns())


def _id_column() -> EventColumn:
    # Room for the number of a mark before it: a mark's 2 beside 1,000,000 must not be read as one number.
    return EventColumn("id", QCoreApplication.translate("Columns", "Id"), "00,000,000", _id, figures=True)


def _what_columns() -> tuple[EventColumn, ...]:
    translate = QCoreApplication.translate
    return (
        EventColumn("type", translate("Columns", "Type"), "XX RESOURCE_NOT_AVAILABLE", _type, family=_family),
        EventColumn("user", translate("Columns", "User"), "Alexandra Someone-Name", user_text),
        EventColumn(
            "object", translate("Columns", "Object"), "objecttype 00000 v00", object_text, fills=True
        ),
    )


_LARGE = 100_000  # bytes of info from which on decoding it for a cell would be felt
_MOST = 300  # characters of a cell


def more_columns() -> tuple[EventColumn, ...]:
    """What a record has beside the usual columns, in the user's language."""
    translate = QCoreApplication.translate
    return (
        EventColumn("basetype", translate("Columns", "Base type"), "collection", partial(_field, "basetype")),
        EventColumn(
            "objecttype", translate("Columns", "Object type"), "objecttype", partial(_field, "objecttype")
        ),
        _figures("object_id", translate("Columns", "Object id"), "000000"),
        _figures("object_version", translate("Columns", "Version"), "v0000"),
        EventColumn("schema", translate("Columns", "Schema"), "SCHEMA", partial(_field, "schema")),
        EventColumn(
            "global_object_id",
            translate("Columns", "Global id"),
            "00000@instance",
            partial(_field, "global_object_id"),
        ),
        _figures("user_id", translate("Columns", "User id"), "User id 0"),
        _whole("pollable", translate("Columns", "Pollable"), "Pollable"),
        _whole("ipv4_address", translate("Columns", "IP address"), "255.255.255.255"),
    )


def info_column(name: str) -> EventColumn:
    """The value under a key such as ``info.search.0.string``; its title is the key."""
    path = info_path(name)
    return EventColumn(
        name, name, "a value of usual width", partial(_info, path), partial(_info, path), whole=True
    )


def info_value(event: Event, path: list[str]) -> object:
    """What info has under a path, secrets masked; None where it has nothing."""
    if event.info is None or len(bytes(event.info)) > _LARGE:
        return None
    return value_at(masked(event.info_value), path)


def _figures(name: str, title: str, sample: str) -> EventColumn:
    return EventColumn(name, title, sample, partial(_field, name), figures=True)


def _whole(name: str, title: str, sample: str) -> EventColumn:
    return EventColumn(name, title, sample, partial(_field, name), whole=True)


def _field(name: str, event: Event) -> str:
    return _told(getattr(event, name))


def _info(path: list[str], event: Event) -> str:
    return _told(info_value(event, path))


def _told(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return " ".join(text[:_MOST].split())


def _always() -> bool:
    return True


def persist_columns(
    header: QHeaderView, settings: QSettings, key: str, when: Callable[[], bool] = _always
) -> None:
    """Puts the columns as they were and writes every change down under ``key``, while ``when`` says so."""
    kept = settings.value(key)
    if isinstance(kept, QByteArray):
        header.restoreState(kept)

    def write() -> None:
        if when():
            settings.setValue(key, header.saveState())

    header.sectionResized.connect(write)
    header.sectionMoved.connect(write)


def fit_widths(room: int, wanted: Sequence[int], least: Sequence[int], sign: int) -> list[int]:
    """Widths that fill ``room`` pixels at most: as wanted, else each gives its part down to the least.

    Where that is too much, the first one keeps room for a ``sign`` only; where it still is, all are cut.
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
