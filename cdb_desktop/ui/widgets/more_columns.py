"""Columns of event tables that are shown on request: other fields, and values from info by their keys."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Event
from cdb_desktop.ui.widgets.event_columns import Column
from cdb_desktop.vocabulary.info_paths import path_of, value_at
from cdb_desktop.vocabulary.records import masked

_LARGE = 100_000  # bytes of info from which on decoding it for a cell would be felt
_MOST = 300  # characters of a cell


def more_columns() -> tuple[Column, ...]:
    """What a record has beside the usual columns, in the user's language."""
    translate = QCoreApplication.translate
    return (
        Column("basetype", translate("Columns", "Base type"), "collection", partial(_field, "basetype")),
        Column(
            "objecttype", translate("Columns", "Object type"), "objecttype", partial(_field, "objecttype")
        ),
        _figures("object_id", translate("Columns", "Object id"), "000000"),
        _figures("object_version", translate("Columns", "Version"), "v0000"),
        Column("schema", translate("Columns", "Schema"), "SCHEMA", partial(_field, "schema")),
        Column(
            "global_object_id",
            translate("Columns", "Global id"),
            "00000@instance",
            partial(_field, "global_object_id"),
        ),
        _figures("user_id", translate("Columns", "User id"), "User id 0"),
        _whole("pollable", translate("Columns", "Pollable"), "Pollable"),
        _whole("ipv4_address", translate("Columns", "IP address"), "255.255.255.255"),
    )


def info_column(name: str) -> Column:
    """The value under a key such as ``info.search.0.string``; its title is the key."""
    path = path_of(name)
    return Column(
        name, name, "a value of usual width", partial(_info, path), partial(_info, path), whole=True
    )


def info_value(event: Event, path: list[str]) -> object:
    """What info has under a path, secrets masked; None where it has nothing."""
    if event.info is None or len(bytes(event.info)) > _LARGE:
        return None
    return value_at(masked(event.info_value), path)


def _figures(name: str, title: str, sample: str) -> Column:
    return Column(name, title, sample, partial(_field, name), figures=True)


def _whole(name: str, title: str, sample: str) -> Column:
    return Column(name, title, sample, partial(_field, name), whole=True)


def _field(name: str, event: Event) -> str:
    return _told(getattr(event, name))


def _info(path: list[str], event: Event) -> str:
    return _told(info_value(event, path))


def _told(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return " ".join(text[:_MOST].split())
