"""Opens links to events (``cdb:``): from the command line, the system's handler and the query line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.queries.links import Link, LinkError, LinkOrigin, parse_link
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.shell.main_window import MainWindow

if TYPE_CHECKING:
    from cdb_desktop.ui.connection import dialogs
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    dialogs = lazy("cdb_desktop.ui.connection.dialogs")


class LinkController(QObject):
    """Opens a link in its connection, if that is one of the user's own; a link never adds one.

    A link that needs a connection waits for it. With another connection open, the user is asked.

    Signals: ``connection_requested`` (ConnectionProfile) for a connection of the user · ``new_requested`` for
    the dialog for a new connection.
    """

    connection_requested = Signal(object)
    new_requested = Signal()

    def __init__(self, window: MainWindow, session: ConnectionSession, context: ConnectionContext) -> None:
        super().__init__(window)
        self._window, self._session, self._context = window, session, context
        self._pages: Workspace | None = None
        self._waiting: Link | None = None
        self._is_for_any = False
        session.opened.connect(self._connected)
        session.left.connect(self._disconnected)

    def open(self, text: str) -> None:
        """Opens a link; why it cannot be opened is shown in the window."""
        self._waiting = None
        try:
            link = parse_link(text)
        except LinkError as error:
            title = tr("This link cannot be opened")
            if not self._session.is_active:
                self._window.start.show_choices()
            self._window.notice.show_notice("warning", title, error.reason)
            return
        profile = fitting_profile(link.origin, self._context.store.file.profiles)
        if self._pages is not None and self._is_open(link.origin):
            self._pages.open_link(link)
        elif self._session.is_active:
            self._ask(link, profile)
        elif profile is not None:
            self._switch(link, profile)
        else:
            self._window.start.show_choices()
            self._wait_for_any(link)

    def _is_open(self, origin: LinkOrigin) -> bool:
        connection = self._session.connection
        return connection is not None and _fits(origin, connection.origin)

    def _ask(self, link: Link, profile: ConnectionProfile | None) -> None:
        window, connection = self._window, self._session.connection
        present = connection.profile.title if connection is not None else ""
        dialog = dialogs.OpenLinkDialog(self._context.appearance, link.origin, profile, present, window)
        dialog.switch_requested.connect(partial(self._switch, link))
        dialog.new_requested.connect(partial(self._create, link))
        dialog.here_requested.connect(partial(self._open_here, link))
        dialog.open()

    def _switch(self, link: Link, profile: ConnectionProfile) -> None:
        self._waiting, self._is_for_any = link, False
        self.connection_requested.emit(profile)

    def _create(self, link: Link) -> None:
        self._waiting, self._is_for_any = link, True
        self.new_requested.emit()

    def _open_here(self, link: Link) -> None:
        if self._pages is not None:
            self._pages.open_link(link)

    def _wait_for_any(self, link: Link) -> None:
        self._waiting, self._is_for_any = link, True
        title = tr("You have no connection “{name}”", name=link.origin.name)
        server = link.origin.server
        parts = [
            tr("The link is for the service at {server}.", server=server) if server else "",
            tr(
                "Choose a connection to open the link in it, or create one ({key}).",
                key=key_of(self._window.actions_by_name["connect"]),
            ),
        ]
        self._window.notice.show_notice("accent", title, " ".join(filter(None, parts)))

    def _connected(self, pages: Workspace) -> None:
        self._pages = pages
        pages.link_requested.connect(self.open)
        link, self._waiting = self._waiting, None
        if link is None:
            return
        self._window.notice.hide()
        if self._is_for_any or self._is_open(link.origin):
            pages.open_link(link)
        else:
            self._ask(link, fitting_profile(link.origin, self._context.store.file.profiles))

    def _disconnected(self) -> None:
        self._pages = None


def fitting_profile(origin: LinkOrigin, profiles: tuple[ConnectionProfile, ...]) -> ConnectionProfile | None:
    """The connection of a link among the user's own: by its address, or without one by its name."""
    fitting = [one for one in profiles if _fits(origin, LinkOrigin(one.title, one.address))]
    by_name = [one for one in fitting if _folded(LinkOrigin(one.title)) == _folded(origin)]
    return next(iter((*by_name, *fitting)), None)


def _fits(origin: LinkOrigin, own: LinkOrigin) -> bool:
    """Whether a link for ``origin`` is for a connection. A service may have another name for each user."""
    if origin.server:
        return origin.server == own.server
    return _folded(origin) == _folded(own)


def _folded(origin: LinkOrigin) -> str:
    return origin.name.casefold()
