"""Colours rows by rules of the user, remembered from one start to the next. Asks no service."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.ui.events.filters.highlight_popup import HighlightPopup
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.widgets.event_table.marks import Marks, load_marks, save_marks


class Highlighting(QObject):
    """The rules of a view."""

    def __init__(self, view: EventsView, settings: QSettings) -> None:
        super().__init__(view)
        self._view = view
        self._settings = settings
        view.model.show_marks(load_marks(settings))

    def open(self) -> None:
        """Opens the sheet of rules."""
        popup = HighlightPopup(self._view.appearance, self._view.model.marks.texts, self._view)
        popup.accepted.connect(lambda: self.apply(popup.texts))
        popup.open_below(self._view.views_button)

    def apply(self, texts: Mapping[str, str]) -> None:
        """Marks rows by these texts from now on."""
        marks = Marks(texts)
        save_marks(self._settings, marks.texts)
        self._view.model.show_marks(marks)
        self._view.highlighted.emit(marks.texts)
