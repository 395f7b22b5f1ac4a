"""Named views: a query with its order, the columns it is looked at with, and the search in it; their file."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from filelock import BaseFileLock
from msgspec.structs import replace

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.query import Query, can_be_asked
from cdb_desktop.foundation.files import lock_of, set_aside, write_whole
from cdb_desktop.vocabulary.pattern import PatternKind

LONGEST_NAME = 60  # characters: it stands in menus and beside the filters
_PATIENCE = 5.0  # seconds for another program that is writing
_WIDTHS = range(24, 2001)  # pixels; beyond them a column or all those after it could not be seen


class ColumnState(msgspec.Struct, frozen=True):
    """A column by its name, such as ``type`` or ``info.limit``; ``width`` in pixels, 0 for the usual one.

    ``pinned``: it stays at the left while others are scrolled; files of earlier programs do not say.
    """

    name: str
    width: int = 0
    shown: bool = True
    pinned: bool = False


class SavedSearch(msgspec.Struct, frozen=True):
    """A search as it was typed: in the rows of the query, those that were loaded, or the whole log."""

    text: str
    kind: PatternKind = PatternKind.TEXT
    exact: bool = False
    scope: Literal["result", "loaded", "log"] = "result"


class SavedView(msgspec.Struct, frozen=True):
    """What is looked at; ``columns`` are in the order of the screen, none means the usual ones.

    ``search`` is the one that was open; files of earlier programs have none.
    """

    name: str
    query: Query = Query()
    columns: tuple[ColumnState, ...] = ()
    search: SavedSearch | None = None


def encoded(views: tuple[SavedView, ...]) -> str:
    """Views as one text, to be kept."""
    return msgspec.json.encode(views).decode()


class _Decoded(msgspec.Struct, frozen=True):
    """The views of a text; ``is_damaged``: at least a part of it could not be read."""

    views: tuple[SavedView, ...] = ()
    is_damaged: bool = False


def decoded(text: str) -> tuple[SavedView, ...]:
    """The views of a text; what cannot be read is left out."""
    return _decoded(text or "[]").views


def _decoded(text: str | bytes) -> _Decoded:
    try:
        each = msgspec.json.decode(text, type=tuple[msgspec.Raw, ...])
    except BROKEN:
        return _Decoded(is_damaged=True)
    views = tuple(view for raw in each if (view := _read(raw)) is not None)
    return _Decoded(views, len(views) < len(each))


class ViewStore:
    """The views of one profile in a file that several programs may change at the same time.

    ``earlier`` is what an earlier version has kept elsewhere: it counts until there is a file.
    """

    def __init__(self, file: Path, earlier: Callable[[], str] = str) -> None:
        self._file, self._earlier = file, earlier

    def read(self) -> tuple[SavedView, ...]:
        """The views as they are now; a damaged file is set aside first. Raises OSError."""
        content = self._content()
        found = _decoded(content)
        if not found.is_damaged:
            return found.views
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._lock():
            content = self._content()
            found = _decoded(content)
            if found.is_damaged:
                self._set_aside(content)
                write_whole(self._file, encoded(found.views).encode())
        return found.views

    def change(self, change: Callable[[tuple[SavedView, ...]], tuple[SavedView, ...]]) -> None:
        """Applies a change to the views as they are now, also those of other programs. Raises OSError."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self.read()
        with self._lock():
            before = _decoded(self._content()).views
            write_whole(self._file, encoded(change(before)).encode())

    def _content(self) -> bytes:
        try:
            return self._file.read_bytes()
        except FileNotFoundError:
            return self._earlier().encode("utf-8", "replace") or b"[]"

    def _set_aside(self, content: bytes) -> None:
        if not self._file.exists():
            write_whole(self._file, content)
        if set_aside(self._file, "views that cannot be read") is None:
            # What is damaged is never overwritten.
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(self._file))

    def _lock(self) -> BaseFileLock:
        return lock_of(self._file, _PATIENCE)


def saved(views: tuple[SavedView, ...], view: SavedView) -> tuple[SavedView, ...]:
    """The views with this one among them, in the place of one that had its name, sorted by name."""
    others = [one for one in views if one.name != view.name]
    return tuple(sorted((*others, view), key=lambda one: one.name.casefold()))


def added(views: tuple[SavedView, ...], view: SavedView) -> SavedView:
    """The view under a name that none of another content has: ``name (2)`` where it is taken."""
    taken = {one.name: one for one in views}
    name, number = view.name, 1
    while name in taken and taken[name] != replace(view, name=name):
        number += 1
        end = f" ({number})"
        name = one_line(view.name, LONGEST_NAME - len(end)) + end
    return replace(view, name=name)


def sound(view: SavedView) -> SavedView:
    """What anybody may have written as it can be shown: a name of one line, columns that can be seen."""
    return replace(view, name=one_line(view.name), columns=sound_columns(view.columns))


def sound_columns(columns: tuple[ColumnState, ...]) -> tuple[ColumnState, ...]:
    """Each column once; one of a width that nobody has drawn has its usual one."""
    found: dict[str, ColumnState] = {}
    for state in columns:
        found.setdefault(state.name, state)
    return tuple(state if state.width in _WIDTHS else replace(state, width=0) for state in found.values())


def one_line(name: str, most: int = LONGEST_NAME) -> str:
    """A name without what breaks lines or is not seen, cut where it is too long."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"


def _read(raw: msgspec.Raw) -> SavedView | None:
    try:
        view = sound(msgspec.json.decode(raw, type=SavedView))
    except BROKEN:
        return None
    return view if view.name and can_be_asked(view.query) else None
