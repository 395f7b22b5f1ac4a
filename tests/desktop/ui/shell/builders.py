"""Builders for the tests of the window."""

from PySide6.QtCore import QSettings

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import Session, User
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.page_interfaces import PageContext
from cdb_desktop.ui.shell.workspace import SchemaPage, Workspace, WorkspaceViews
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.failures import raise_error

ROOT = Session(token="t", user=User(displayname="Root"), system_rights={"system.root": {}})


def views(appearance: Appearance, settings: QSettings, actions: Actions) -> WorkspaceViews:
    """The views of a connection, created immediately."""
    schema = SchemaPage(PageContext(appearance, settings, actions), PageLoader())
    schema.make()
    return WorkspaceViews(
        EventsView(appearance, settings, actions),
        schema,
        LiveView(appearance, settings, actions),
    )


def open_workspace(
    window: MainWindow,
    appearance: Appearance,
    settings: QSettings,
    *,
    session: Session = ROOT,
    tasks: Tasks | None = None,
    name: str = "museum",
) -> Workspace:
    """Opens the pages of a connection in a window. They send no requests until they begin."""
    actions = window.actions_by_name
    workspace = Workspace(
        views(appearance, settings, actions), settings, actions, tasks or Tasks(raise_error, window)
    )
    window.open(workspace, session, name, "#0E9F8A")
    return workspace
