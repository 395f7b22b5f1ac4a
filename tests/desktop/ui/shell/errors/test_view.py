"""Tests of the page of errors, most of them without any service."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import ServerErrorDetails
from cdb_desktop.ui.shell.errors.view import ErrorsView
from cdb_desktop.ui.theme.appearance import Appearance

RIGHT = {
    "realm": "user",
    "code": "error.user.no_system_right",
    "parameters": {"right": "system.api.event.get"},
}


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> ErrorsView:
    """The page on the screen."""
    view = ErrorsView(appearance)
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    with qtbot.waitActive(view):
        view.activateWindow()
    return view


def _text(view: ErrorsView, name: str) -> str:
    label = view.findChild(QLabel, f"errors.{name}")
    assert label is not None
    return label.text()


def test_the_first_thing_seen_is_an_explanation(view: ErrorsView) -> None:
    """Not a blank page with a search field."""
    assert view.list.model().rowCount() == 121
    assert _text(view, "code") == "error.api.generic"
    assert _text(view, "remedy")


def test_words_narrow_the_list(view: ErrorsView) -> None:
    """The best stands first and is explained at once, with the names of its parameters."""
    QTest.keyClicks(view.search, "no_system")
    assert view.list.model().rowCount() == 1
    assert _text(view, "title") == "System right missing"
    assert "‹right›" in _text(view, "text")
    assert _text(view, "parameters") == "right"


def test_a_whole_error_object_is_explained_with_its_values(view: ErrorsView) -> None:
    """As it stands in a log or an answer."""
    view.search.setText(json.dumps(RIGHT))
    assert "system.api.event.get" in _text(view, "text")
    assert "‹" not in _text(view, "text")


def test_markup_in_a_value_is_shown_as_it_is(view: ErrorsView) -> None:
    """What a service sends is text, whatever it looks like."""
    view.search.setText(json.dumps(RIGHT | {"parameters": {"right": "<img src=x>"}}))
    assert "&lt;img src=x&gt;" in _text(view, "text")


def test_an_unknown_code_is_explained_as_far_as_possible(view: ErrorsView) -> None:
    """The newest service may say what this catalogue has not."""
    view.explain("error.user.brand_new")
    assert _text(view, "title") == "error.user.brand_new"
    assert "does not know" in _text(view, "text")


def test_nothing_found_is_a_picture_with_a_way_out(view: ErrorsView) -> None:
    """One click shows everything again."""
    view.search.setText("xyzzy")
    (step,) = [button for button in view.findChildren(QPushButton) if button.text() == "Show all codes"]
    assert step.isVisible()
    step.click()
    assert view.list.model().rowCount() == 121


def test_escape_takes_back_one_thing_after_the_other(qtbot: QtBot, view: ErrorsView) -> None:
    """First the search, then the page."""
    view.search.setText("right")
    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert view.search.text() == ""
    with qtbot.waitSignal(view.leave_requested):
        QTest.keyClick(view.search, Qt.Key.Key_Escape)


def test_the_keyboard_goes_from_the_field_into_the_list(view: ErrorsView) -> None:
    """And from code to code."""
    view.search.setFocus()
    QTest.keyClick(view.search, Qt.Key.Key_Down)
    assert view.list.hasFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Down)
    assert _text(view, "code") == "error.api.invalid_request_method"


def test_details_are_copied_without_secrets(view: ErrorsView) -> None:
    """For a mail to the administrators."""
    view.search.setText(json.dumps(RIGHT | {"description": "GET /x?token=hush"}))
    view.findChild(QLabel, "errors.title")
    view._copy.click()
    copied = QApplication.clipboard().text()
    assert "parameter right: system.api.event.get" in copied
    assert "hush" not in copied


def test_only_a_service_can_be_asked_for_details(qtbot: QtBot, view: ErrorsView) -> None:
    """The button is there for server errors, and works with a connection and a uuid."""
    view.explain("error.user.login_failed")
    assert not view.lookup.isVisible()
    view.explain("error.server.database")
    ask = view.findChild(QPushButton, "errors.ask")
    assert ask is not None
    view.lookup.show_uuid("c0ffee")
    assert not ask.isEnabled()
    assert "connection" in ask.toolTip()
    view.show_service(connected=True)
    with qtbot.waitSignal(view.details_requested) as asked:
        ask.click()
    assert asked.args == ["c0ffee"]


def test_what_the_service_wrote_down_is_shown(view: ErrorsView) -> None:
    """And gone when another code is chosen."""
    view.explain("error.server.database")
    view.show_details(ServerErrorDetails(uuid="c0ffee", code="error.server.database", log="Traceback"))
    assert "Traceback" in view.lookup.text
    view.explain("error.server.generic")
    assert view.lookup.text == ""
