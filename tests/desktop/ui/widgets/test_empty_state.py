"""Tests of the pictures for nothing to show."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind


@pytest.fixture
def picture(qtbot: QtBot, appearance: Appearance) -> EmptyState:
    """A picture on the screen."""
    picture = EmptyState(appearance)
    qtbot.addWidget(picture)
    picture.resize(600, 400)
    picture.show()
    return picture


def test_empty_loading_failed_and_forbidden_look_different(picture: EmptyState) -> None:
    """Even before anybody has read a word."""
    images = []
    for kind in EmptyStateKind:
        picture.show_state(kind, "Title", "One sentence.")
        images.append(picture.grab().toImage())
    assert all(one != other for one, other in combinations(images, 2))


def test_there_is_a_button_only_where_there_is_a_step(qtbot: QtBot, picture: EmptyState) -> None:
    """It says what it does, and it does it."""
    button = picture.findChild(QPushButton)
    assert button is not None
    picture.show_state(EmptyStateKind.FORBIDDEN, "Title", "Ask somebody.")
    assert not button.isVisible()
    picture.show_state(EmptyStateKind.FAILED, "Title", "One sentence.", "Try again")
    assert button.text() == "Try again"
    with qtbot.waitSignal(picture.step_requested):
        button.click()


def test_nothing_is_cut_through_where_there_is_little_room(qtbot: QtBot, appearance: Appearance) -> None:
    """First the sign goes, then the size of the title, then the words, which are a tip then."""
    place = QWidget()
    qtbot.addWidget(place)
    picture = EmptyState(appearance, place)
    place.resize(600, 400)
    place.show()
    picture.show_state(EmptyStateKind.EMPTY, "Title", "Words that take more than one line. " * 3, "A step")
    labels = picture.findChildren(QLabel)
    for height in (400, 200, 130, 100, 64):
        picture.resize(360, height)
        for label in labels:
            assert not label.isVisible() or label.height() >= label.heightForWidth(label.width())
            assert not label.isVisible() or picture.rect().contains(label.geometry())
    title, text = (label for label in labels if label.text())
    assert title.isVisible()
    assert not text.isVisible()
    assert title.toolTip() == text.text()


def test_no_single_word_is_left_for_the_last_line(picture: EmptyState) -> None:
    """Lines are about as long as each other, and no more than need be; a short sentence stays on one."""
    for text in (
        "No event passes all of these filters: Type: OBJECT_DELETE · Date: last 7 days.",
        "word " * 40,
    ):
        picture.show_state(EmptyStateKind.EMPTY, "Title", text)
        label = next(one for one in picture.findChildren(QLabel) if one.text() == text)
        metrics = label.fontMetrics()
        lines = -(-metrics.horizontalAdvance(text) // 460)
        assert label.heightForWidth(label.maximumWidth()) <= (lines + 1) * metrics.lineSpacing()
        assert metrics.horizontalAdvance(text) > (lines - 0.5) * label.maximumWidth()
    picture.show_state(EmptyStateKind.EMPTY, "Title", "One sentence.")
    label = next(one for one in picture.findChildren(QLabel) if one.text() == "One sentence.")
    assert label.heightForWidth(label.maximumWidth()) < 2 * label.fontMetrics().lineSpacing()
