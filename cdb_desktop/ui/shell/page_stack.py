"""The stack of pages in the middle of the window, and the pages that need no connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QStackedWidget, QWidget

from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.page_interfaces import PageContext

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.errors import view as errors_view
    from cdb_desktop.ui.shell.settings import view as settings_view
else:
    errors_view = lazy("cdb_desktop.ui.shell.errors.view")
    settings_view = lazy("cdb_desktop.ui.shell.settings.view")


_FIRST = "events"
_OF_CONNECTION = ("events", "schema")
_RIGHTS = {
    "events": "system.api.event.get"
}  # of pages that are available without it, but have nothing to show


class PageStack(QStackedWidget):
    """One page for each action of the navigation rail; the pages of a connection are put in and removed."""

    def __init__(
        self, actions: Actions, start: QWidget, offline: Mapping[str, Callable[[], QWidget]]
    ) -> None:
        """``start`` is shown without a connection; ``offline`` returns the pages that need none."""
        super().__init__()
        self._actions = actions
        self._start = start
        self._offline = dict(offline)
        self._pages: dict[str, QWidget] = {}
        self._before = _FIRST
        self._now = _FIRST
        self.addWidget(start)
        group = QActionGroup(self)
        for name in (*_OF_CONNECTION, *offline):
            group.addAction(actions[name])
            actions[name].toggled.connect(self._choose)
        actions[_FIRST].setChecked(True)
        self._show()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The largest of all pages; that of the start page only while it is shown."""
        least, shown = QSize(), self.currentWidget()
        for page in map(self.widget, range(self.count())):
            if page is not None and (page is not self._start or page is shown):
                least = least.expandedTo(page.minimumSizeHint().expandedTo(page.minimumSize()))
        return least

    def set_pages(self, pages: Mapping[str, QWidget]) -> None:
        """Adds the pages of a connection, and shows the chosen one, or else the first that is allowed."""
        self._pages = dict(pages)
        for page in pages.values():
            self.addWidget(page)
        if self._now not in self._offline and not self._is_usable(self._now):
            # Otherwise the first page shows which right is missing.
            usable = (name for name in pages if self._is_usable(name))
            self._actions[next(usable, _FIRST)].setChecked(True)
        self._show()

    def add(self, page: QWidget) -> None:
        """Adds a page that needs no connection."""
        self.addWidget(page)

    def remove_pages(self) -> None:
        """Removes and deletes the pages of the connection."""
        pages, self._pages = self._pages, {}
        self._show()
        for page in pages.values():
            self.removeWidget(page)
            page.deleteLater()

    def go_back(self) -> None:
        """Shows the page of the connection that was shown last."""
        self._actions[self._before].setChecked(True)

    def _is_usable(self, name: str) -> bool:
        right = _RIGHTS.get(name, "")
        return not self._actions.obstacle(name) and (not right or self._actions.is_allowed(right))

    def _choose(self, chosen: bool) -> None:
        if not chosen:
            return
        name = next(name for name in (*_OF_CONNECTION, *self._offline) if self._actions[name].isChecked())
        if self._now in _OF_CONNECTION:
            self._before = self._now
        self._now = name
        self._show()

    def _show(self) -> None:
        self._actions.show_page(self._now)
        self.setCurrentWidget(self._page())
        self.updateGeometry()

    def _page(self) -> QWidget:
        make = self._offline.get(self._now)
        return make() if make else self._pages.get(self._now, self._start)


class OfflinePages(QObject):
    """The pages of errors and settings, each created when it is first shown.

    Signals: ``made`` with each page · ``settings_made`` with the SettingsView · ``details_requested`` with
    the uuid of a server error · ``leave_requested`` on Escape.
    """

    made = Signal(QWidget)
    settings_made = Signal(object)
    details_requested = Signal(str)
    leave_requested = Signal()

    def __init__(self, context: PageContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._is_connected = False

    @cached_property
    def errors(self) -> errors_view.ErrorsView:
        """The page that explains errors."""
        page = errors_view.ErrorsView(self._context.appearance)
        page.show_service(connected=self._is_connected)
        page.details_requested.connect(self.details_requested)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        return page

    @cached_property
    def settings(self) -> settings_view.SettingsView:
        """The page of settings."""
        page = settings_view.SettingsView(self._context.appearance)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        self.settings_made.emit(page)
        return page

    @property
    def makers(self) -> dict[str, Callable[[], QWidget]]:
        """The pages by the names of their actions, as functions."""
        return {"errors": lambda: self.errors, "settings": lambda: self.settings}

    def show_service(self, *, connected: bool) -> None:
        """Enables what requires a connection on these pages."""
        self._is_connected = connected
        if "errors" in self.__dict__:
            self.errors.show_service(connected=connected)
