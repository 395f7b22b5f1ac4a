"""The view of the settings page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.about import AboutSection
from cdb_desktop.ui.shell.settings.sections import (
    FoldersSection,
    GeneralSection,
    LiveSection,
    ProxySection,
    SettingsSection,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import MARGIN
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.input_handling import on_key

_WIDTH = 720


class SettingsView(QWidget):
    """The page of settings.

    Signals: ``shown`` whenever the page is shown · ``leave_requested`` on Escape · those of
    ``choices`` and of ``feeds``.
    """

    shown = Signal()
    leave_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.choices = GeneralSection(self)
        self.feeds = LiveSection(self)
        self.proxies = ProxySection(self)
        self.folders = FoldersSection(appearance, self)
        self.about = AboutSection(appearance, self)
        self._create_layout((self.choices, self.feeds, self.proxies, self.folders, self.about))
        on_key("Escape", self, self.leave_requested.emit, inside=True)

    def show_folders(self, settings: Path, logs: Path, data: Path) -> None:
        """Shows the folders of the program."""
        self.folders.show_folders(settings, logs, data)

    def show_setting(self, name: str) -> None:
        """Scrolls to a setting, such as ``zone``, and gives it the focus."""
        for prefix in ("settings", "settings.live"):
            widget = self.findChild(QWidget, f"{prefix}.{name}")
            if isinstance(widget, QWidget):
                self._scroll.ensureWidgetVisible(widget)
                widget.setFocus()

    def show_about(self) -> None:
        """Scrolls to the section About."""
        self._scroll.ensureWidgetVisible(self.about, 0, 0)
        self.about.setFocus()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Looks up the libraries, which would delay the creation of the page."""
        super().showEvent(event)
        self.about.show_libraries()
        self.shown.emit()

    def _create_layout(self, sections: tuple[SettingsSection, ...]) -> None:
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
        # In a horizontal layout, so that the height is computed for the actual width.
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
