"""Tests of the rules that mark events, from one start to the next."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from cdb_desktop.ui.widgets.event_table.marks import TONES, load_marks, save_marks


def test_rules_are_kept(settings: QSettings) -> None:
    """As they were typed, by tone."""
    assert load_marks(settings).texts == {}
    save_marks(settings, {"danger": "DELETE"})
    assert load_marks(settings).texts == {"danger": "DELETE"}


def test_what_cannot_be_read_is_no_rule(settings: QSettings) -> None:
    """A file that somebody has edited by hand keeps nobody from working."""
    for broken in ("[", "[1]", '{"danger": 5}'):
        settings.setValue("events/highlight", broken)
        assert load_marks(settings).texts == {}


def test_a_rule_of_before_keeps_its_place(settings: QSettings) -> None:
    """The first tone had the name of another colour."""
    settings.setValue("events/highlight", '{"accent": "LOGIN"}')
    assert load_marks(settings).texts == {TONES[0]: "LOGIN"}
