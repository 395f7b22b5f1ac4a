"""The versions of an object: what each has changed, and the timeline of versions and events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from cdb_desktop.client import Event, ObjectVersion, ServiceError
from cdb_desktop.vocabulary.event_types import EventFamily, family_of

ReadVersion = Callable[[int | None], Awaitable[ObjectVersion | None]]

_AT_ONCE = 4  # calls
MAX_VERSIONS = 500  # that are compared; each takes a call
# A service does not keep the version, or has none of this number.
_NOT_KEPT = frozenset({"old_schema_missing", "instance_not_found"})


class FieldChangeKind(Enum):
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


class FieldChange(msgspec.Struct, frozen=True):
    """A difference at one place.

    ``before`` and ``after`` are the values, None where there is none. Of a REORDERED list they are the ids of
    its items in the order before and after, without items that were removed and with those that were added.
    """

    path: tuple[Step, ...]
    kind: FieldChangeKind
    before: Any = None
    after: Any = None

    @property
    def path_text(self) -> str:
        """The path as text, such as ``work__part #12 label``; empty for the whole value."""
        return " ".join(_step_text(step) for step in self.path)

    @property
    def sign(self) -> str:
        """The kind as users see it: a value in place of null was added, null in place of a value removed."""
        if self.kind is FieldChangeKind.CHANGED and self.before is None:
            return FieldChangeKind.ADDED.value
        if self.kind is FieldChangeKind.CHANGED and self.after is None:
            return FieldChangeKind.REMOVED.value
        return self.kind.value


class VersionChanges(msgspec.Struct, frozen=True):
    """What a version has changed; of the first version all of its values.

    ``is_kept``: the service has the version. ``is_comparable``: it has the version before as well. Otherwise
    there are no ``changes``.
    """

    number: int
    changes: tuple[FieldChange, ...] = ()
    modified: datetime | None = None
    is_kept: bool = True
    is_comparable: bool = True


class VersionsNotOfferedError(Exception):
    """The service does not offer old versions of objects."""


async def read_newest(read: ReadVersion) -> int:
    """The number of the newest version. Raises VersionsNotOfferedError and what ``read`` raises."""
    found = await read(None)
    if found is None or found.version is None:
        raise VersionsNotOfferedError
    return found.version


async def read_changes(read: ReadVersion, numbers: Iterable[int]) -> AsyncGenerator[VersionChanges, None]:
    """The changes of versions by ascending number; the calls are made a few at a time.

    Raises VersionsNotOfferedError, and what ``read`` raises unless the service does not keep a version.
    """
    wanted = sorted(set(numbers))
    waiting = iter(sorted({one for number in wanted for one in (number - 1, number) if one > 0}))
    running: dict[int, asyncio.Future[ObjectVersion | None]] = {}
    known: dict[int, ObjectVersion | None] = {}

    def fill() -> None:
        while len(running) < _AT_ONCE and (following := next(waiting, None)) is not None:
            running[following] = asyncio.ensure_future(_kept(read, following))

    try:
        for number in wanted:
            for one in (number - 1, number):
                if one > 0 and one not in known:
                    fill()
                    known[one] = await running[one]
                    del running[one]
            fill()
            yield await asyncio.to_thread(_changes_of, number, known.get(number - 1), known[number])
            known.pop(number - 1, None)
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)


async def _kept(read: ReadVersion, number: int) -> ObjectVersion | None:
    """A version, None if the service does not keep it."""
    try:
        found = await read(number)
    except ServiceError as error:
        if error.name in _NOT_KEPT:
            return None
        raise
    if found is None:
        raise VersionsNotOfferedError
    return found


def _changes_of(number: int, before: ObjectVersion | None, after: ObjectVersion | None) -> VersionChanges:
    if after is None:
        return VersionChanges(number, is_kept=False, is_comparable=False)
    if before is None and number > 1:
        return VersionChanges(number, modified=after.modified, is_comparable=False)
    changes = differences({} if before is None else before.values, after.values)
    return VersionChanges(number, changes, after.modified)


class TimelineEntry(msgspec.Struct, frozen=True):
    """An event of the object, or a version without an event.

    ``version``: the version that was created here, None if the event has created none.
    """

    event: Event | None
    version: int | None = None


