"""Story: from a new event to the events around it, and back with the same filters."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.live.feed_filter import with_only_type
from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.events.view import HighlightPopup
from tests.desktop.patience import until
from tests.journeys.feed import Follower, following, log_in_repeatedly
from tests.journeys.steps import RETURN, filter_types, rows_are_loaded
from tests.server import serving

_PATIENCE = 30.0  # seconds, for a busy machine


async def test_one_step_shows_the_events_around_an_event(folders: UserFolders, own_museum: Path) -> None:
    """Five minutes before and after it, with the event in the inspector."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            visit = one.visit
            last = await log_in_repeatedly(url, 2)
            await one.see(last)
            visit.live.table.setFocus()
            visit.live.table.selectRow(visit.live.model.rowCount() - 1)
            visit.press(Qt.Key.Key_Return)
            await until(lambda: visit.events.table.current_event is not None, _PATIENCE)
            await until(lambda: _current(visit.events.table.current_event) == last, _PATIENCE)
            assert visit.events.query.parts == (QueryPart.DATE,)
            span = visit.events.query.span
            assert span.first is not None
            assert span.last is not None
            assert (span.last - span.first).total_seconds() == 600
            await until(lambda: visit.events.inspector.details is not None, _PATIENCE)
            details = visit.events.inspector.details
            assert details is not None
            assert details.event.id == last


async def test_a_query_is_followed_live(folders: UserFolders, own_museum: Path) -> None:
    """The feed then shows events that match the query, existing and new ones."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            visit = one.visit
            await until(lambda: visit.events.has_rows and rows_are_loaded(visit), _PATIENCE)
            await filter_types(visit, "USER_LOGIN")
            visit.act("follow_query")
            last = await log_in_repeatedly(url, 2)
            await until(lambda: one.ids[-1:] == [last], _PATIENCE)
            model = visit.live.model
            assert {model.event_at(row).type for row in range(model.rowCount())} == {"USER_LOGIN"}
            assert visit.live.strip.chip.text == "USER_LOGIN"


async def test_rows_of_the_feed_are_shared(folders: UserFolders, own_museum: Path) -> None:
    """As links and for tickets that contain what polls leave out, also while the schema is shown."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            visit, clipboard = one.visit, QApplication.clipboard()
            last = await log_in_repeatedly(url, 1)
            await one.see(last)
            visit.act("schema")
            visit.live.table.setFocus()
            visit.live.table.selectRow(visit.live.model.rowCount() - 1)
            control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
            QTest.keyClick(visit.live.table, Qt.Key.Key_A, control | shift)
            link = clipboard.text()
            assert link.startswith(f"cdb://events/{last}?profile=")
            assert visit.live.strip.counts.text() == f"Link to event {last:,} copied."
            QTest.keyClick(visit.live.table, Qt.Key.Key_T, control)
            await until(lambda: visit.live.strip.counts.text() == "Copied for a ticket: 1 event", _PATIENCE)
            text = clipboard.text()
            assert text.startswith(f"USER_LOGIN {last}\n")
            assert link in text
            assert "Summary: Signed in" in text
            assert "<table>" in clipboard.mimeData().html()


async def test_color_rules_apply_to_the_feed_too(folders: UserFolders, own_museum: Path) -> None:
    """They are edited in the browser while the feed runs, and restored at the next start."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            visit = one.visit
            await until(lambda: visit.events.has_rows and rows_are_loaded(visit), _PATIENCE)
            last = await log_in_repeatedly(url, 1)
            await one.see(last)
            assert _marks(one) == {None}
            visit.act("highlight")
            await until(lambda: isinstance(QApplication.activePopupWidget(), HighlightPopup))
            visit.type("USER_LOGIN")
            visit.press(RETURN)
            await until(lambda: _marks(one) == {None, 0})
        async with following(folders, url) as one:
            assert 0 in _marks(one)


async def test_feeds_are_restored_at_the_next_start(folders: UserFolders, own_museum: Path) -> None:
    """Side by side, each with its filter, and running."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            one.visit.act("live_new")
            await until(lambda: len(one.visit.live.panes) == 2)
            one.visit.live.set_filter(with_only_type(one.visit.live.model.feed.filter, "USER_LOGIN"))
        async with following(folders, url) as one:
            first, second = one.visit.live.panes
            assert (first.filter_text, second.filter_text) == ("", "USER_LOGIN")
            last = await log_in_repeatedly(url, 1)
            for feed in (first, second):
                await until(lambda: feed.model.event_at(feed.model.rowCount() - 1).id == last)  # noqa: B023
            assert {second.model.event_at(row).type for row in range(second.model.rowCount())} == {
                "USER_LOGIN"
            }


async def test_selection_and_inspector_stay_while_events_arrive(
    folders: UserFolders, own_museum: Path
) -> None:
    """Nothing moves in the feed and in the browser."""
    with serving(own_museum, "--activity", "12000") as url:
        async with following(folders, url) as one:
            visit, table = one.visit, one.visit.live.table
            await until(lambda: visit.events.has_rows and rows_are_loaded(visit), _PATIENCE)
            visit.events.table.go_to(5)
            await until(lambda: visit.events.inspector.details is not None, _PATIENCE)
            await until(lambda: visit.live.model.rowCount() > 60, _PATIENCE)
            table.selectRow(20)
            table.verticalScrollBar().setValue(15)
            read, top, chosen = visit.events.inspector.details, one.ids[15], one.ids[20]
            assert read is not None
            await until(lambda: table.unseen > 100, _PATIENCE)
            assert one.ids[table.verticalScrollBar().value()] == top
            assert one.ids[table.currentIndex().row()] == chosen
            now = visit.events.inspector.details
            assert now is not None
            assert now.event.id == read.event.id


def _marks(one: Follower) -> set[int | None]:
    model = one.visit.live.model
    return {model.mark_of(model.event_at(row)) for row in range(model.rowCount())}


def _current(event: object) -> object:
    return getattr(event, "id", None)


async def test_users_in_the_feed_are_known_by_name(folders: UserFolders, own_museum: Path) -> None:
    """The filter by user offers a user whom only the feed has shown."""
    with serving(own_museum) as url:
        async with following(folders, url) as one:
            visit = one.visit
            await until(lambda: visit.events.has_rows and rows_are_loaded(visit), _PATIENCE)
            seen = visit.events.seen
            read, rows = seen.event_count, visit.events.model.result
            last = await log_in_repeatedly(url, 2)
            await one.see(last)
            who = visit.live.model.event_at(visit.live.model.rowCount() - 1)
            assert who.user_id is not None
            assert seen.event_count_of(who.user_id) >= 3
            assert seen.event_count >= read + 3
            assert dict(seen.users)[who.user_id] == who.user_displayname
            assert visit.events.model.result is rows
