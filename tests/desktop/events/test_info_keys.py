"""Tests of the keys that the info of events has."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.events.info_keys import InfoKeys


def with_info(number: int, info: object) -> Event:
    """An event with this info."""
    return Event(id=number, info=msgspec.Raw(msgspec.json.encode(info)))


def test_the_most_frequent_keys_come_first() -> None:
    """Nested ones too; a list before its first entry; each event counts once, however often it is seen."""
    keys = InfoKeys()
    searched = with_info(1, {"search": [{"string": "a"}, {"other": 1}], "limit": 10})
    keys.add([searched, with_info(2, {"limit": 5, "a": {"b": None}}), with_info(3, {"limit": 7})])
    keys.add([searched])
    assert keys.events == 3
    assert keys.most_frequent(9) == [
        ("limit", 3),
        ("a", 1),
        ("a.b", 1),
        ("search", 1),
        ("search.0", 1),
        ("search.0.string", 1),
    ]
    assert keys.most_frequent(1) == [("limit", 3)]


def test_what_cannot_be_a_column_is_no_key() -> None:
    """A dot within a key would lead elsewhere, and info beyond 100 kB is not shown in cells."""
    keys = InfoKeys()
    keys.add([with_info(1, {"a.b": 1, "": 2, "c": "d"}), with_info(2, {"large": "x" * 100_001})])
    keys.add([Event(id=3), with_info(4, ["a list", {"e": 1}]), with_info(5, "a text")])
    assert keys.most_frequent(9) == [("0", 1), ("c", 1)]


def test_ids_as_keys_do_not_fill_the_memory() -> None:
    """What was there before goes on being counted."""
    keys = InfoKeys()
    keys.add(with_info(number, {"kind": 1, "by_id": {str(number): 1}}) for number in range(3_000))
    assert keys.most_frequent(2) == [("by_id", 3_000), ("kind", 3_000)]
    assert len(keys.most_frequent(9_999)) == 2_000


def test_info_without_an_end_is_followed_for_some_steps() -> None:
    """Nobody reads a column fifty steps down."""
    info: dict[str, object] = {}
    for _step in range(50):
        info = {"a": info}
    keys = InfoKeys()
    keys.add([with_info(1, info)])
    assert [path for path, _count in keys.most_frequent(99)] == [".".join("a" * n) for n in range(1, 7)]
