"""Tests of the differences of versions, and of the timeline of versions and events."""

import asyncio
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event, ObjectVersion, ServiceError, UserError
from cdb_desktop.events import object_history
from cdb_desktop.events.object_history import (
    FieldChange,
    FieldChangeKind,
    ItemId,
    ReadVersion,
    VersionChanges,
    VersionsNotOfferedError,
    differences,
    read_changes,
    read_newest,
    timeline,
    value_text,
)

KEYS = st.sampled_from(["a", "b", "title", "_nested:part"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "y"]) | st.just(0.5)
ITEMS = st.fixed_dictionaries(
    {"_id": st.integers(1, 5) | st.sampled_from(["1", "2"])}, optional={"a": SCALARS}
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(ITEMS, max_size=4)
        | st.lists(ITEMS, max_size=4, unique_by=lambda item: item["_id"])
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def strict(value: Any) -> Any:
    """A value in which true and 1 differ, as they do in JSON."""
    if isinstance(value, dict):
        return {key: strict(one) for key, one in value.items()}
    if isinstance(value, list):
        return [strict(one) for one in value]
    return (isinstance(value, bool), value)


def applied(changes: tuple[FieldChange, ...], before: Any) -> Any:
    """The value that ``before`` becomes with the changes; ``before`` stays unchanged."""
    result = copy.deepcopy(before)
    for change in changes:
        result = _changed(result, change.path, change)
    return result


def _changed(value: Any, path: tuple[str | int | ItemId, ...], change: FieldChange) -> Any:
    if not path:
        if change.kind is FieldChangeKind.REORDERED:
            items = {item["_id"]: item for item in value}
            return [items[number] for number in change.after]
        return copy.deepcopy(change.after)
    step, rest = path[0], path[1:]
    key: Any = step
    if isinstance(step, ItemId):
        key = next((at for at, item in enumerate(value) if item.get("_id") == step.value), len(value))
    if not rest and change.kind is FieldChangeKind.REMOVED:
        del value[key]
    elif not rest and change.kind is FieldChangeKind.ADDED and isinstance(value, list):
        value.insert(key, copy.deepcopy(change.after))
    elif not rest and change.kind is FieldChangeKind.ADDED:
        value[key] = copy.deepcopy(change.after)
    else:
        value[key] = _changed(value[key], rest, change)
    return value


@given(VALUES, VALUES)
def test_changes_lead_from_one_value_to_the_other(before: Any, after: Any) -> None:
    """Applying the differences of two values to the first one gives the second; neither is changed."""
    kept = copy.deepcopy((before, after))
    changes = differences(before, after)
    assert strict(applied(changes, before)) == strict(after)
    assert (before, after) == kept
    assert (changes == ()) is (strict(before) == strict(after))


@given(VALUES)
def test_equal_values_do_not_differ(value: Any) -> None:
    """A copy has no differences."""
    assert differences(value, copy.deepcopy(value)) == ()


def test_fields_are_compared_by_name() -> None:
    """Each difference has its path, its kind and both values."""
    before = {"title": {"de-DE": "Kuß", "en-US": "Kiss"}, "year": None, "old": 1, "same": [1]}
    after = {"title": {"de-DE": "Kuss", "en-US": "Kiss"}, "year": 1908, "same": [1], "new": 2}
    assert differences(before, after) == (
        FieldChange(("title", "de-DE"), FieldChangeKind.CHANGED, "Kuß", "Kuss"),
        FieldChange(("year",), FieldChangeKind.CHANGED, None, 1908),
        FieldChange(("old",), FieldChangeKind.REMOVED, 1),
        FieldChange(("new",), FieldChangeKind.ADDED, None, 2),
    )
    assert [one.sign for one in differences(before, after)] == ["~", "+", "−", "+"]


def test_items_with_ids_are_compared_by_id() -> None:
    """A removed first item does not make the others differ; another order is one difference."""
    before = {"_nested:part": [{"_id": 1, "n": "a"}, {"_id": 2, "n": "b"}, {"_id": 3, "n": "c"}]}
    after = {"_nested:part": [{"_id": 3, "n": "c"}, {"_id": 2, "n": "B"}, {"_id": 4, "n": "d"}]}
    removed, changed, added, ordered = differences(before, after)
    assert removed == FieldChange(("_nested:part", ItemId(1)), FieldChangeKind.REMOVED, {"_id": 1, "n": "a"})
    assert changed == FieldChange(("_nested:part", ItemId(2), "n"), FieldChangeKind.CHANGED, "b", "B")
    assert changed.path_text == "part #2 n"
    assert added.kind is FieldChangeKind.ADDED
    assert (ordered.kind, ordered.before, ordered.after) == (FieldChangeKind.REORDERED, [2, 3, 4], [3, 2, 4])


def test_lists_without_ids_are_compared_by_place() -> None:
    """Items that are no objects, or share an id, have places."""
    assert differences([1, 2, 3], [1, 4]) == (
        FieldChange((1,), FieldChangeKind.CHANGED, 2, 4),
        FieldChange((2,), FieldChangeKind.REMOVED, 3),
    )
    shared = [{"_id": 1}, {"_id": 1}]
    assert differences(shared, [*shared, {"_id": 1}]) == (
        FieldChange((2,), FieldChangeKind.ADDED, None, {"_id": 1}),
    )
    assert FieldChange(("tags", 0), FieldChangeKind.REMOVED).path_text == "tags [0]"


def test_true_is_not_one() -> None:
    """JSON's truth values are no numbers; 1 and 1.0 are the same number."""
    assert differences(1, True) == (FieldChange((), FieldChangeKind.CHANGED, 1, True),)
    assert differences({"a": [1]}, {"a": [1.0]}) == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"_objecttype": "artist", "artist": {"_id": 4}}, "artist 4"),
        ({"_id": 2, "label": "frame", "_nested:note": []}, "label: frame, note: []"),
        ({"_id": 2}, "_id: 2"),
        ({"de-DE": "Kuß"}, "de-DE: Kuß"),
        ([{"_id": 1}, "x"], "_id: 1; x"),
        ("text", "text"),
        ("", '""'),
        (True, "true"),
        ({}, "{}"),
    ],
)
def test_texts_of_values(value: object, text: str) -> None:
    """Links are named by type and id, other objects by their members."""
    assert value_text(value) == text


