"""Tests of the base class of dialogs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.settings.language import LanguageSetting
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.vocabulary.error_messages import ErrorMessage

FAILURE = ErrorMessage(
    "Not committed", "Rows stand in the way.", "Remove them first.", "error.schema.plan", "Details: 7 rows"
)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The parent of the dialogs."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


class SampleDialog(BaseDialog):
    """A subclass as in the panes, with its own texts."""

    def __init__(self, appearance: Appearance, window: QWidget) -> None:
        super().__init__(appearance, "asking", window)
        self.set_texts("Ask", "Whether.", "Do it")


def test_all_buttons_have_the_same_height(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The default button, Cancel, and any other button."""
    sheet = SampleDialog(appearance, window)
    other = sheet.add_button("Something else", sheet.reject)
    sheet.open()
    qtbot.waitExposed(sheet)
    buttons = (sheet.accept_button, sheet.cancel_button, other)
    assert len({(button.y(), button.height()) for button in buttons}) == 1


def test_input_errors_have_no_details_and_failures_have(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """The details of a failure can be copied and explained."""
    sheet = SampleDialog(appearance, window)
    sheet.open()
    copy = sheet.findChild(QToolButton, "failure.copy")
    assert copy is not None
    sheet.show_fault("Too long.")
    assert (sheet.fault, copy.isVisible()) == ("Too long.", False)
    sheet.show_failure(FAILURE)
    assert sheet.fault == "Not committed. Rows stand in the way. Remove them first."
    assert copy.isVisible()
    copy.click()
    assert QApplication.clipboard().text() == FAILURE.details
    sheet.show_fault("")
    assert not copy.isVisible()


def test_an_explanation_closes_the_dialog(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The Errors page would be behind it."""
    sheet = SampleDialog(appearance, window)
    sheet.open()
    sheet.show_failure(FAILURE)
    explain = sheet.findChild(QToolButton, "failure.explain")
    assert explain is not None
    with (
        qtbot.waitSignal(sheet.destroyed),
        qtbot.waitSignal(sheet.explain_requested, check_params_cb=lambda code: code == "error.schema.plan"),
    ):
        explain.click()


def test_escape_only_closes(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The secondary action is not triggered either."""
    sheet, done = SampleDialog(appearance, window), []
    other = sheet.add_button("Other", lambda: done.append("other"))
    sheet.open()
    with qtbot.waitSignal(sheet.destroyed):
        sheet.reject()
    assert done == []
    again = SampleDialog(appearance, window)
    other = again.add_button("Other", lambda: done.append("other"))
    again.open()
    with qtbot.waitSignal(again.destroyed):
        other.click()
    assert done == ["other"]


def test_cancel_is_translated_in_every_dialog(
    qapp: QApplication, settings: QSettings, appearance: Appearance, window: QWidget
) -> None:
    """The text belongs to the base class, not to the translation context of a subclass."""
    language = LanguageSetting(qapp, settings)
    language.choose("de")
    try:
        cancel = SampleDialog(appearance, window).findChild(QPushButton, "asking.cancel")
        assert cancel is not None
        assert cancel.text() == "Abbrechen"
    finally:
        language.choose("en")


def overlapping(sheet: BaseDialog) -> list[tuple[str, str]]:
    """The widgets of a dialog that overlap."""
    parts = [part for part in sheet.findChildren(QWidget) if part.isVisible() and part.parent() is sheet]
    return [
        (one.objectName(), other.objectName())
        for place, one in enumerate(parts)
        for other in parts[place + 1 :]
        if one.geometry().intersects(other.geometry())
    ]


def test_widgets_do_not_overlap(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """Also after widgets were added, and if two thirds of the screen would not be high enough."""
    sheet = SampleDialog(appearance, window)
    tall = QWidget(sheet)
    tall.setFixedHeight(round(sheet.screen().availableGeometry().height() * 0.7))
    sheet.body.addWidget(tall)
    sheet.set_text("What is told first. " * 20)
    sheet.open()
    sheet.fit()
    assert overlapping(sheet) == []
    sheet.show_failure(ErrorMessage("Not done", "A reason. " * 40, "What to do.", "error.api.x", "Details"))
    assert overlapping(sheet) == []


def test_all_buttons_of_a_dialog_have_the_same_height(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """The default button, Cancel, buttons added by panes and those between the fields."""
    sheet = SampleDialog(appearance, window)
    sheet.add_button("Something else", lambda: None)
    sheet.body.addWidget(QPushButton("Choose…", sheet))
    sheet.open()
    qtbot.waitExposed(sheet)
    assert len(sheet.findChildren(QPushButton)) == 4
    assert len({button.height() for button in sheet.findChildren(QPushButton)}) == 1
