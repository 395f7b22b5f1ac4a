"""Tests of the validation of an event entered by the user."""

import pytest

from cdb_desktop.events.insertion import DraftFault, EventDraft


@pytest.mark.parametrize(
    ("info", "fault"),
    [
        ("", None),
        (' {"a": [1, 2.5, null, "ü"]} ', None),
        ('{\n  "a": 1,\n  b: 2}', DraftFault("json", 3, 3)),
        ("[1]", DraftFault("object")),
        ('{"a": NaN}', DraftFault("value")),
        ('{"a": 1e999}', DraftFault("value")),
        ('{"a": "\\ud800"}', DraftFault("value")),
        ("[" * 100_000, DraftFault("value")),
    ],
)
def test_info_is_a_json_object(info: str, fault: DraftFault | None) -> None:
    """Other input is refused with its position; values that JSON does not have are not sent as null."""
    assert EventDraft(info=info).faults.get("info") == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("7", None),
        (" 7 ", None),
        ("", None),
        (str(2**63 - 1), None),
        (str(2**63), DraftFault("range")),
        ("9" * 5_000, DraftFault("range")),
        ("7a", DraftFault("number")),
        ("-1", DraftFault("number")),
        ("٣", DraftFault("number")),
    ],
)
def test_ids_are_integers(text: str, fault: DraftFault | None) -> None:
    """An id may be empty."""
    draft = EventDraft(object_id=text, object_version=text)
    assert draft.faults == ({"object_id": fault, "object_version": fault} if fault else {})


def test_only_entered_values_are_sent() -> None:
    """Numbers are sent as numbers, info as an object; empty fields are left out."""
    assert EventDraft().attributes == {"type": "SEARCH"}
    draft = EventDraft("DETAIL_VIEW", '{"a": 1}', " work ", "1042", "0")
    assert draft.attributes == {
        "type": "DETAIL_VIEW",
        "info": {"a": 1},
        "objecttype": "work",
        "object_id": 1042,
        "object_version": 0,
    }
