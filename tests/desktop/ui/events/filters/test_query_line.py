"""Tests of the query line, with the reference server."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.widgets.query_line import examples
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import parse_query
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.conftest import SetLanguage
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, ended, enter
from tests.desktop.ui.finding import child_of

RETURN, ESCAPE, DOWN, BACKSPACE = Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Backspace


async def test_words_filter_the_rows(browse: Browse, actions: Actions) -> None:
    """Matches in any field are the rows, counted among all events; the chip removes the search again."""
    async with browse() as (view, controller):
        actions["search"].trigger()
        assert view.query_line.hasFocus()
        enter(view, "denied")
        await until(lambda: ended(view))
        assert controller.query == Query(conditions=(Condition("denied", PatternKind.WORDS),))
        result = view.model.result
        assert result is not None
        assert 0 < result.rows < 2000
        events = [view.model.event_at(row) for row in range(result.rows)]
        assert all(event is not None and b"denied" in bytes(event.info or b"").lower() for event in events)
        await until(lambda: view.count.text.startswith(f"{result.rows} of 2"))
        chip = view.filter_bar.chip(controller.query.parts[0])
        QTest.keyClick(chip, Qt.Key.Key_Delete)
        await until(lambda: view.model.rowCount() >= 2000)


async def test_service_filters_and_conditions(browse: Browse) -> None:
    """Types, users and dates are sent to the service; exclusions are tested here."""
    async with browse() as (view, controller):
        enter(view, "type:SEARCH last 30 days")
        await until(lambda: "of" in view.count.text)
        assert controller.query.types == ("SEARCH",)
        assert controller.query.span == TimeSpan(first_ago=30 * 86_400)
        user = next(event for row in range(50) if (event := view.model.event_at(row)) and event.user_id)
        assert user.user_displayname is not None
        enter(view, f'-user:"{user.user_displayname}"')
        await until(lambda: ended(view))
        shown = [view.model.event_at(row) for row in range(view.model.rowCount())]
        assert {event.type for event in shown if event} == {"SEARCH"}
        assert user.user_id not in {event.user_id for event in shown if event}


@pytest.mark.generation5("types are named otherwise there")
async def test_completions(browse: Browse) -> None:
    """Down chooses a completion, and Return applies first it and then the line."""
    async with browse() as (view, controller):
        line = view.query_line
        line.setFocus()
        QTest.keyClicks(line, "typ")
        assert line.completion_texts == ["type:"]
        popup = QApplication.activePopupWidget()
        assert popup is not None
        QTest.keyClick(popup, DOWN)
        QTest.keyClick(popup, RETURN)
        assert line.text() == "type:"
        await until(lambda: "type:SEARCH" in line.completion_texts)
        QTest.keyClicks(line, "sea")
        QTest.keyClick(popup, DOWN)
        QTest.keyClick(popup, RETURN)
        assert line.text() == "type:SEARCH "
        QTest.keyClick(line, RETURN)
        assert controller.query == Query(types=("SEARCH",))


async def test_words_are_offered_as_conditions(browse: Browse) -> None:
    """The condition is applied by choosing it; Return alone runs the words. Both begin in the rows."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows and view.seen.events_of_types["OBJECT_DELETE"] > 0)
        line = view.query_line
        QTest.keyClicks(view.table, "d")
        assert line.hasFocus()
        QTest.keyClicks(line, "eleted")
        assert line.completion_texts[0] == "deleted → type:OBJECT_DELETE"
        popup = QApplication.activePopupWidget()
        assert popup is not None
        QTest.keyClick(popup, RETURN)
        assert controller.query == Query(conditions=(Condition("deleted", PatternKind.WORDS),))
        controller.show_query(Query())
        QTest.keyClicks(line, "deleted")
        QTest.keyClick(popup, DOWN)
        QTest.keyClick(popup, RETURN)
        assert controller.query == Query(types=("OBJECT_DELETE",))


async def test_faults_are_shown_at_their_place(browse: Browse) -> None:
    """The term is selected, the reason is below the line, and nothing is lost."""
    async with browse() as (view, controller):
        enter(view, "denied /(/")
        assert view.query_line.text() == "denied /(/"
        assert view.query_line.selectedText() == "/(/"
        hint = child_of(view.query_line, QLabel, "events.query.error")
        assert hint.isVisible()
        assert "expression" in hint.text()
        assert controller.query == Query()
        QTest.keyClicks(view.query_line, "x")
        assert not hint.isVisible()