class Service:
    """Versions of an object by number; None for one that is not kept. Records how many are read at a time."""

    def __init__(self, *versions: dict[str, object] | None) -> None:
        self.versions = versions
        self.reads: list[int | None] = []
        self.most = self._running = 0

    async def read(self, number: int | None) -> ObjectVersion | None:
        self.reads.append(number)
        self._running += 1
        self.most = max(self.most, self._running)
        try:
            await asyncio.sleep(0.001)
        finally:
            self._running -= 1
        wanted = len(self.versions) if number is None else number
        values = self.versions[wanted - 1]
        if values is None:
            raise UserError("user", "error.user.old_schema_missing")
        return ObjectVersion(objecttype="work", object_id=1, version=wanted, values=values)


async def changes_of(read: ReadVersion, numbers: range) -> list[VersionChanges]:
    return [one async for one in read_changes(read, numbers)]


async def test_every_version_is_read_once() -> None:
    """The first version has all of its values as changes, the others their differences, in order."""
    service = Service(*({"n": number, "title": "x"} for number in range(1, 31)))
    found = await changes_of(service.read, range(1, 31))
    assert [one.number for one in found] == list(range(1, 31))
    assert [change.kind for change in found[0].changes] == [FieldChangeKind.ADDED, FieldChangeKind.ADDED]
    assert all(
        one.changes == (FieldChange(("n",), FieldChangeKind.CHANGED, one.number - 1, one.number),)
        for one in found[1:]
    )
    assert sorted(number for number in service.reads if number) == list(range(1, 31))
    assert 1 < service.most <= 4


