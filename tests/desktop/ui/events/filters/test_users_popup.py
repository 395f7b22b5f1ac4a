"""Tests of the users and groups popup, with the reference server."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget

from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse, active_popup
from tests.desktop.ui.events.filters.test_filters import add_by_entry
from tests.desktop.ui.finding import child_of

RETURN = Qt.Key.Key_Return


def groups_line(view: EventsView) -> QLineEdit:
    """Opens the popup and returns the line edit for groups."""
    view.filter_controller.edit(QueryPart.USER, view.filter_bar.chip(QueryPart.USER))
    found = child_of(active_popup(), QLineEdit, "events.checklist.groups.search")
    found.setFocus()
    return found


async def test_own_groups_are_chosen_by_name_and_others_by_number(browse: Browse, sign_in: SignIn) -> None:
    """The chip shows the name; the request contains the number."""
    async with sign_in("support", "support") as client, browse() as (view, controller):
        session = await client.read_session()
        controller.add_session(session)
        (number, name), *_others = view.seen.groups
        assert not name.startswith("#")
        await until(lambda: view.has_rows)
        line = groups_line(view)
        QTest.keyClicks(line, name)
        QTest.keyClick(line, RETURN)
        add_by_entry(line, "8765")
        QTest.keyClick(line, RETURN)
        assert set(controller.query.groups) == {number, 8765}
        assert controller.query.users == ()
        assert set(view.filter_bar.summaries[QueryPart.USER].split(", ")) == {f"group {name}", "group #8765"}
        await until(lambda: "of" in view.count.text)
        listed = await client.list_events(controller.query.at(datetime.now(UTC)).filter, limit=1)
        assert view.model.result is not None
        assert view.model.result.total == listed.count


async def test_a_chip_shows_names_that_become_known_later(browse: Browse) -> None:
    """The chip of a query by number, as in a saved view, shows the name once rows contain it."""
    async with browse() as (view, controller):
        number, name = view.seen.users[0]
        view.seen._users.clear()
        controller.show_query(Query(users=(number,)))
        assert view.filter_bar.summaries == {QueryPart.USER: f"#{number}"}
        await until(lambda: view.filter_bar.summaries == {QueryPart.USER: name})


async def test_added_users_are_shown_as_on_the_chip(browse: Browse) -> None:
    """Unknown ones as #5, known ones by name; no user is listed twice or mistaken for another."""
    async with browse() as (view, controller):
        number, name = next((one, name) for one, name in view.seen.users if name.isalpha())
        line = groups_line(view)
        found = child_of(active_popup(), QListWidget, "events.checklist.groups.list")
        add_by_entry(line, "8765")
        assert [found.item(row).text() for row in range(found.count()) if is_checked(found, row)] == ["#8765"]
        users, line = lists_of_users()
        listed = users.count()
        add_by_entry(line, "#98765")
        QTest.keyClicks(line, str(number))
        QTest.keyClick(line, RETURN)
        add_by_entry(line, "9876")
        assert users.count() == listed + 2
        texts = [users.item(row).text() for row in range(users.count()) if is_checked(users, row)]
        assert set(texts) == {"#98765", "#9876", name}
        QTest.keyClick(line, RETURN)
        assert set(controller.query.users) == {number, 98765, 9876}
        assert "#9876" in view.filter_bar.summaries[QueryPart.USER]


def lists_of_users() -> tuple[QListWidget, QLineEdit]:
    """The list of users and its line edit."""
    users = active_popup().findChild(QListWidget, "events.checklist.users.list")
    line = active_popup().findChild(QLineEdit, "events.checklist.users.search")
    assert isinstance(users, QListWidget)
    assert isinstance(line, QLineEdit)
    line.setFocus()
    return users, line


def is_checked(checklist: QListWidget, row: int) -> bool:
    """Whether a value is checked."""
    return checklist.item(row).checkState() is Qt.CheckState.Checked
