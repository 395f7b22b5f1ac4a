"""Tests of navigating between commit events and versions, with a real service."""

import msgspec
from PySide6.QtCore import QPoint

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.schema.view import HEAD
from cdb_desktop.ui.shell.workspace import Workspace
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import ended
from tests.desktop.ui.menus import entry, open_menu
from tests.desktop.ui.shell.conftest import Work

COMMITS = Query(types=("SCHEMA_COMMIT",))


async def test_a_commit_opens_its_version(open_window: Work) -> None:
    """Rows and polled records lack info, so the record is fetched; the page shows that version read-only.

    By the menu of the row, the inspector, or the feed; events other than commits have no link.
    """
    async with open_window() as (window, workspace):
        await _commits(workspace)
        view = workspace.events_view
        view.table.menu_requested.emit(view.model.event_at(1), QPoint(), view.model.columns[0])
        menu = open_menu()
        shown = entry(menu, "Show the schema version of this commit")
        shown.trigger()
        menu.close()
        await until(lambda: _version(workspace) == 2)
        assert window.actions_by_name["schema"].isChecked()
        assert workspace.schema.view.header.note == "committed, read-only"
        window.actions_by_name["events"].setChecked(True)
        links = view.inspector.links
        view.open_inspector()
        view.table.go_to(2)
        await until(lambda: links.schema.text() == "Show schema version 1")
        assert links.schema.isVisible()
        assert not links.object.isVisible()
        links.schema.click()
        await until(lambda: _version(workspace) == 1)
        commit = view.model.event_at(0)
        assert commit is not None
        workspace.live_view.signals.schema_requested.emit(commit)
        await until(lambda: _version(workspace) == 3)


async def test_the_inspector_opens_all_events_of_the_object(open_window: Work) -> None:
    """Lists have no filter by object (§4.3), so all events are searched."""
    async with open_window() as (_window, workspace):
        view, links = workspace.events_view, workspace.events_view.inspector.links
        view.open_inspector()
        view.query_requested.emit(Query(types=("OBJECT_DELETE",)))
        await until(lambda: view.has_rows and view.query.types == ("OBJECT_DELETE",))
        view.table.go_to(0)
        await until(links.object.isVisible)
        assert not links.schema.isVisible()
        event = view.table.current_event
        assert event is not None
        assert links.object.text() == f"Find all events of {event.objecttype} {event.object_id}"
        links.object.click()
        await until(lambda: ended(view))
        await until(lambda: (current := view.table.current_event) is not None and current.id == event.id)


async def test_a_missing_version_is_reported(open_window: Work) -> None:
    """The log may come from another service; page and version box do not change."""
    async with open_window() as (_window, workspace):
        await _commits(workspace)
        commit = workspace.events_view.model.event_at(0)
        assert commit is not None
        foreign = Event(id=commit.id, type=commit.type, info=msgspec.Raw(b'{"schema":99}'))
        workspace.events_view.schema_requested.emit(foreign)
        offer = workspace.schema.view.notice
        await until(lambda: offer.text == "The service has no version 99 of the schema.")
        assert _version(workspace) == HEAD


async def test_the_schema_opens_its_commits(open_window: Work) -> None:
    """The same shortcut leads back."""
    async with open_window() as (window, workspace):
        actions = window.actions_by_name
        actions["schema"].setChecked(True)
        await until(lambda: workspace.schema.view.header.version.count() > 0)
        actions["schema_commits"].trigger()
        assert actions["events"].isChecked()
        assert workspace.events_view.query == COMMITS
        view = workspace.events_view
        await until(lambda: view.model.result is not None and view.model.rowCount() == 3)
        assert not actions["event_schema"].isEnabled()
        view.table.go_to(0)
        assert actions["event_schema"].isEnabled()
        assert actions["event_schema"].shortcut() == actions["schema_commits"].shortcut()
        actions["event_schema"].trigger()
        await until(lambda: _version(workspace) == 3)


async def test_without_the_right_to_list_events_the_action_names_it(open_window: Work) -> None:
    """The action is visible but disabled."""
    async with open_window("modeller", "modeller") as (window, workspace):
        actions = window.actions_by_name
        actions["schema"].setChecked(True)
        await until(lambda: workspace.schema.view.header.version.count() > 0)
        assert not actions["schema_commits"].isEnabled()
        assert "Requires the right system.api.event.get." in actions["schema_commits"].toolTip()


async def _commits(workspace: Workspace) -> None:
    view = workspace.events_view
    view.query_requested.emit(COMMITS)
    await until(lambda: view.model.rowCount() == 3 and view.model.event_at(2) is not None)


def _version(workspace: Workspace) -> object:
    return workspace.schema.view.header.version.currentData()
