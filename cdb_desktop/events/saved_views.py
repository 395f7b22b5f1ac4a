"""Named views: a query with its order, and the columns it is looked at with; as a file to share. No I/O."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.events.query import Query

_FORMAT = "cdb-desktop-events-view"
VERSION = 1


class ColumnState(msgspec.Struct, frozen=True):
    """A column by its name, such as ``type`` or ``info.limit``; ``width`` in pixels, 0 for the usual one.

    ``pinned``: it stays at the left while others are scrolled; files of earlier programs do not say.
    """

    name: str
    width: int = 0
    shown: bool = True
    pinned: bool = False


class SavedView(msgspec.Struct, frozen=True):
    """What is looked at; ``columns`` are in the order of the screen, none means the usual ones."""

    name: str
    query: Query = Query()
    columns: tuple[ColumnState, ...] = ()


class _File(msgspec.Struct, frozen=True):
    format: str = ""
    version: int = 0
    view: msgspec.Raw = msgspec.Raw()


class ViewFileError(ValueError):
    """A file holds no view that this program can show."""


class NoViewError(ViewFileError):
    """It is no file of a view at all, or a broken one."""


class OtherVersionError(ViewFileError):
    """It was written by a program with another idea of a view."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


def as_file(view: SavedView) -> bytes:
    """The view as a file for others; it holds no secrets, and no names of users but their numbers."""
    whole = {"format": _FORMAT, "version": VERSION, "view": view}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def from_file(content: bytes) -> SavedView:
    """The view in a file. Raises NoViewError, OtherVersionError."""
    try:
        file = msgspec.json.decode(content, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NoViewError from error
    if file.format != _FORMAT:
        raise NoViewError
    if file.version != VERSION:
        raise OtherVersionError(file.version)
    try:
        return _checked(msgspec.json.decode(file.view, type=SavedView))
    except msgspec.MsgspecError as error:
        raise NoViewError from error


def encoded(views: tuple[SavedView, ...]) -> str:
    """Views as one text, to be kept."""
    return msgspec.json.encode(views).decode()


def decoded(text: str) -> tuple[SavedView, ...]:
    """The views of a text; what cannot be read is left out."""
    try:
        each = msgspec.json.decode(text or "[]", type=tuple[msgspec.Raw, ...])
    except msgspec.MsgspecError:
        return ()
    return tuple(view for raw in each if (view := _read(raw)) is not None)


def saved(views: tuple[SavedView, ...], view: SavedView) -> tuple[SavedView, ...]:
    """The views with this one among them, in the place of one that had its name, sorted by name."""
    others = [one for one in views if one.name != view.name]
    return tuple(sorted((*others, view), key=lambda one: one.name.casefold()))


def _read(raw: msgspec.Raw) -> SavedView | None:
    try:
        return _checked(msgspec.json.decode(raw, type=SavedView))
    except (msgspec.MsgspecError, NoViewError):
        return None


def _checked(view: SavedView) -> SavedView:
    """Orders that the service does not know would only be refused by it (§4.3)."""
    if not view.name.strip() or any(one.field not in SORT_FIELDS for one in view.query.sort):
        raise NoViewError
    span = view.query.span
    if any(bound is not None and bound.tzinfo is None for bound in (span.first, span.last)):
        raise NoViewError
    return replace(view, name=view.name.strip())
