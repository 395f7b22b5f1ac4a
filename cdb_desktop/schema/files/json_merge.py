"""Three-way merge of JSON values, such as masks and localized names, with lists by the identity of items."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diff.order import merged_order
from cdb_desktop.schema.document.element_ref import DOCUMENT
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.schema.merge.conflict import Conflict, Side, Text, value_conflict

_LONGEST = 60  # characters of a value
_IDENTITY = ("kind", "column_id", "other_table_id", "other_column_id", "column_name_hint", "table_id")

_GROWING = frozenset({"version", "max_mask_id"})


class _Absent:
    """No value; unlike None, which is one."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class JsonMerge:
    """Merges values; ``choose`` is asked about each that both sides have changed in different ways."""

    choose: Callable[[Conflict], Side]

    def merged(self, element: str, versions: Sequence[object], path: str = "") -> object:
        """The merged value of base, theirs and mine, or ABSENT.

        ``element`` names the value and ``path`` the place in it.
        """
        base, theirs, mine = versions
        if mine in (base, theirs):
            return theirs
        if theirs == base:
            return mine
        if isinstance(theirs, Mapping) and isinstance(mine, Mapping):
            return self._objects(element, base if isinstance(base, Mapping) else {}, theirs, mine, path)
        if isinstance(theirs, list) and isinstance(mine, list):
            found = self._lists(element, base if isinstance(base, list) else [], theirs, mine, path)
            if found is not None:
                return found
        if isinstance(theirs, int) and isinstance(mine, int) and path in _GROWING:
            return max(theirs, mine)
        values: tuple[Text, ...] = tuple(_shown(each) for each in (base, mine, theirs))
        aspect = f"{element} {path}".rstrip()
        side = self.choose(value_conflict(DOCUMENT, aspect, element, path or message("Content"), values))
        return mine if side == "mine" else theirs

    def _objects(
        self,
        element: str,
        base: Mapping[str, object],
        theirs: Mapping[str, object],
        mine: Mapping[str, object],
        path: str,
    ) -> dict[str, object]:
        found: dict[str, object] = {}
        for name in dict.fromkeys((*theirs, *mine)):
            where = f"{path}.{name}" if path else name
            versions = [each.get(name, ABSENT) for each in (base, theirs, mine)]
            value = self.merged(element, versions, where)
            if value is not ABSENT:
                found[name] = value
        return found

    def _lists(
        self, element: str, base: list[object], theirs: list[object], mine: list[object], path: str
    ) -> list[object] | None:
        """The merged list, None if its items cannot be told apart."""
        versions = [_by_identity(each) for each in (base, theirs, mine)]
        was, their, my = versions
        if was is None or their is None or my is None:
            return None
        found = {}
        for id_ in dict.fromkeys((*their, *my)):
            where = f"{path}[{' '.join(filter(None, map(str, id_)))}]"
            value = self.merged(element, [each.get(id_, ABSENT) for each in (was, their, my)], where)
            if value is not ABSENT:
                found[id_] = value
        order = merged_order(list(was), list(their), list(my), found, prefer_mine=True)
        return [found[id_] for id_ in order]


def _by_identity(items: list[object]) -> dict[tuple[Hashable, ...], object] | None:
    """The items by what identifies them; None for values that repeat and for objects that do not tell."""
    found: dict[tuple[Hashable, ...], object] = {}
    for item in items:
        id_: tuple[Hashable, ...]
        if isinstance(item, Mapping):
            id_ = tuple(str(item[name]) if name in item else "" for name in _IDENTITY)
            if not any(id_):
                return None
        elif isinstance(item, str | int):
            id_ = (item,)
        else:
            return None
        if id_ in found:
            return None
        found[id_] = item
    return found


def _shown(value: object) -> str:
    if value is ABSENT or value is None:
        return ""
    text = shown_value(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
