"""Builders for the tests of the window."""

from __future__ import annotations

from PySide6.QtCore import QSettings

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.shell.page_interfaces import PageContext
from cdb_desktop.ui.shell.workspace import SchemaPage, WorkspaceViews
from cdb_desktop.ui.theme.appearance import Appearance


def views(appearance: Appearance, settings: QSettings, actions: Actions) -> WorkspaceViews:
    """The views of a connection, created immediately."""
    schema = SchemaPage(PageContext(appearance, settings, actions), PageLoader())
    schema.make()
    return WorkspaceViews(
        EventsView(appearance, settings, actions),
        schema,
        LiveView(appearance, settings, actions),
    )
