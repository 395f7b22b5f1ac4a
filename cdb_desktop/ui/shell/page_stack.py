"""The pages that need no connection, each created when it is first opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QStackedWidget, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.page_interfaces import PageContext, PageFactory

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.errors.view import ErrorsView
    from cdb_desktop.ui.shell.settings.view import SettingsView


_FIRST = "events"
_OF_CONNECTION = ("events", "schema")
_RIGHTS = {"events": "system.api.event.get"}  # what a page takes that is open to everybody and says so itself


class Pages(QStackedWidget):
    """One page for each action of the rail; those of a connection come and go with it."""

    def __init__(
        self, actions: Actions, start: QWidget, standing: Mapping[str, Callable[[], QWidget]]
    ) -> None:
        """``start`` is seen in place of a connection's pages; ``standing`` gives those that need none."""
        super().__init__()
        self._actions = actions
        self._start = start
        self._standing = dict(standing)
        self._panes: dict[str, QWidget] = {}
        self._before = _FIRST
        self._now = _FIRST
        self.addWidget(start)
        group = QActionGroup(self)
        for name in (*_OF_CONNECTION, *standing):
            group.addAction(actions[name])
            actions[name].toggled.connect(self._choose)
        actions[_FIRST].setChecked(True)
        self._show()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """What the pages take at least; the start page counts only while it is the one that is shown."""
        least, shown = QSize(), self.currentWidget()
        for page in map(self.widget, range(self.count())):
            if page is not None and (page is not self._start or page is shown):
                least = least.expandedTo(page.minimumSizeHint().expandedTo(page.minimumSize()))
        return least

    def put(self, panes: Mapping[str, QWidget]) -> None:
        """Takes the pages of a connection in and shows the chosen one, or the first that is allowed."""
        self._panes = dict(panes)
        for pane in panes.values():
            self.addWidget(pane)
        if self._now not in self._standing and not self._is_usable(self._now):
            # Where none is, the first one says what is lacking.
            usable = (name for name in panes if self._is_usable(name))
            self._actions[next(usable, _FIRST)].setChecked(True)
        self._show()

    def add(self, page: QWidget) -> None:
        """Takes one of the standing pages in, which has just been made."""
        self.addWidget(page)

    def take_out(self) -> None:
        """Lets the pages of the connection go."""
        panes, self._panes = self._panes, {}
        self._show()
        for pane in panes.values():
            self.removeWidget(pane)
            pane.deleteLater()

    def go_back(self) -> None:
        """Shows the page that was shown before one that always stands."""
        self._actions[self._before].setChecked(True)

    def _is_usable(self, name: str) -> bool:
        right = _RIGHTS.get(name, "")
        return not self._actions.obstacle(name) and (not right or self._actions.is_allowed(right))

    def _choose(self, chosen: bool) -> None:
        if not chosen:
            return
        name = next(name for name in (*_OF_CONNECTION, *self._standing) if self._actions[name].isChecked())
        if self._now in _OF_CONNECTION:
            self._before = self._now
        self._now = name
        self._show()

    def _show(self) -> None:
        self._actions.show_page(self._now)
        self.setCurrentWidget(self._page())
        self.updateGeometry()

    def _page(self) -> QWidget:
        make = self._standing.get(self._now)
        return make() if make else self._panes.get(self._now, self._start)


class Standing(QObject):
    """Errors and settings.

    Signals: ``made`` with each page · ``settings_made`` with the SettingsView · ``details_requested`` with
    the uuid of a failure · ``leave_requested`` on Escape.
    """

    made = Signal(QWidget)
    settings_made = Signal(object)
    details_requested = Signal(str)
    leave_requested = Signal()

    def __init__(self, context: PageContext, pages: PageFactory, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._pages = pages
        self._is_connected = False

    @cached_property
    def errors(self) -> ErrorsView:
        """The page that explains errors."""
        page = self._pages.errors_view(self._context)
        page.show_service(connected=self._is_connected)
        page.details_requested.connect(self.details_requested)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        return page

    @cached_property
    def settings(self) -> SettingsView:
        """The page of settings."""
        page = self._pages.settings_view(self._context)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        self.settings_made.emit(page)
        return page

    @property
    def makers(self) -> dict[str, Callable[[], QWidget]]:
        """What gives the pages, by the names of their actions."""
        return {"errors": lambda: self.errors, "settings": lambda: self.settings}

    def show_service(self, *, connected: bool) -> None:
        """Whether there is a service that could be asked for details."""
        self._is_connected = connected
        if "errors" in self.__dict__:
            self.errors.show_service(connected=connected)
