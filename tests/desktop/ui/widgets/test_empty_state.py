"""Tests of the empty state."""

from itertools import combinations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from tests.desktop.ui.finding import child_of


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> EmptyState:
    """A visible empty state."""
    view = EmptyState(appearance)
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    return view


def test_empty_loading_failed_and_forbidden_look_different(view: EmptyState) -> None:
    """They have different icons."""
    images = []
    for kind in EmptyStateKind:
        view.show_state(kind, "Title", "One sentence.")
        images.append(view.grab().toImage())
    assert all(one != other for one, other in combinations(images, 2))


def test_there_is_a_button_only_with_an_action(qtbot: QtBot, view: EmptyState) -> None:
    """It shows the text of the action and triggers it."""
    button = child_of(view, QPushButton)
    view.show_state(EmptyStateKind.FORBIDDEN, "Title", "Ask somebody.")
    assert not button.isVisible()
    view.show_state(EmptyStateKind.FAILED, "Title", "One sentence.", "Try again")
    assert button.text() == "Try again"
    with qtbot.waitSignal(view.step_requested):
        button.click()


def test_nothing_is_clipped_in_a_small_area(qtbot: QtBot, appearance: Appearance) -> None:
    """First the icon is hidden, then the title is smaller, then the text becomes a tooltip."""
    place = QWidget()
    qtbot.addWidget(place)
    view = EmptyState(appearance, place)
    place.resize(600, 400)
    place.show()
    view.show_state(EmptyStateKind.EMPTY, "Title", "Words that take more than one line. " * 3, "A step")
    labels = view.findChildren(QLabel)
    for height in (400, 200, 130, 100, 64):
        view.resize(360, height)
        for label in labels:
            assert not label.isVisible() or label.height() >= label.heightForWidth(label.width())
            assert not label.isVisible() or view.rect().contains(label.geometry())
    title, text = (label for label in labels if label.text())
    assert title.isVisible()
    assert not text.isVisible()
    assert title.toolTip() == text.text()


def test_lines_are_balanced(view: EmptyState) -> None:
    """There are as few lines as possible; a short sentence has one."""
    for text in (
        "No event passes all of these filters: Type: OBJECT_DELETE · Date: last 7 days.",
        "word " * 40,
    ):
        view.show_state(EmptyStateKind.EMPTY, "Title", text)
        label = next(one for one in view.findChildren(QLabel) if one.text() == text)
        metrics = label.fontMetrics()
        lines = -(-metrics.horizontalAdvance(text) // 460)
        assert label.heightForWidth(label.maximumWidth()) <= (lines + 1) * metrics.lineSpacing()
        assert metrics.horizontalAdvance(text) > (lines - 0.5) * label.maximumWidth()
    view.show_state(EmptyStateKind.EMPTY, "Title", "One sentence.")
    label = next(one for one in view.findChildren(QLabel) if one.text() == "One sentence.")
    assert label.heightForWidth(label.maximumWidth()) < 2 * label.fontMetrics().lineSpacing()
