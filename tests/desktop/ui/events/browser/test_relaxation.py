"""Tests of the similar queries that the page of a query without rows offers."""

from datetime import UTC, datetime

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.shell.settings.language import ZoneSetting
from cdb_desktop.ui.widgets.labels import BESIDE
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse

LONG_AGO = TimeSpan(first=datetime(2001, 1, 1, tzinfo=UTC), last=datetime(2001, 1, 2, tzinfo=UTC))


def choices(view: EventsView) -> list[str]:
    """The offers, if the page is shown."""
    return view.empty_page.state.choices if view.empty_page.isVisible() else []


def choose(view: EventsView, text: str) -> None:
    """Clicks an offer."""
    buttons = view.empty_page.findChildren(QPushButton, "empty.choice")
    (button,) = (one for one in buttons if one.text() == text and one.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_a_misspelt_word_is_corrected(browse: Browse) -> None:
    """The nearest word that occurs is the first offer, and finds something."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("delted", PatternKind.WORDS),)))
        await until(lambda: choices(view))
        assert choices(view)[0] == "“deleted” instead of “delted”"
        choose(view, "“deleted” instead of “delted”")
        assert controller.query == Query(conditions=(Condition("deleted", PatternKind.WORDS),))
        await until(lambda: view.has_rows)
        assert not view.empty_page.isVisible()


async def test_conditions_are_offered_for_words(browse: Browse) -> None:
    """Beside the chips where the words find something: the sign-ins of a user, whose type contains "user"."""
    async with browse() as (view, controller):
        (offer,) = view.filter_bar.findChildren(QPushButton, "events.filter.offer")
        assert view.model.result is not None
        types: dict[str, set[str]] = {}
        for event in (one for page in view.model.result.loaded_events() for one in page):
            types.setdefault(event.user_displayname or "", set()).add(event.type)
        name = next(name for name, of_user in types.items() if {"USER_LOGIN", "SEARCH"} <= of_user)
        controller.show_query(Query(conditions=(Condition(f"user {name}", PatternKind.WORDS),)))
        await until(offer.isVisible)
        assert view.has_rows
        number, _, rest = offer.text().partition(" ")
        assert rest in (f"with user:{one} instead of “user {name}”" for one in (name, f'"{name}"'))
        QTest.mouseClick(offer, Qt.MouseButton.LeftButton)
        assert controller.query.users
        assert not controller.query.conditions
        assert not offer.isVisible()
        await until(lambda: view.has_rows and view.model.rowCount() == int(number.replace(",", "")))


async def test_the_time_zone_is_followed(browse: Browse, qapp: QApplication, settings: QSettings) -> None:
    """The name beside the number of rows changes; an offer beside the chips stays."""
    zone = ZoneSetting(qapp, settings)
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.count.text.endswith("local time"))
        (offer,) = view.filter_bar.findChildren(QPushButton, "events.filter.offer")
        view.filter_bar.show_offer(Query(), "All")
        try:
            zone.choose("utc")
            await until(lambda: view.count.text.endswith("UTC"))
            assert offer.isVisible()
        finally:
            zone.choose("local")


async def test_what_is_typed_is_counted(browse: Browse) -> None:
    """The completion for the whole text shows how many events the service has for it."""
    async with browse() as (view, controller):
        line = view.query_line
        line.setFocus()
        QTest.keyClicks(line, "user Root")
        assert line.completion_texts[0] == "user Root → user:Root"
        await until(lambda: line._rows.item(0).data(BESIDE))
        number = int(line._rows.item(0).data(BESIDE).replace(",", ""))
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
            QTest.keyClick(line._popup, key)
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert controller.query.users
        await until(lambda: view.has_rows and view.model.rowCount() == number)


async def test_small_words_are_offered_to_be_left_out(browse: Browse) -> None:
    """Before other offers where nothing was found."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("who whom sign-ins", PatternKind.WORDS),)))
        offer = "with type:USER_LOGIN instead of “who whom sign-ins”"
        await until(lambda: choices(view) and choices(view)[0].endswith(offer))


async def test_filters_are_offered_to_be_left_out(browse: Browse) -> None:
    """With the number of events that the service has without them, unless there are none."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("OBJECT_DELETE",), span=LONG_AGO))
        await until(lambda: choices(view))
        (offer,) = choices(view)
        number, _, rest = offer.partition(" without Date: ")
        assert rest
        choose(view, offer)
        assert controller.query == Query(types=("OBJECT_DELETE",))
        await until(lambda: view.has_rows)
        assert view.model.rowCount() == int(number)


async def test_a_date_with_words_is_left_out_without_a_number(browse: Browse) -> None:
    """What of the other events meets the conditions only another search can tell."""
    async with browse() as (view, controller):
        words = Condition("deleted", PatternKind.WORDS)
        controller.show_query(Query(span=LONG_AGO, conditions=(words,)))
        await until(lambda: choices(view))
        (offer,) = choices(view)
        assert offer.startswith("Search without Date: ")


async def test_a_stopped_search_offers_nothing(browse: Browse) -> None:
    """Its numbers are partial."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("delted", PatternKind.WORDS),)))
        await until(lambda: isinstance(view.model.result, MatchedResult))
        view.give_up_requested.emit()
        await until(lambda: view.model.result is not None and view.model.result.total is not None)
        assert choices(view) == []