async def test_versions_that_are_not_kept() -> None:
    """What a version has changed is unknown if it or the one before is not kept."""
    found = await changes_of(Service({"n": 1}, None, {"n": 3}, {"n": 4}).read, range(1, 5))
    assert [(one.is_kept, one.is_comparable, len(one.changes)) for one in found] == [
        (True, True, 1),
        (False, False, 0),
        (True, False, 0),
        (True, True, 1),
    ]


async def test_a_part_of_the_versions() -> None:
    """The version before the first wanted one is read for the comparison."""
    versions: list[dict[str, object] | None] = [{"n": number} for number in range(1, 11)]
    service = Service(*versions)
    found = await changes_of(service.read, range(8, 11))
    assert [one.number for one in found] == [8, 9, 10]
    assert all(one.changes for one in found)
    assert sorted(number for number in service.reads if number) == [7, 8, 9, 10]


async def test_services_without_versions() -> None:
    """Nothing in place of a version means that there are none, at any time."""

    async def nothing(_number: int | None) -> ObjectVersion | None:
        return None

    with pytest.raises(VersionsNotOfferedError):
        await read_newest(nothing)
    with pytest.raises(VersionsNotOfferedError):
        await changes_of(nothing, range(1, 4))
    assert await read_newest(Service({}, {}, {}).read) == 3


async def test_other_errors_end_the_reading() -> None:
    """They are raised after what was read before, and no call remains."""
    service = Service({"n": 1}, {"n": 2}, {"n": 3})

    async def read(number: int | None) -> ObjectVersion | None:
        if number == 3:
            raise UserError("user", "error.user.insufficient_rights", {"right": "read"})
        return await service.read(number)

    changes = read_changes(read, range(1, 4))
    assert [(await anext(changes)).number, (await anext(changes)).number] == [1, 2]
    with pytest.raises(ServiceError, match="insufficient_rights"):
        await anext(changes)
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_cancels_the_calls() -> None:
    """Calls under way end with the task that reads."""
    started = asyncio.Event()
    cancelled: list[int | None] = []

    async def read(number: int | None) -> ObjectVersion | None:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return None

    task = asyncio.create_task(changes_of(read, range(1, 9)))
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(number for number in cancelled if number) == [1, 2, 3, 4]


def event(number: int, kind: str, version: int | None) -> Event:
    return Event(id=number, type=kind, objecttype="work", object_id=1, object_version=version)


def test_the_timeline_has_versions_without_events() -> None:
    """Versions from before the log are before the first event of a later version, others at the end."""
    events = (
        event(5, "DETAIL_VIEW", 2),
        event(6, "OBJECT_UPDATE", 4),
        event(7, "OBJECT_INDEX", 4),
        event(8, "OBJECT_UPDATE", 4),
        event(9, "OBJECT_DELETE", None),
    )
    found = [(entry.event and entry.event.id, entry.version) for entry in timeline(events, 5)]
    assert found == [
        (None, 1),
        (None, 2),
        (5, None),
        (None, 3),
        (6, 4),
        (7, None),
        (8, None),
        (9, None),
        (None, 5),
    ]


def test_the_timeline_without_versions() -> None:
    """It has the events only, and which of them have created a version."""
    events = (event(5, "OBJECT_INSERT", 1), event(6, "DETAIL_VIEW", 1))
    found = [(entry.event and entry.event.id, entry.version) for entry in timeline(events, None)]
    assert found == [(5, 1), (6, None)]


def test_only_the_last_versions_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event with a version that cannot be does not add any."""
    monkeypatch.setattr(object_history, "MAX_VERSIONS", 3)
    events = (event(1, "DETAIL_VIEW", 10**12),)
    numbers = [entry.version for entry in timeline(events, 9)]
    assert numbers == [7, 8, 9, None]
