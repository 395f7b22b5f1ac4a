"""Tests of declared forms."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.form import Choice, Field, Form
from tests.desktop.ui.finding import child_of


@pytest.fixture
def form(qtbot: QtBot, appearance: Appearance) -> Form:
    """A form with fields of every kind."""
    kind, file, size = Choice({"all": "Everything", "file": "A file"}), QLineEdit(), QSpinBox()
    beside = [Field("file.choose", QPushButton("Choose…")), Field("file.size", size, "Si&ze")]
    form = Form(
        appearance,
        "sample",
        Field("kind", kind, "&Kind", hint="What is read."),
        Field("file", file, "&File", beside=beside, visible_if=lambda: kind.value == "file"),
        Field("strict", QCheckBox("&Strict"), enabled_if=lambda: bool(file.text())),
    )
    qtbot.addWidget(form)
    form.show()
    return form


def _widget(form: Form, name: str) -> QWidget:
    return child_of(form, QWidget, f"sample.{name}")


def test_fields_have_names_labels_and_hints(form: Form) -> None:
    """Screen readers and mnemonics find every field."""
    assert _widget(form, "file").accessibleName() == "File"
    assert _widget(form, "file.size").accessibleName() == "Size"
    assert _widget(form, "kind").accessibleDescription() == form.hint("kind").text() == "What is read."
    assert form.label("file.size").buddy() is _widget(form, "file.size")
    form.show_hint("file", "No such file.", "danger")
    form.show_values({"kind": "file"})
    assert (form.hint("file").text(), form.hint("file").isVisible()) == ("△ No such file.", True)
    assert _widget(form, "file").accessibleDescription() == "No such file."
    form.show_hint("file", "")
    assert not form.hint("file").isVisible()
    assert _widget(form, "file").accessibleDescription() == ""
    form.show_hint("file.size", "Too large.")
    assert form.hint("file.size").isVisible()


def test_conditions_follow_the_values(qtbot: QtBot, form: Form) -> None:
    """A hidden row hides its label and what stands beside it."""
    assert not form.label("file").isVisible()
    assert not _widget(form, "strict").isEnabled()
    with qtbot.waitSignals([form.changed, form.resized]):
        form.show_values({"kind": "file", "file": "a.csv"})
    assert all(_widget(form, name).isVisible() for name in ("file", "file.choose", "file.size"))
    assert _widget(form, "strict").isEnabled()
    values = {"kind": "file", "file": "a.csv", "file.size": 3, "strict": True}
    form.show_values(values)
    assert form.values() == values


def test_the_tab_key_follows_the_rows(form: Form) -> None:
    """Fields beside others follow them."""
    form.show_values({"kind": "file", "file": "a.csv"})
    form.activateWindow()
    _widget(form, "kind").setFocus()
    for name in ("file", "file.choose", "file.size", "strict"):
        QTest.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
        assert form.focusWidget() is _widget(form, name)


@pytest.mark.parametrize("key", [Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End])
def test_keys_do_not_change_a_closed_choice(qtbot: QtBot, key: Qt.Key) -> None:
    """They open the list, where only Enter takes a value."""
    choice = Choice({"a": "Alpha", "b": "Beta", "c": "Gamma"}, "b")
    qtbot.addWidget(choice)
    choice.show()
    decided: list[object] = []
    choice.decided.connect(decided.append)
    QTest.keyClick(choice, key)
    assert (choice.value, decided) == ("b", [])
    choice.view().setCurrentIndex(choice.model().index(0, 0))
    QTest.keyClick(choice.view(), Qt.Key.Key_Return)
    assert (choice.value, decided) == ("a", ["a"])
