"""The pages that need no connection, each created when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.window.page_factory import PageContext, PageFactory

if TYPE_CHECKING:
    from cdb_desktop.ui.errors.view import ErrorsView
    from cdb_desktop.ui.settings.view import SettingsView


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
