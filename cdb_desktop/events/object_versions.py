"""The differences of two versions of an object, field by field, and the versions with what they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import msgspec

from cdb_desktop.client import ObjectVersion


class ChangeKind(Enum):
    """How a value differs; the value is the sign that is shown."""

    ADDED = "+"
    REMOVED = "−"
    CHANGED = "~"
    REORDERED = "↕"


class ItemId(msgspec.Struct, frozen=True):
    """A step of a path into a list whose items have ids: the item with this ``_id``."""

    value: int | str


# A key of an object, a place in a list, or the id of an item.
Step = str | int | ItemId


class Change(msgspec.Struct, frozen=True):
    """A difference at one place.

    ``before`` and ``after`` are the values, None where there is none. Of a REORDERED list they are the ids of
    its items in the order before and after, without items that were removed and with those that were added.
    """

    path: tuple[Step, ...]
    kind: ChangeKind
    before: Any = None
    after: Any = None

    @property
    def path_text(self) -> str:
        """The path as text, such as ``work__part [_id 12] label``; empty for the whole value."""
        return " ".join(_step_text(step) for step in self.path)

    @property
    def sign(self) -> str:
        """The kind as users see it: a value in place of null was added, null in place of a value removed."""
        if self.kind is ChangeKind.CHANGED and self.before is None:
            return ChangeKind.ADDED.value
        if self.kind is ChangeKind.CHANGED and self.after is None:
            return ChangeKind.REMOVED.value
        return self.kind.value


def version_changes(before: ObjectVersion, after: ObjectVersion) -> tuple[Change, ...]:
    """What the version ``after`` has changed."""
    return differences(before.values, after.values)


def differences(before: Any, after: Any) -> tuple[Change, ...]:
    """The differences of two JSON values.

    Objects are compared by key, lists by the ids of their items if all of them have different ones, otherwise
    by place. ``1`` and ``true`` differ, ``1`` and ``1.0`` do not.
    """
    return tuple(_differences((), before, after))


def apply_changes(changes: Sequence[Change], before: Any) -> Any:
    """The value that `differences` compared ``before`` with; ``before`` stays unchanged."""
    result = _copy(before)
    for change in changes:
        result = _applied(result, change.path, change)
    return result


def _differences(path: tuple[Step, ...], before: Any, after: Any) -> list[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return _of_objects(path, before, after)
    if isinstance(before, list) and isinstance(after, list):
        old, new = _by_id(before), _by_id(after)
        if old is None or new is None:
            return _of_lists(path, before, after)
        return _of_items(path, old, new)
    return [] if _is_same(before, after) else [Change(path, ChangeKind.CHANGED, before, after)]


def _of_objects(path: tuple[Step, ...], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    found: list[Change] = []
    for key in (*before, *(key for key in after if key not in before)):
        if key not in after:
            found.append(Change((*path, key), ChangeKind.REMOVED, before[key]))
        elif key not in before:
            found.append(Change((*path, key), ChangeKind.ADDED, None, after[key]))
        else:
            found += _differences((*path, key), before[key], after[key])
    return found


def _of_lists(path: tuple[Step, ...], before: list[Any], after: list[Any]) -> list[Change]:
    found: list[Change] = []
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        found += _differences((*path, place), old, new)
    common = min(len(before), len(after))
    # From the end, so that each place is that in the list as it is then.
    for place in range(len(before) - 1, common - 1, -1):
        found.append(Change((*path, place), ChangeKind.REMOVED, before[place]))
    for place in range(common, len(after)):
        found.append(Change((*path, place), ChangeKind.ADDED, None, after[place]))
    return found


_Items = dict[int | str, Any]


def _of_items(path: tuple[Step, ...], before: _Items, after: _Items) -> list[Change]:
    found: list[Change] = []
    for number, item in before.items():
        if number not in after:
            found.append(Change((*path, ItemId(number)), ChangeKind.REMOVED, item))
        else:
            found += _differences((*path, ItemId(number)), item, after[number])
    added = [number for number in after if number not in before]
    found += [Change((*path, ItemId(number)), ChangeKind.ADDED, None, after[number]) for number in added]
    expected, order = [*(number for number in before if number in after), *added], list(after)
    if expected != order:
        found.append(Change(path, ChangeKind.REORDERED, expected, order))
    return found


def _by_id(items: list[Any]) -> _Items | None:
    """The items by their ``_id``, None unless each has one of its own."""
    found: _Items = {}
    for item in items:
        number = item.get("_id") if isinstance(item, Mapping) else None
        if isinstance(number, bool) or not isinstance(number, int | str) or number in found:
            return None
        found[number] = item
    return found


def _is_same(before: Any, after: Any) -> bool:
    return isinstance(before, bool) is isinstance(after, bool) and bool(before == after)


def _applied(value: Any, path: tuple[Step, ...], change: Change) -> Any:
    if not path:
        if change.kind is ChangeKind.REORDERED:
            items = _by_id(value) or {}
            return [items[number] for number in change.after]
        return _copy(change.after)
    step, rest = path[0], path[1:]
    key: Any = step
    if isinstance(step, ItemId):
        place = next((at for at, item in enumerate(value) if item.get("_id") == step.value), len(value))
        key = place
    if not rest and change.kind is ChangeKind.REMOVED:
        del value[key]
    elif not rest and change.kind is ChangeKind.ADDED and isinstance(value, list):
        value.insert(key, _copy(change.after))
    elif not rest and change.kind is ChangeKind.ADDED:
        value[key] = _copy(change.after)
    else:
        value[key] = _applied(value[key], rest, change)
    return value


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(one) for key, one in value.items()}
    return [_copy(one) for one in value] if isinstance(value, list) else value


def _step_text(step: Step) -> str:
    if isinstance(step, ItemId):
        return f"[_id {step.value}]"
    return f"[{step}]" if isinstance(step, int) else step.removeprefix("_nested:")
