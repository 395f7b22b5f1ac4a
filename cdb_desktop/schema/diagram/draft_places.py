"""Where the new tables of a draft are in the diagram.

The service does not know these tables, so they are not in the stored arrangement, which users share. Their
keys are never the same twice, and a draft keeps them: so a draft that is restored after a crash finds its
places, whatever was done in between, and places of discarded drafts are never used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import msgspec

from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Point


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
    return replace(found, groups=groups, folded=found.folded | folded)
