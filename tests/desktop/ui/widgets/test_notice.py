"""Tests of the notice bar and of the offer bar."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets import notice
from cdb_desktop.ui.widgets.notice import ActionNotice, NoticeBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from tests.desktop.ui.finding import child_of


@pytest.fixture
def bar(qtbot: QtBot, appearance: Appearance, monkeypatch: pytest.MonkeyPatch) -> Iterator[NoticeBar]:
    """A visible bar whose good news disappears soon."""
    monkeypatch.setattr(notice, "GOOD_NEWS_MS", 150)
    monkeypatch.setattr(notice, "_RETRY_MS", 50)
    page = QWidget()
    qtbot.addWidget(page)
    shown = NoticeBar(appearance, page)
    QVBoxLayout(page).addWidget(shown)
    page.resize(600, 200)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    yield shown
    page.close()


def message(title: str) -> ErrorMessage:
    """A message."""
    return ErrorMessage(title, "All of it.", "")


def test_good_news_disappears(qtbot: QtBot, bar: NoticeBar) -> None:
    """Soon, and once."""
    bar.show_passing(message("Exported"))
    assert bar.isVisible()
    qtbot.waitUntil(bar.isHidden, timeout=2_000)


def test_focus_keeps_a_notice(qtbot: QtBot, bar: NoticeBar) -> None:
    """While a widget of the bar has the focus."""
    bar.show_passing(message("Exported"))
    close = child_of(bar, QToolButton, "notice.close")
    close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    close.setFocus()
    qtbot.wait(400)
    assert bar.isVisible()
    close.clearFocus()
    qtbot.waitUntil(bar.isHidden, timeout=2_000)


def test_the_next_notice_stays(qtbot: QtBot, bar: NoticeBar) -> None:
    """A failure that replaces good news does not disappear with it."""
    bar.show_passing(message("Exported"))
    bar.show_message("danger", message("Not exported"))
    qtbot.wait(400)
    assert bar.isVisible()
    assert bar.title == "Not exported"


def test_an_offer_is_accepted_or_closed(qtbot: QtBot, appearance: Appearance) -> None:
    """By its button, or without any effect."""
    page = QWidget()
    qtbot.addWidget(page)
    offer, done, closed = ActionNotice(appearance, page), [], []
    page.resize(800, 100)
    page.show()
    offer.show_message("warning", message("Interrupted"))
    offer.add_button("the.offer", "Continue", lambda: done.append(1))
    offer.closed.connect(lambda: closed.append(1))
    button = child_of(offer, QPushButton, "the.offer")
    assert button.text() == "Continue"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (done, closed) == ([1], [])
    close = child_of(offer, QToolButton, "notice.close")
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert closed == [1]
    assert offer.isHidden()
