"""Tests of the Errors page, most of them without a service."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import ServerErrorDetails
from cdb_desktop.ui.shell.errors import ErrorsView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import catalogue
from tests.desktop.ui.finding import child_of

RIGHT = {
    "realm": "user",
    "code": "error.user.no_system_right",
    "parameters": {"right": "system.api.event.get"},
}


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> ErrorsView:
    """The visible page."""
    view = ErrorsView(appearance)
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    with qtbot.waitActive(view):
        view.activateWindow()
    return view


def _text(view: ErrorsView, name: str) -> str:
    return child_of(view, QLabel, f"errors.{name}").text()


def test_codes_of_both_generations_are_explained(view: ErrorsView) -> None:
    """Each says where it comes from; lists in parameters are shown as words."""
    view.search.setText(json.dumps({"code": "SystemRightRequired", "parameters": {"rights": ["a.b", "c.d"]}}))
    assert _text(view, "kind") == "Generation 6 · The service refused the call · HTTP 403"
    assert "a.b, c.d" in _text(view, "text")
    view.search.setText("no_system_right")
    assert _text(view, "kind").startswith("Generation 5 · ")


def test_an_explanation_is_shown_first(view: ErrorsView) -> None:
    """The page is not blank initially."""
    assert view.list.model().rowCount() == len(catalogue())
    assert _text(view, "code") == "error.api.generic"
    assert _text(view, "remedy")


def test_typing_filters_the_list(view: ErrorsView) -> None:
    """The best match is first and explained immediately, with the names of its parameters."""
    QTest.keyClicks(view.search, "no_system")
    assert view.list.model().rowCount() == 1
    assert _text(view, "title") == "System right missing"
    assert "‹right›" in _text(view, "text")
    assert _text(view, "parameters") == "right"


def test_a_complete_error_object_is_explained_with_its_values(view: ErrorsView) -> None:
    """As copied from a log or a response; the values are plain text. A code without any has a description."""
    view.search.setText(json.dumps(RIGHT))
    assert "system.api.event.get" in _text(view, "text")
    assert "‹" not in _text(view, "text")
    view.search.setText(json.dumps(RIGHT | {"parameters": {"right": "<img src=x>"}}))
    assert "&lt;img src=x&gt;" in _text(view, "text")
    view.search.setText(json.dumps({"code": "ServerGeneric", "description": "No room.", "statuscode": 400}))
    assert "No room</span>." in _text(view, "text")


def test_an_unknown_code_is_explained_as_far_as_possible(view: ErrorsView) -> None:
    """A newer service may have codes that this catalog lacks."""
    view.explain("error.user.brand_new")
    assert _text(view, "title") == "error.user.brand_new"
    assert "does not know" in _text(view, "text")


def test_no_matches_show_an_empty_state_with_a_button(view: ErrorsView) -> None:
    """One click shows all codes again."""
    view.search.setText("xyzzy")
    (step,) = [button for button in view.findChildren(QPushButton) if button.text() == "Show all codes"]
    assert step.isVisible()
    step.click()
    assert view.list.model().rowCount() == len(catalogue())


def test_escape_clears_the_search_and_then_closes_the_page(qtbot: QtBot, view: ErrorsView) -> None:
    """One step for each press."""
    view.search.setText("right")
    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert view.search.text() == ""
    with qtbot.waitSignal(view.leave_requested):
        QTest.keyClick(view.search, Qt.Key.Key_Escape)


def test_arrows_move_from_the_field_into_the_list(view: ErrorsView) -> None:
    """In the list they move from code to code."""
    view.search.setFocus()
    QTest.keyClick(view.search, Qt.Key.Key_Down)
    assert view.list.hasFocus()
    QTest.keyClick(view.list, Qt.Key.Key_Down)
    assert _text(view, "code") == "error.api.invalid_request_method"


def test_details_are_copied_without_secrets(view: ErrorsView) -> None:
    """For a message to the administrators."""
    view.search.setText(json.dumps(RIGHT | {"description": "GET /x?token=hush"}))
    view.findChild(QLabel, "errors.title")
    view._copy.click()
    copied = QApplication.clipboard().text()
    assert "parameter right: system.api.event.get" in copied
    assert "hush" not in copied


def test_details_require_a_service_and_a_uuid(qtbot: QtBot, view: ErrorsView) -> None:
    """The button is shown for server errors."""
    view.explain("error.user.login_failed")
    assert not view.lookup.isVisible()
    view.explain("error.server.database")
    ask = child_of(view, QPushButton, "errors.ask")
    view.lookup.show_uuid("c0ffee")
    assert not ask.isEnabled()
    assert "connection" in ask.toolTip()
    view.show_service(connected=True)
    with qtbot.waitSignal(view.details_requested) as blocker:
        ask.click()
    assert blocker.args == ["c0ffee"]


def test_details_of_the_service_are_shown(view: ErrorsView) -> None:
    """They are removed when another code is selected."""
    view.explain("error.server.database")
    view.show_details(ServerErrorDetails(uuid="c0ffee", code="error.server.database", log="Traceback"))
    assert "Traceback" in view.lookup.text
    view.explain("error.server.generic")
    assert view.lookup.text == ""
