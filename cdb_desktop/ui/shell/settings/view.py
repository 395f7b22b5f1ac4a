"""What the page of settings looks like: choices, folders, and what the program is made of. Keeps nothing."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.about import AboutSection
from cdb_desktop.ui.shell.settings.sections import ChoicesSection, FeedsSection, FoldersSection, Section
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import MARGIN
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.input_handling import on_key

_WIDTH = 720


class SettingsView(QWidget):
    """The page of settings.

    Signals: ``shown`` whenever the page comes into sight · ``leave_requested`` on Escape · those of
    ``choices`` and of ``feeds``.
    """

    shown = Signal()
    leave_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.choices = ChoicesSection(self)
        self.feeds = FeedsSection(self)
        self.folders = FoldersSection(appearance, self)
        self.about = AboutSection(self)
        self._arrange((self.choices, self.feeds, self.folders, self.about))
        on_key("Escape", self, self.leave_requested.emit, inside=True)

    def show_folders(self, settings: Path, logs: Path, data: Path) -> None:
        """Where the program keeps what is its own."""
        self.folders.show_folders(settings, logs, data)

    def show_about(self) -> None:
        """Brings what the program is made of into sight."""
        self._scroll.ensureWidgetVisible(self.about, 0, 0)
        self.about.setFocus()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """What takes a while to find out is found out now."""
        super().showEvent(event)
        self.about.show_libraries()
        self.shown.emit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._scroll.setAccessibleName(tr("Settings"))

    def _arrange(self, sections: tuple[Section, ...]) -> None:
        content, column = QWidget(), QWidget()
        content.setAutoFillBackground(True)
        content.setBackgroundRole(self.backgroundRole().Base)
        column.setMaximumWidth(_WIDTH)
        lines = QVBoxLayout(column)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(MARGIN)
        for section in sections:
            lines.addWidget(section)
        lines.addStretch(1)
        # In a row, so that the height is that of the width which it really gets.
        row = QHBoxLayout(content)
        row.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        row.addWidget(column, stretch=1)
        row.addStretch()
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setAccessibleName(tr("Settings"))
        self._scroll.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self._scroll.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._scroll)