async def test_an_id_selects_its_event(browse: Browse) -> None:
    """A bare number is the id of an event, which is selected."""
    async with browse() as (view, controller):
        event = view.model.event_at(5)
        assert event is not None
        enter(view, f"{event.id:,}")
        await until(lambda: view.table.current_event == event)
        assert (controller.query, view.query_line.text()) == (Query(), "")


async def test_conditions_are_edited_as_text(browse: Browse) -> None:
    """Backspace in the empty line takes the last condition back into it."""
    async with browse() as (view, controller):
        enter(view, "-/den.ed/")
        await until(lambda: ended(view))
        QTest.keyClick(view.query_line, BACKSPACE)
        assert view.query_line.text() == "-/den.ed/"
        assert controller.query == Query()


async def test_objects(browse: Browse) -> None:
    """An object is found as the Object column shows it, and by the menu of its rows."""
    async with browse() as (view, controller):
        event = next(
            one for row in range(500) if (one := view.model.event_at(row)) is not None and one.objecttype
        )
        enter(view, f"{event.objecttype} {event.object_id}")
        await until(lambda: ended(view))
        expected = Condition(f"{event.objecttype} {event.object_id}", PatternKind.OBJECT)
        assert controller.query.conditions == (expected,)
        shown = [view.model.event_at(row) for row in range(view.model.rowCount())]
        assert event.id in {one.id for one in shown if one}
        found = {(one.objecttype, one.object_id) for one in shown if one}
        assert found == {(event.objecttype, event.object_id)}
        controller.show_query(Query(types=(event.type,)))
        view.search_object(event)
        await until(lambda: ended(view))
        assert controller.query == Query(conditions=(expected,))
        await until(lambda: view.table.current_event is not None and view.table.current_event.id == event.id)


async def test_help(browse: Browse) -> None:
    """The help lists about a dozen examples, each of which can be typed."""
    async with browse() as (view, _controller):
        next(one for one in view.query_line.actions() if one.objectName() == "events.query.help").trigger()
        popup = QApplication.activePopupWidget()
        assert popup is not None
        examples = [label.text() for label in popup.findChildren(QLabel)][::2]
        assert len(examples) == 13
        popup.close()


def test_the_examples_mean_the_same_in_german(set_language: SetLanguage) -> None:
    """Names of fields and dates are those of the language, as completions are."""
    meant: list[list[tuple[object, ...]]] = []
    for name in ("en", "de"):
        set_language(name)
        terms = [parse_query(text, datetime.now(UTC), {"work"}) for text, _meaning in examples()[:-2]]
        meant.append([(one.field, one.span, one.is_excluded) for found in terms for one in found])
    assert meant[0] == meant[1]
    assert examples()[2][0] == "typ:EXPORT_FAILED"


@pytest.mark.parametrize("name", ["en", "de"])
async def test_the_examples_find_something(name: Language, set_language: SetLanguage, browse: Browse) -> None:
    """In the demonstration, where they are tried first."""
    set_language(name)
    async with browse() as (view, controller):
        for text, _meaning in examples()[:-3]:
            before = view.model.result
            view.query_line.setFocus()
            view.query_line.setText(text)  # Qt can only press keys of Latin letters
            QTest.keyClick(view.query_line, RETURN)
            assert controller.query != Query(), text
            await until(lambda: view.model.result not in (before, None) and view.has_rows)  # noqa: B023
            controller.show_query(Query())
            await until(lambda: not isinstance(view.model.result, MatchedResult) and view.has_rows)


@pytest.mark.parametrize("part", [QueryPart.TYPE, QueryPart.DATE])
async def test_backspace_opens_the_last_filter(browse: Browse, part: QueryPart) -> None:
    """In the empty line, if the last part is a filter of the service."""
    async with browse() as (view, controller):
        chosen = {
            QueryPart.TYPE: Query(types=("SEARCH",)),
            QueryPart.DATE: Query(span=TimeSpan(TimePreset.TODAY)),
        }
        controller.show_query(chosen[part])
        view.query_line.setFocus()
        QTest.keyClick(view.query_line, BACKSPACE)
        found: QWidget | None = QApplication.activePopupWidget()
        assert found is not None
        QTest.keyClick(found, ESCAPE)
