"""Tests of the stored rules of color marks."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from cdb_desktop.ui.widgets.event_table.marks import TONES, load_marks, save_marks


def test_rules_are_stored(settings: QSettings) -> None:
    """The text as it was typed, by color."""
    assert load_marks(settings).texts == {}
    save_marks(settings, {"danger": "DELETE"})
    assert load_marks(settings).texts == {"danger": "DELETE"}


def test_invalid_rules_are_ignored(settings: QSettings) -> None:
    """An edited settings file does not prevent the program from starting."""
    for broken in ("[", "[1]", '{"danger": 5}'):
        settings.setValue("events/highlight", broken)
        assert load_marks(settings).texts == {}


def test_a_rule_of_an_earlier_version_keeps_its_position(settings: QSettings) -> None:
    """The first color had another name."""
    settings.setValue("events/highlight", '{"accent": "LOGIN"}')
    assert load_marks(settings).texts == {TONES[0]: "LOGIN"}
