"""The pages that stand without a connection, each loaded and made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.lazy import lazy
from cdb_desktop.ui.theme.appearance import Appearance

if TYPE_CHECKING:
    from cdb_desktop.ui.errors import view as errors_view
    from cdb_desktop.ui.settings import view as settings_view
else:
    # They take a fifth of the time to the first window, which shows neither.
    errors_view, settings_view = lazy("cdb_desktop.ui.errors.view"), lazy("cdb_desktop.ui.settings.view")


class Standing(QObject):
    """Errors and settings.

    Signals: ``made`` with each page · ``settings_made`` with the SettingsView · ``details_requested`` with
    the uuid of a failure · ``leave_requested`` on Escape.
    """

    made = Signal(QWidget)
    settings_made = Signal(object)
    details_requested = Signal(str)
    leave_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_connected = False

    @cached_property
    def errors(self) -> errors_view.ErrorsView:
        """The page that explains errors."""
        page = errors_view.ErrorsView(self._appearance)
        page.show_service(connected=self._is_connected)
        page.details_requested.connect(self.details_requested)
        page.leave_requested.connect(self.leave_requested)
        self.made.emit(page)
        return page

    @cached_property
    def settings(self) -> settings_view.SettingsView:
        """The page of settings."""
        page = settings_view.SettingsView(self._appearance)
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
