"""Tests of what is typed for an event: whether it can be sent, and what is sent."""

from __future__ import annotations

import pytest

from cdb_desktop.events.insertion import Draft, Fault


@pytest.mark.parametrize(
    ("info", "fault"),
    [
        ("", None),
        (' {"a": [1, 2.5, null, "ü"]} ', None),
        ('{\n  "a": 1,\n}', Fault("json", 3, 1)),
        ("[1]", Fault("object")),
        ('{"a": NaN}', Fault("value")),
        ('{"a": 1e999}', Fault("value")),
        ('{"a": "\\ud800"}', Fault("value")),
        ("[" * 100_000, Fault("value")),
    ],
)
def test_info_is_an_object_of_json(info: str, fault: Fault | None) -> None:
    """Whatever else is typed is told with its place; what JSON has no word for is never sent as null."""
    assert Draft(info=info).faults.get("info") == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("7", None),
        (" 7 ", None),
        ("", None),
        (str(2**63 - 1), None),
        (str(2**63), Fault("range")),
        ("9" * 5_000, Fault("range")),
        ("7a", Fault("number")),
        ("-1", Fault("number")),
        ("٣", Fault("number")),
    ],
)
def test_ids_are_whole_numbers(text: str, fault: Fault | None) -> None:
    """Or nothing."""
    draft = Draft(object_id=text, object_version=text)
    assert draft.faults == ({"object_id": fault, "object_version": fault} if fault else {})


def test_only_what_is_typed_is_sent() -> None:
    """Numbers as numbers, info as an object; empty fields are left out."""
    assert Draft().attributes == {"type": "SEARCH"}
    draft = Draft("DETAIL_VIEW", '{"a": 1}', " work ", "1042", "0")
    assert draft.attributes == {
        "type": "DETAIL_VIEW",
        "info": {"a": 1},
        "objecttype": "work",
        "object_id": 1042,
        "object_version": 0,
    }
