"""Tests of the stored rules of color marks, and of which events they match."""

import json

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QSettings

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.widgets.event_table.model import TONES, Marks, load_marks, save_marks
from cdb_desktop.vocabulary.pattern import Condition, PatternKind

DELETIONS = Query(types=("OBJECT_DELETE",))


def test_rules_are_stored(settings: QSettings) -> None:
    """The queries by color."""
    assert load_marks(settings).queries == {}
    rules = {
        "good": Query(users=(7,), conditions=(Condition("den+ied", PatternKind.REGEX),)),
        "danger": DELETIONS,
    }
    save_marks(settings, rules)
    assert load_marks(settings).queries == rules


def test_invalid_rules_are_ignored(settings: QSettings) -> None:
    """An edited settings file does not prevent the program from starting."""
    for broken in (
        "[",
        "[1]",
        '{"danger": 5}',
        '{"danger": {"types": 5}}',
        '{"mark": {"conditions": [{"text": "(", "kind": "regex"}]}}',
    ):
        settings.setValue("events/highlight", broken)
        assert load_marks(settings).queries == {}, broken


def test_rules_of_earlier_versions_find_the_same_events(settings: QSettings) -> None:
    """They were plain texts, also where they look like terms, and the first color had another name."""
    settings.setValue(
        "events/highlight", json.dumps({"accent": "LOGIN ", "danger": "type:SEARCH", "good": " "})
    )
    marks = load_marks(settings)
    assert marks.queries == {
        TONES[0]: Query(conditions=(Condition("LOGIN"),)),
        "danger": Query(conditions=(Condition("type:SEARCH"),)),
    }
    found = [marks.of(Event(id=number, type=kind)) for number, kind in enumerate(("USER_LOGIN", "SEARCH"))]
    assert found == [0, None]
    save_marks(settings, marks.queries)
    assert load_marks(settings).queries == marks.queries


def test_what_single_events_do_not_show_is_no_rule(settings: QSettings) -> None:
    """Dates and groups of an edited file are ignored, as nothing could be tested for them."""
    settings.setValue("events/highlight", json.dumps({"mark": {"groups": [5]}}))
    assert load_marks(settings).queries == {}


def test_a_whole_record_is_tested_again() -> None:
    """Rows show short records first, in which texts of the info are missing."""
    marks = Marks({"warning": Query(conditions=(Condition("denied"),))})
    short = Event(id=1, type="EXPORT_FAILED")
    whole = replace(short, info=msgspec.Raw(b'{"reason": "denied"}'))
    assert [marks.of(one) for one in (short, whole, short)] == [None, TONES.index("warning"), None]
