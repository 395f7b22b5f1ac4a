"""The calm bar at the foot of the rows: how many events are newer than they, and the way to them."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from cdb_desktop.events.counts import NewerCount
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.buttons import BannerButton


class NewerBar(BannerButton):
    """Hidden while there is nothing newer; the rows above stay where they are."""

    def __init__(self, appearance: Appearance, refresh: QAction, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self._refresh = refresh
        self._newer = NewerCount(0)
        self.setObjectName("events.newer")
        self.hide()

    @property
    def counts(self) -> bool:
        """Whether another one would change what is told."""
        return self._newer.is_exact

    def show_newer(self, newer: NewerCount) -> None:
        """So many events are newer than the rows."""
        self._newer = newer
        self._write()
        self.setVisible(newer.number > 0)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._write()
        super().changeEvent(event)

    def _write(self) -> None:
        number, key = self._newer.number, key_of(self._refresh)
        if self._newer.is_exact:
            one, many = self.tr("1 newer event · %2 to show"), self.tr("%1 newer events · %2 to show")
            words = plural(number, one, many, number, key)
        else:
            words = filled(self.tr("More than %1 newer events · %2 to show"), number, key)
        tip = self.tr("The rows stay as they are until they are refreshed")
        self.show_text(words, tip, is_prominent=False)
