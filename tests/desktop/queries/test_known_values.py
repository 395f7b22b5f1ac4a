"""Tests of known types, users, groups and info keys."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event, Session, User
from cdb_desktop.queries.known_values import IdSet, InfoKeys, KnownValues, group_names
from cdb_desktop.vocabulary.event_types import EventFamily, family_of


def test_all_types_of_a_family_or_group_have_a_name() -> None:
    """So that a filter by all of them need not list them."""
    known = KnownValues()
    failures = [one for one in known.types if family_of(one) is EventFamily.FAILURE]
    assert known.name_of_types(failures, "en") == "failures"
    assert known.name_of_types(failures[1:], "en") == ""
    known.offer_types(in_groups=True)
    assert known.name_of_types(failures, "en") == ""
    tasks = [one for one in known.types if known.group_of_type(one) == "TASK"]
    assert known.name_of_types(tasks, "de") == "Aufgaben"
    known.add([Event(id=1, type="NEW_FAILED")])
    assert known.name_of_types([*tasks, "NEW_FAILED"], "de") == ""


def test_users_are_known_with_and_without_a_name() -> None:
    """A record without a name does not remove it; users without any name come last."""
    known = KnownValues()
    known.add([Event(id=1, user_id=9), Event(id=2, user_id=5, user_displayname="Nora")])
    known.add([Event(id=3, user_id=5), Event(id=4)])
    assert known.users == [(5, "Nora"), (9, "#9")]
    assert (known.event_count_of(5), known.event_count_of(9), known.event_count) == (2, 1, 4)


def test_repeated_pages_count_once() -> None:
    """A page that is loaded again changes nothing."""
    known, page = KnownValues(), [Event(id=1, user_id=9), Event(id=2, user_id=9)]
    known.add(page)
    known.add(page)
    assert (known.event_count, known.event_count_of(9)) == (2, 2)


def test_groups_are_read_in_every_form() -> None:
    """They are wrapped or flat, in one language or several; invalid groups are ignored."""
    groups = [
        {"_basetype": "group", "group": {"_id": 2, "name": "editors", "displayname": "Editors"}},
        {"_id": 3, "name": "night", "displayname": {"de-DE": "", "en-US": "Night watch"}},
        {"group": {"_id": 4}},
        {"group": "5"},
        "6",
    ]
    assert group_names(groups) == {2: "Editors", 3: "Night watch", 4: ""}
    assert group_names(None) == {}
    assert group_names(7) == {}


def test_groups_are_known_from_a_session_and_records() -> None:
    """An id alone does not remove a name; groups without a name come last."""
    known = KnownValues()
    known.add_session(
        Session(
            token="t", user=User(id=9, displayname="Ina"), groups=({"group": {"_id": 2, "name": "editors"}},)
        )
    )
    known.add(
        [
            Event(id=1, type="OBJECT_UPDATE", basetype="group", object_id=1),
            Event(id=2, type="OBJECT_UPDATE", basetype="group", object_id=2),
            Event(id=3, type="SEARCH", user={"_id": 4, "_groups": [{"_id": 5, "name": "Archive"}]}),
        ]
    )
    assert known.groups == [(5, "Archive"), (2, "editors"), (1, "#1")]
    assert (known.group_name(2), known.group_name(77)) == ("editors", "#77")
    assert known.user_name(9) == "Ina"


@given(st.lists(st.integers(0, 2**63) | st.integers(0, 3000)))
def test_it_behaves_like_a_set(numbers: list[int]) -> None:
    """Each id is new once."""
    ids, plain = IdSet(), set[int]()
    for number in numbers:
        assert ids.add(number) is (number not in plain)
        plain.add(number)
    assert len(ids) == len(plain)


def with_info(number: int, info: object) -> Event:
    """An event with this info."""
    return Event(id=number, info=msgspec.Raw(msgspec.json.encode(info)))


def test_the_most_frequent_keys_come_first() -> None:
    """Nested keys are included; lists are represented by their first item; each event counts once."""
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


def test_keys_that_cannot_be_columns_are_ignored() -> None:
    """A dot within a key would be ambiguous, and info beyond 100 kB is not shown in cells."""
    keys = InfoKeys()
    keys.add([with_info(1, {"a.b": 1, "": 2, "c": "d"}), with_info(2, {"large": "x" * 100_001})])
    keys.add([Event(id=3), with_info(4, ["a list", {"e": 1}]), with_info(5, "a text")])
    assert keys.most_frequent(9) == [("0", 1), ("c", 1)]


def test_ids_as_keys_do_not_fill_the_memory() -> None:
    """Known keys are still counted."""
    keys = InfoKeys()
    keys.add(with_info(number, {"kind": 1, "by_id": {str(number): 1}}) for number in range(3_000))
    assert keys.most_frequent(2) == [("by_id", 3_000), ("kind", 3_000)]
    assert len(keys.most_frequent(9_999)) == 2_000


def test_deeply_nested_info_is_read_to_a_limit() -> None:
    """Columns fifty levels deep are not useful."""
    info: dict[str, object] = {}
    for _step in range(50):
        info = {"a": info}
    keys = InfoKeys()
    keys.add([with_info(1, info)])
    assert [path for path, _count in keys.most_frequent(99)] == [".".join("a" * n) for n in range(1, 7)]
