"""Tests of the base class of dialogs."""

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.finding import child_of

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


def test_input_errors_have_no_details_and_failures_have(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """The details of a failure can be copied and explained."""
    dialog = SampleDialog(appearance, window)
    dialog.open()
    copy = child_of(dialog, QToolButton, "failure.copy")
    dialog.show_fault("Too long.")
    assert (dialog.fault, copy.isVisible()) == ("Too long.", False)
    dialog.show_failure(FAILURE)
    assert dialog.fault == "Not committed. Rows stand in the way. Remove them first."
    assert copy.isVisible()
    assert FAILURE.details
    assert copy.toolTip().endswith(FAILURE.details)
    copy.click()
    assert QApplication.clipboard().text() == FAILURE.details
    dialog.show_fault("")
    assert not copy.isVisible()


def test_an_explanation_closes_the_dialog(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The Errors page would be behind it."""
    dialog = SampleDialog(appearance, window)
    dialog.open()
    dialog.show_failure(FAILURE)
    explain = child_of(dialog, QToolButton, "failure.explain")
    with (
        qtbot.waitSignal(dialog.destroyed),
        qtbot.waitSignal(dialog.explain_requested, check_params_cb=lambda code: code == "error.schema.plan"),
    ):
        explain.click()


def test_escape_only_closes(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """The secondary action is not triggered either."""
    dialog, done = SampleDialog(appearance, window), []
    other = dialog.add_button("Other", lambda: done.append("other"))
    dialog.open()
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
    assert done == []
    again = SampleDialog(appearance, window)
    other = again.add_button("Other", lambda: done.append("other"))
    again.open()
    with qtbot.waitSignal(again.destroyed):
        other.click()
    assert done == ["other"]


def test_cancel_is_translated_in_every_dialog(
    set_language: SetLanguage, appearance: Appearance, window: QWidget
) -> None:
    """The text belongs to the base class, not to the translation context of a subclass."""
    set_language("de")
    cancel = SampleDialog(appearance, window).findChild(QPushButton, "asking.cancel")
    assert cancel is not None
    assert cancel.text() == "Abbrechen"


def overlapping(dialog: BaseDialog) -> list[tuple[str, str]]:
    """The widgets of a dialog that overlap."""
    parts = [part for part in dialog.findChildren(QWidget) if part.isVisible() and part.parent() is dialog]
    return [
        (one.objectName(), other.objectName())
        for place, one in enumerate(parts)
        for other in parts[place + 1 :]
        if one.geometry().intersects(other.geometry())
    ]


def test_widgets_do_not_overlap(qtbot: QtBot, appearance: Appearance, window: QWidget) -> None:
    """Also after widgets were added, and if two thirds of the screen would not be high enough."""
    dialog = SampleDialog(appearance, window)
    tall = QWidget(dialog)
    tall.setFixedHeight(round(dialog.screen().availableGeometry().height() * 0.7))
    dialog.body.addWidget(tall)
    dialog.set_text("What is told first. " * 20)
    dialog.open()
    dialog.fit()
    assert overlapping(dialog) == []
    dialog.show_failure(ErrorMessage("Not done", "A reason. " * 40, "What to do.", "error.api.x", "Details"))
    assert overlapping(dialog) == []


def test_all_buttons_of_a_dialog_have_the_same_height(
    qtbot: QtBot, appearance: Appearance, window: QWidget
) -> None:
    """The default button, Cancel, buttons added by panes and those between the fields."""
    dialog = SampleDialog(appearance, window)
    buttons = (dialog.accept_button, dialog.cancel_button, dialog.add_button("Else", lambda: None))
    dialog.body.addWidget(QPushButton("Choose…", dialog))
    dialog.open()
    qtbot.waitExposed(dialog)
    assert len(dialog.findChildren(QPushButton)) == 4
    assert len({button.height() for button in dialog.findChildren(QPushButton)}) == 1
    assert len({button.y() for button in buttons}) == 1
