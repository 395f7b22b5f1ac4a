"""Tests of the sheet over the window."""

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
    """What sheets open over."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


class Asking(BaseDialog):
    """A sheet as the panes make them, with words of its own."""

    def __init__(self, appearance: Appearance, window: QWidget) -> None:
        super().__init__(appearance, "asking", window)
        self.set_texts("Ask", "Whether.", "Do it")


def test_all_buttons_have_one_height(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The filled one, the way out, and what else there is to do."""
    sheet = Asking(appearance, window)
    other = sheet.add_button("Something else", sheet.reject)
    sheet.open()
    qtbot.waitExposed(sheet)
    buttons = (sheet.accept_button, sheet.cancel_button, other)
    assert len({(button.y(), button.height()) for button in buttons}) == 1


def test_a_fault_has_no_details_and_a_failure_has(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """What is typed wrong is only said; what the service answered can be copied and looked up."""
    sheet = Asking(appearance, window)
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


def test_an_explanation_closes_the_sheet(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The page with it would stand behind."""
    sheet = Asking(appearance, window)
    sheet.open()
    sheet.show_failure(FAILURE)
    explain = sheet.findChild(QToolButton, "failure.explain")
    assert explain is not None
    with (
        qtbot.waitSignal(sheet.destroyed),
        qtbot.waitSignal(sheet.explain_requested, check_params_cb=lambda code: code == "error.schema.plan"),
    ):
        explain.click()


def test_escape_does_nothing_but_close(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The other thing to do is not done either."""
    sheet, done = Asking(appearance, window), []
    other = sheet.add_button("Other", lambda: done.append("other"))
    sheet.open()
    with qtbot.waitSignal(sheet.destroyed):
        sheet.reject()
    assert done == []
    again = Asking(appearance, window)
    other = again.add_button("Other", lambda: done.append("other"))
    again.open()
    with qtbot.waitSignal(again.destroyed):
        other.click()
    assert done == ["other"]


def test_every_sheet_says_cancel_in_the_language_of_the_window(
    qapp: QApplication, settings: QSettings, appearance: Appearance, window: QWidget
) -> None:
    """The word is the widget's own, whatever the sheet that is made of it is called."""
    language = LanguageSetting(qapp, settings)
    language.choose("de")
    try:
        cancel = Asking(appearance, window).findChild(QPushButton, "asking.cancel")
        assert cancel is not None
        assert cancel.text() == "Abbrechen"
    finally:
        language.choose("en")


def overlapping(sheet: BaseDialog) -> list[tuple[str, str]]:
    """The parts of a sheet that lie over one another."""
    parts = [part for part in sheet.findChildren(QWidget) if part.isVisible() and part.parent() is sheet]
    return [
        (one.objectName(), other.objectName())
        for place, one in enumerate(parts)
        for other in parts[place + 1 :]
        if one.geometry().intersects(other.geometry())
    ]


def test_nothing_lies_over_anything_else(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """Whatever comes later, and also where two thirds of the screen would be too low."""
    sheet = Asking(appearance, window)
    tall = QWidget(sheet)
    tall.setFixedHeight(round(sheet.screen().availableGeometry().height() * 0.7))
    sheet.body.addWidget(tall)
    sheet.set_text("What is told first. " * 20)
    sheet.open()
    sheet.fit()
    assert overlapping(sheet) == []
    sheet.show_failure(ErrorMessage("Not done", "A reason. " * 40, "What to do.", "error.api.x", "Details"))
    assert overlapping(sheet) == []


def test_all_buttons_of_a_sheet_have_one_height(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """The filled one, the one to cancel, those that a pane adds and those between its fields."""
    sheet = Asking(appearance, window)
    sheet.add_button("Something else", lambda: None)
    sheet.body.addWidget(QPushButton("Choose…", sheet))
    sheet.open()
    qtbot.waitExposed(sheet)
    assert len(sheet.findChildren(QPushButton)) == 4
    assert len({button.height() for button in sheet.findChildren(QPushButton)}) == 1
