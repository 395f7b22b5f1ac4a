"""Named views: a query with its order, the columns it is looked at with, and the search in it. No I/O."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from cdb_desktop.events.query import Query, can_be_asked
from cdb_desktop.vocabulary.pattern import Kind

LONGEST_NAME = 60  # characters: it stands in menus and beside the filters
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
    kind: Kind = Kind.TEXT
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
    except msgspec.MsgspecError:
        return None
    return view if view.name and can_be_asked(view.query) else None
