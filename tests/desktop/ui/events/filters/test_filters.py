"""Tests of filters, sorting and their history, with the reference server."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QPushButton, QWidget

from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.row_menu import filters_of
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, active_popup
from tests.desktop.ui.finding import child_of

RETURN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape


def open_popup(view: EventsView, part: QueryPart) -> QWidget:
    """Opens the popup of a filter; returns it and the focused widget in it."""
    view.filter_controller.edit(part, view.filter_bar.chip(part))
    focus = active_popup().focusWidget()
    assert focus is not None
    return focus


async def test_types_are_chosen_by_typing(browse: Browse) -> None:
    """A chip shows the selection, the rows are filtered, and its cross removes the filter.

    Escape discards check marks.
    """
    async with browse() as (view, controller):
        search = open_popup(view, QueryPart.TYPE)
        QTest.keyClicks(search, "SEARCH")
        QTest.keyClick(search, RETURN)
        QTest.keyClick(search, ESCAPE)
        assert controller.query == Query()
        search = open_popup(view, QueryPart.TYPE)
        for word in ("object_up", "SEARCH"):
            QTest.keyClicks(search, word)
            QTest.keyClick(search, RETURN)
        QTest.keyClick(search, RETURN)
        await until(lambda: "of" in view.count.text)
        assert view.filter_bar.summaries == {QueryPart.TYPE: "SEARCH, OBJECT_UPDATE"}
        shown = [view.model.event_at(row) for row in range(min(50, view.model.rowCount()))]
        assert {event.type for event in shown if event} == {"SEARCH", "OBJECT_UPDATE"}
        QTest.keyClick(view.filter_bar.chip(QueryPart.TYPE), Qt.Key.Key_Delete)
        await until(lambda: view.model.rowCount() >= 2000)
        assert view.filter_bar.summaries == {}


async def test_the_bar_stays_while_the_pointer_is_over_it(browse: Browse) -> None:
    """Otherwise the second click of a double click on Clear all would be one on the histogram."""
    async with browse() as (view, controller):
        bar = view.filter_bar
        controller.show_query(Query(types=("SEARCH",)))
        bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        (clear,) = bar.findChildren(QPushButton, "events.filter.clear")
        clear.click()
        assert bar.summaries == {}
        assert bar.isVisible()
        bar.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, on=False)
        QApplication.sendEvent(bar, QEvent(QEvent.Type.Leave))
        assert not bar.isVisible()


async def test_the_filter_menu_is_searched_by_typing(browse: Browse, actions: Actions) -> None:
    """Return triggers the entry; text that matches no entry is searched among the types.

    It leads to the query line for what the service cannot filter by.
    """
    async with browse() as (view, controller):
        actions["filter"].trigger()
        QTest.keyClicks(active_popup(), "only not")
        QTest.keyClick(active_popup(), RETURN)
        assert controller.query == Query(pollable=False)
        controller.show_query(Query())
        actions["filter"].trigger()
        QTest.keyClicks(active_popup(), "de")
        QTest.keyClicks(active_popup().focusWidget(), "let")
        search = active_popup().focusWidget()
        assert isinstance(search, QLineEdit)
        assert search.text() == "delet"
        QTest.keyClick(search, Qt.Key.Key_Down)
        QTest.keyClick(active_popup().focusWidget(), Qt.Key.Key_Space)
        QTest.keyClick(active_popup().focusWidget(), RETURN)
        assert len(controller.query.types) == 1
        assert "DELETE" in controller.query.types[0]
        actions["filter"].trigger()
        QTest.keyClicks(active_popup(), "object")
        QTest.keyClick(active_popup(), RETURN)
        assert view.query_line.hasFocus()


async def test_a_typed_user_name_opens_the_users_popup(browse: Browse, actions: Actions) -> None:
    """If no type matches, whatever the first letters are; Return checks and applies."""
    async with browse() as (view, controller):
        number, name = view.seen.users[0]
        actions["filter"].trigger()
        for letter in name.casefold():
            field: QWidget | None = active_popup().focusWidget()
            QTest.keyClicks(active_popup() if field is None else field, letter)
        for _tick_and_take in range(2):
            QTest.keyClick(active_popup().focusWidget(), RETURN)
        assert controller.query == Query(users=(number,))


async def test_users_are_chosen_by_name_or_number(browse: Browse) -> None:
    """Names come from the rows; an unknown user is chosen by number."""
    async with browse() as (view, controller):
        # With the count these rows are complete: any other rows are those of the filter.
        await until(lambda: view.model.result is not None and view.model.result.total)
        before = view.model.result
        number, name = view.seen.users[0]
        search = open_popup(view, QueryPart.USER)
        QTest.keyClicks(search, name)
        QTest.keyClick(search, RETURN)
        add_by_entry(search, "987654")
        QTest.keyClick(search, RETURN)
        assert set(controller.query.users) == {number, 987_654}
        await until(lambda: view.model.result is not before and view.has_rows)
        assert set(view.filter_bar.summaries[QueryPart.USER].split(", ")) == {name, "#987654"}
        event = view.model.event_at(0)
        assert event is not None
        assert event.user_id == number


def add_by_entry(search: QWidget, text: str) -> None:
    """Types an unlisted value and clicks the entry that adds it."""
    QTest.keyClicks(search, text)
    QTest.keyClick(search, Qt.Key.Key_Down)
    for key in (Qt.Key.Key_End, Qt.Key.Key_Space):
        QTest.keyClick(active_popup().focusWidget(), key)


async def test_a_header_sorts_at_the_service(browse: Browse) -> None:
    """The arrow shows the order, and the rows are scrolled to the top."""
    async with browse() as (view, _controller):
        view.table.scrollToBottom()
        view.table.horizontalHeader().sectionClicked.emit(2)
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        assert view.table.verticalScrollBar().value() == 0
        assert view.model.headerData(2, Qt.Orientation.Horizontal) == "Type ▴"
        assert view.model.headerData(0, Qt.Orientation.Horizontal) == "Id"
        assert "of" not in view.count.text


async def test_a_row_filters_by_its_cells(browse: Browse) -> None:
    """By its type, by its user, or by the time around it."""
    async with browse() as (view, controller):
        event = view.model.event_at(0)
        assert event is not None
        offered = {one.text: one.query for one in filters_of(event, controller.query)}
        assert offered[f"Only {event.type}"].types == (event.type,)
        near = offered["±5 minutes around this event"]
        controller.show_query(near)
        await until(lambda: "of" in view.count.text)
        assert view.model.result is not None
        assert view.model.result.row_of(event.id) is not None


async def test_pollable_is_a_filter_too(browse: Browse) -> None:
    """It has no popup: a click on its chip inverts it."""
    async with browse() as (view, controller):
        for pollable, summary in ((True, "yes"), (False, "no")):
            view.filter_bar.pollable_requested.emit(pollable)
            assert view.filter_bar.summaries == {QueryPart.POLLABLE: summary}
            view.filter_controller.edit(QueryPart.POLLABLE, view)
            assert controller.query.pollable is not pollable


async def test_return_checks_the_first_match_and_adds_nothing(browse: Browse) -> None:
    """An unknown type is added only with its own entry."""
    async with browse() as (view, controller):
        search = open_popup(view, QueryPart.TYPE)
        shown = child_of(active_popup(), QListWidget, "events.checklist.list")
        QTest.keyClicks(search, "unheard")
        for _twice in range(2):
            QTest.keyClick(search, RETURN)
        assert active_popup().isVisible()
        assert entries(shown) == ["Filter by “unheard” anyway"]
        active_popup().close()
        assert controller.query == Query()
        search = open_popup(view, QueryPart.TYPE)
        QTest.keyClicks(search, "delete")
        shown = child_of(active_popup(), QListWidget, "events.checklist.list")
        first = entries(shown)[0]
        for _tick_and_take in range(2):
            QTest.keyClick(search, RETURN)
        assert controller.query == Query(types=(first,))


async def test_another_value_requires_its_own_entry(browse: Browse) -> None:
    """Chosen by arrow and Return; no entry is offered for a listed value."""
    async with browse() as (view, controller):
        search = open_popup(view, QueryPart.TYPE)
        shown = child_of(active_popup(), QListWidget, "events.checklist.list")
        QTest.keyClicks(search, "search")
        assert entries(shown)[0] == "SEARCH"
        assert not any("anyway" in text for text in entries(shown))
        search.selectAll()  # type: ignore[attr-defined]
        QTest.keyClicks(search, "looked at")
        assert entries(shown) == ["DETAIL_VIEW", "Filter by “looked at” anyway"]
        search.selectAll()  # type: ignore[attr-defined]
        QTest.keyClicks(search, "unheard")
        QTest.keyClick(search, Qt.Key.Key_Down)
        QTest.keyClick(active_popup().focusWidget(), RETURN)
        assert controller.query == Query(types=("unheard",))


async def test_users_and_groups_require_it_too(browse: Browse) -> None:
    """Return alone adds nothing; the entry is clicked."""
    async with browse() as (view, controller):
        for name, text, query in (
            ("users", "987654", Query(users=(987_654,))),
            ("groups", "#8765", Query(groups=(8765,))),
            ("user_types", "system", Query(user_types=("system",))),
        ):
            open_popup(view, QueryPart.USER)
            popup = active_popup()
            line = child_of(popup, QLineEdit, f"events.checklist.{name}.search")
            shown = child_of(popup, QListWidget, f"events.checklist.{name}.list")
            line.setFocus()
            QTest.keyClicks(line, text)
            QTest.keyClick(line, RETURN)
            assert popup.query == Query(), name  # type: ignore[attr-defined]
            entry = shown.item(shown.count() - 1)
            assert "anyway" in entry.text()
            place = shown.visualItemRect(entry).center()
            QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
            QTest.keyClick(line, RETURN)
            assert controller.query == query
            controller.show_query(Query())


def entries(shown: QListWidget) -> list[str]:
    """The visible entries of a list."""
    items = (shown.item(row) for row in range(shown.count()))
    return [item.text() for item in items if not item.isHidden()]
