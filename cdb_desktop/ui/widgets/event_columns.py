"""The columns of event tables as a list of definitions; knows no model and no view."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.vocabulary.families import Family, family_of
from cdb_desktop.vocabulary.references import object_of, user_of
from cdb_desktop.vocabulary.times import clock_time, day_and_time, exact_time


def _nothing(_event: Event) -> str:
    return ""


def _no_family(_event: Event) -> Family | None:
    return None


class Column(msgspec.Struct, frozen=True):
    """One column; ``sample`` is as wide as its usual content, ``figures`` are set right and muted.

    ``whole`` events are needed for it: the short ones (wire §3) have nothing to show there.
    """

    name: str
    title: str
    sample: str
    text: Callable[[Event], str]
    tooltip: Callable[[Event], str] = _nothing
    family: Callable[[Event], Family | None] = _no_family
    figures: bool = False
    fills: bool = False
    whole: bool = False


def _id(event: Event) -> str:
    return number_text(event.id)


def _family(event: Event) -> Family | None:
    return family_of(event.type)


def _type(event: Event) -> str:
    return event.type


def _time(event: Event) -> str:
    return day_and_time(event.timestamp)


def _clock(event: Event) -> str:
    return clock_time(event.timestamp)


def _exact(event: Event) -> str:
    return exact_time(event.timestamp)


def browser_columns() -> tuple[Column, ...]:
    """The columns of the event browser, in the user's language."""
    time = Column("time", QCoreApplication.translate("Columns", "Time"), "0000-00-00 00:00:00", _time, _exact)
    return (_id_column(), time, *_what_columns())


def feed_columns() -> tuple[Column, ...]:
    """The columns of the live feed, where the day is known."""
    clock = Column("clock", QCoreApplication.translate("Columns", "Time"), "00:00:00", _clock, _exact)
    return (_id_column(), clock, *_what_columns())


def _id_column() -> Column:
    # Room for the number of a mark before it: a mark's 2 beside 1,000,000 must not be read as one number.
    return Column("id", QCoreApplication.translate("Columns", "Id"), "00,000,000", _id, figures=True)


def _what_columns() -> tuple[Column, ...]:
    translate = QCoreApplication.translate
    return (
        Column("type", translate("Columns", "Type"), "XX RESOURCE_NOT_AVAILABLE", _type, family=_family),
        Column("user", translate("Columns", "User"), "Alexandra Someone-Name", user_of),
        Column("object", translate("Columns", "Object"), "objecttype 00000 v00", object_of, fills=True),
    )
