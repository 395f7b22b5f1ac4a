"""Groups of tables in the diagram: names, colors, members, and which are collapsed into a box.

Groups belong to the arrangement of the diagram, not to the data model: undo covers them, and they are stored
beside the positions. Only top-level tables are members; nested tables belong to the group of their owner.
A table is in at most one group. Groups are made for a whole model by `grouping`, or by hand.

There are no groups until the user asks for them, with one exception: a model of more than `MANY` tables that
is shown for the first time gets those that `grouping` finds from its links, since names of a thousand tables
cannot be read at once. *No groups* removes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

MANY = 60  # tables, above which a new model is shown in groups
COLORS = 8  # of groups; a color is a number below this

# Keys of new tables are not below this (`new_key`), nor are ids of the service.
_BELOW_TABLES = -(1 << 62) - 1_000


def box_key(group: int) -> int:
    """The key of the box that a collapsed group is shown as, which no table has."""
    return _BELOW_TABLES - group


def group_of_box(key: int) -> int | None:
    """The group whose box has a key; None for the key of a table."""
    return _BELOW_TABLES - key if key <= _BELOW_TABLES else None


@dataclass(frozen=True, slots=True)
class Group:
    """Some tables with a name and a color; a collapsed group is shown as one box."""

    key: int
    name: str
    color: int
    tables: frozenset[int] = frozenset()
    is_collapsed: bool = False

    @property
    def box(self) -> int:
        """The key of its box."""
        return box_key(self.key)


@dataclass(frozen=True)
class Groups:
    """All groups of a diagram, in the order in which they were made."""

    all: tuple[Group, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.all)

    @cached_property
    def by_key(self) -> Mapping[int, Group]:
        """The groups by key."""
        return {group.key: group for group in self.all}

    @cached_property
    def by_table(self) -> Mapping[int, Group]:
        """The group of each top-level table that is in one."""
        return {table: group for group in self.all for table in group.tables}

    @property
    def least_used_color(self) -> int:
        """The color of the fewest groups."""
        used = [sum(group.color == color for group in self.all) for color in range(COLORS)]
        return used.index(min(used))

    @property
    def collapsed(self) -> tuple[Group, ...]:
        """The groups that are shown as boxes."""
        return tuple(group for group in self.all if group.is_collapsed)

    def with_new(self, name: str, tables: Iterable[int], color: int | None = None) -> Groups:
        """With another group of tables, which leave theirs; by default its color is the least used one."""
        key = max(self.by_key, default=0) + 1
        chosen = self.least_used_color if color is None else color % COLORS
        rest = self.without(tables)
        return Groups((*rest, Group(key, name, chosen, frozenset(tables))))

    def assigned(self, tables: Iterable[int], key: int | None) -> Groups:
        """With tables in another group, or in none. Groups that become empty are removed."""
        moved = frozenset(tables)
        rest = self.without(moved, but=key)
        own = rest.by_key.get(key or 0)
        return rest if own is None else rest._changed(own.key, tables=own.tables | moved)  # noqa: SLF001

    def without(self, tables: Iterable[int], *, but: int | None = None) -> Groups:
        """Without some tables, and without groups that become empty, ``but`` that one."""
        gone = frozenset(tables)
        found = (replace(group, tables=group.tables - gone) for group in self.all)
        return Groups(tuple(group for group in found if group.tables or group.key == but))

    def removed(self, key: int) -> Groups:
        """Without a group; its tables are in none."""
        return Groups(tuple(group for group in self.all if group.key != key))

    def described(self, key: int, name: str, color: int) -> Groups:
        """With another name and color of a group."""
        return self._changed(key, name=name, color=color % COLORS)

    def with_collapsed(self, keys: Iterable[int], *, on: bool) -> Groups:
        """With some groups collapsed or expanded."""
        chosen = frozenset(keys)
        return Groups(
            tuple(replace(group, is_collapsed=on) if group.key in chosen else group for group in self.all)
        )

    def renumbered(self, tables: Mapping[int, int]) -> Groups:
        """With the ids of tables that saving assigned, by the keys before."""
        return Groups(
            tuple(
                replace(group, tables=frozenset(tables.get(key, key) for key in group.tables))
                for group in self.all
            )
        )

    def lasting(self) -> Groups:
        """Only what has ids of the service, which outlive the program."""
        return self.without({table for table in self.by_table if table <= 0})

    def _changed(self, key: int, **values: Any) -> Groups:
        return Groups(tuple(replace(group, **values) if group.key == key else group for group in self.all))


NO_GROUPS = Groups()


def made_groups(named: Iterable[tuple[str, Iterable[int]]]) -> Groups:
    """Groups of disjoint tables by name; colors are given in turn."""
    return Groups(
        tuple(
            Group(number + 1, name, number % COLORS, frozenset(tables))
            for number, (name, tables) in enumerate(named)
        )
    )
