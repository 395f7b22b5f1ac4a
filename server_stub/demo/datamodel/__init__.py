"""The museum's datamodel: three committed versions and a HEAD that differs; knows no database."""

from __future__ import annotations

from server_stub.demo.datamodel.authorities import (
    ARTIST,
    BIBLIOGRAPHY,
    INSTITUTION,
    KEYWORD,
    MATERIAL,
    PLACE,
    STORAGE_LOCATION,
    TECHNIQUE,
)
from server_stub.demo.datamodel.business import CONDITION_REPORT, EXHIBITION, LOAN, RESTORATION, TOUR
from server_stub.demo.datamodel.collection import IMAGE, WORK
from server_stub.demo.datamodel.document import (
    ENGLISH,
    GERMAN,
    Document,
    document,
    localized_names,
    table_names,
)

__all__ = [
    "CURRENT_VERSION",
    "ENGLISH",
    "GERMAN",
    "HEAD_VERSION",
    "Document",
    "museum_document",
    "museum_names",
    "museum_tables",
    "objecttypes",
]

CURRENT_VERSION = 3
HEAD_VERSION = 4

_MUSEUM = (
    WORK,
    IMAGE,
    ARTIST,
    PLACE,
    MATERIAL,
    TECHNIQUE,
    KEYWORD,
    STORAGE_LOCATION,
    INSTITUTION,
    BIBLIOGRAPHY,
    EXHIBITION,
    LOAN,
    CONDITION_REPORT,
    TOUR,
    RESTORATION,
)


def museum_document(version: int, before: Document | None) -> Document:
    """The document to post so that HEAD becomes this version; `before` is HEAD as it was read."""
    return document(_MUSEUM, version, before)


def museum_names(version: int = HEAD_VERSION) -> dict[str, dict[str, str]]:
    """The localised names of a version (wire §5 `keys`): {key: {language: text}}."""
    return localized_names(_MUSEUM, version)


def objecttypes(version: int) -> tuple[str, ...]:
    """The names of a version's tables, nested ones left out."""
    return tuple(piece.name for piece in _MUSEUM if piece.life.covers(version))


def museum_tables(version: int) -> list[str]:
    """The names of all tables of a version, nested ones included."""
    return table_names(_MUSEUM, version)
