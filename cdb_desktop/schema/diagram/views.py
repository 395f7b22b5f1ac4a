"""What is stored of a diagram beside its arrangement: named views, and where new tables of a draft are.

The service does not know these tables, so they are not in the stored arrangement, which users share. Their
keys are never the same twice, and a draft keeps them: so a draft that is restored after a crash finds its
places, whatever was done in between, and places of discarded drafts are never used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

import msgspec
from msgspec.structs import replace

from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Point
from cdb_desktop.schema.document.model import Document


class Viewport(msgspec.Struct, frozen=True):
    """What is visible of a diagram: pixels per unit, and the point in the middle."""

    zoom: float
    center: Point


class ViewTable(msgspec.Struct, frozen=True, array_like=True):
    """A table of a view, or the box of a collapsed group.

    The name finds a table again if it had no id yet when the view was saved.
    """

    key: int
    name: str
    position: Point


class NamedView(msgspec.Struct, frozen=True):
    """A view under its name; ``id`` is that of this view only.

    ``tables`` are those that it shows; if it shows ``everything``, also all tables that are added later.
    """

    id: int
    name: str
    everything: bool
    tables: tuple[ViewTable, ...]
    viewport: Viewport

    def positions(self, document: Document) -> dict[int, Point]:
        """The positions by the keys that the tables have in the document, also of removed tables."""
        names = {table.name: table.key for table in document.tables}
        found: dict[int, Point] = {}
        for table in self.tables:
            key = table.key
            if key < 0 and key not in document.by_key:
                key = names.get(table.name, key)
            found[key] = table.position
        return found

    def renumbered(self, tables: Mapping[int, int]) -> NamedView:
        """With the ids of tables that saving assigned, by the keys before."""
        moved = (replace(table, key=tables.get(table.key, table.key)) for table in self.tables)
        return replace(self, tables=tuple(moved))


def saved_tables(
    document: Document, tables: Collection[int], positions: Mapping[int, Point]
) -> tuple[ViewTable, ...]:
    """The tables for a view."""
    return tuple(
        ViewTable(key, document.by_key[key].name if key in document.by_key else "", positions[key])
        for key in sorted(tables)
        if key in positions
    )


def with_view(views: Collection[NamedView], view: NamedView) -> tuple[NamedView, ...]:
    """The views with this one, in place of one with the same id or name; sorted by name."""
    others = (one for one in views if one.id != view.id and one.name != view.name)
    return tuple(sorted((*others, view), key=lambda one: one.name.casefold()))


def without_view(views: Collection[NamedView], id_: int) -> tuple[NamedView, ...]:
    """The views without one."""
    return tuple(view for view in views if view.id != id_)


def unused_id(views: Collection[NamedView]) -> int:
    """An id that no view has."""
    return max((view.id for view in views), default=0) + 1


class DraftPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The position of a new table, the name and color of its group ("": none), and whether it is folded."""

    position: Point
    group: str = ""
    color: int = 0
    is_folded: bool = False


def draft_places(arrangement: Arrangement) -> dict[int, DraftPlace]:
    """The places of all new tables, by their keys."""
    by_table, folded = arrangement.groups.by_table, arrangement.folded
    found: dict[int, DraftPlace] = {}
    for table, position in arrangement.positions.items():
        if table > 0 or group_of_box(table) is not None:
            continue
        group = by_table.get(table)
        name, color = ("", 0) if group is None else (group.name, group.color)
        found[table] = DraftPlace(position, name, color, table in folded)
    return found


def with_draft_places(arrangement: Arrangement, places: Mapping[int, DraftPlace]) -> Arrangement:
    """With new tables at their places, in the groups with the same names; missing groups are made again."""
    groups = arrangement.groups
    by_group: dict[str, list[int]] = defaultdict(list)
    for table, place in places.items():
        by_group[place.group].append(table)
    by_group.pop("", None)
    for name, tables in by_group.items():
        key = next((group.key for group in groups if group.name == name), None)
        if key is None:
            groups = groups.with_new(name, tables, places[tables[0]].color)
        else:
            groups = groups.assigned(tables, key)
    found = arrangement.moved({table: place.position for table, place in places.items()})
    folded = {table for table, place in places.items() if place.is_folded}
    return Arrangement(found.positions, groups, found.folded | folded)