def timeline(events: Sequence[Event], newest: int | None) -> tuple[TimelineEntry, ...]:
    """The events, oldest first, and among them the versions that no event has created.

    ``newest`` is the number of the newest version, None if the service does not offer versions. Only the last
    `MAX_VERSIONS` are included.
    """
    created: dict[int, int] = {}
    for event in events:
        if event.object_version is not None and family_of(event.type) is EventFamily.WRITING:
            created.setdefault(event.object_version, event.id)
    without_event = [number for number in version_numbers(newest) if number not in created]
    entries: list[TimelineEntry] = []
    for event in events:
        version = event.object_version
        while version is not None and without_event and without_event[0] <= version:
            entries.append(TimelineEntry(None, without_event.pop(0)))
        is_creation = version is not None and created.get(version) == event.id
        entries.append(TimelineEntry(event, version if is_creation else None))
    return (*entries, *(TimelineEntry(None, number) for number in without_event))


def version_numbers(newest: int | None) -> range:
    """The last `MAX_VERSIONS` versions up to the newest one."""
    return range(max(1, newest - MAX_VERSIONS + 1), newest + 1) if newest is not None else range(0)


def value_text(value: Any) -> str:
    """A value as a short text: a linked object as its type and id, others as their members."""
    if isinstance(value, Mapping) and value:
        kind = value.get("_objecttype")
        target = value.get(kind) if isinstance(kind, str) else None
        if isinstance(target, Mapping) and "_id" in target:
            return f"{kind} {target['_id']}"
        pairs = ((key, one) for key, one in value.items() if key != "_id" or len(value) == 1)
        return ", ".join(f"{_step_text(key)}: {value_text(one)}" for key, one in pairs)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value:
        return "; ".join(value_text(one) for one in value)
    return msgspec.json.encode(value).decode()


def differences(before: Any, after: Any) -> tuple[FieldChange, ...]:
    """The differences of two JSON values.

    Objects are compared by key, lists by the ids of their items if all of them have different ones, otherwise
    by place. ``1`` and ``true`` differ, ``1`` and ``1.0`` do not.
    """
    return tuple(_differences((), before, after))


def _differences(path: tuple[Step, ...], before: Any, after: Any) -> list[FieldChange]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return _of_objects(path, before, after)
    if isinstance(before, list) and isinstance(after, list):
        old, new = _by_id(before), _by_id(after)
        if old is None or new is None:
            return _of_lists(path, before, after)
        return _of_items(path, old, new)
    return [] if _is_same(before, after) else [FieldChange(path, FieldChangeKind.CHANGED, before, after)]


def _of_objects(
    path: tuple[Step, ...], before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[FieldChange]:
    found: list[FieldChange] = []
    for key in (*before, *(key for key in after if key not in before)):
        if key not in after:
            found.append(FieldChange((*path, key), FieldChangeKind.REMOVED, before[key]))
        elif key not in before:
            found.append(FieldChange((*path, key), FieldChangeKind.ADDED, None, after[key]))
        else:
            found += _differences((*path, key), before[key], after[key])
    return found


def _of_lists(path: tuple[Step, ...], before: list[Any], after: list[Any]) -> list[FieldChange]:
    found: list[FieldChange] = []
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        found += _differences((*path, place), old, new)
    common = min(len(before), len(after))
    # From the end, so that each place is that in the list as it is then.
    for place in range(len(before) - 1, common - 1, -1):
        found.append(FieldChange((*path, place), FieldChangeKind.REMOVED, before[place]))
    for place in range(common, len(after)):
        found.append(FieldChange((*path, place), FieldChangeKind.ADDED, None, after[place]))
    return found


_Items = dict[int | str, Any]


def _of_items(path: tuple[Step, ...], before: _Items, after: _Items) -> list[FieldChange]:
    found: list[FieldChange] = []
    for number, item in before.items():
        if number not in after:
            found.append(FieldChange((*path, ItemId(number)), FieldChangeKind.REMOVED, item))
        else:
            found += _differences((*path, ItemId(number)), item, after[number])
    added = [number for number in after if number not in before]
    found += [
        FieldChange((*path, ItemId(number)), FieldChangeKind.ADDED, None, after[number]) for number in added
    ]
    expected, order = [*(number for number in before if number in after), *added], list(after)
    if expected != order:
        found.append(FieldChange(path, FieldChangeKind.REORDERED, expected, order))
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


def _step_text(step: Step) -> str:
    if isinstance(step, ItemId):
        return f"#{step.value}"
    return f"[{step}]" if isinstance(step, int) else step.removeprefix("_nested:")
