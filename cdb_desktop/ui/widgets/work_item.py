"""One piece of running work: what it does, how far it is, and a way to end it; knows no task."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.palette import focused
from cdb_desktop.ui.widgets.bar import IconButton
from cdb_desktop.ui.widgets.work_bar import WorkBar

_BUTTON = 20


class WorkItem(QWidget):
    """The row of one piece of work.

    Signals: ``cancel_requested`` when the cross is pressed.
    """

    cancel_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._title = QLabel(self)
        self._title.setFont(tabular(self.font()))
        self._progress = WorkBar(appearance, self)
        self._cancel = IconButton(icon("close", appearance), "", self)
        self._cancel.setFixedSize(_BUTTON, _BUTTON)
        self._cancel.clicked.connect(self.cancel_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for widget in (self._title, self._progress, self._cancel):
            layout.addWidget(widget)
        appearance.changed.connect(self._tint)
        self._tint()

    def show_work(self, title: str, done: float | None) -> None:
        """Shows how the work goes; ``done`` is from 0 to 1, None while nobody knows."""
        self._title.setText(title)
        was_known = self._is_known
        self._progress.show_done(done)
        if self._is_known != was_known:
            self._tint()
        self._progress.setAccessibleName(title)
        # Named for what it ends: there may be several of them side by side.
        end = self.tr("Cancel: %1").replace("%1", title)
        self._cancel.setToolTip(end)
        self._cancel.setAccessibleName(end)

    @property
    def _is_known(self) -> bool:
        return self._progress.maximum() > 0

    def _tint(self) -> None:
        """While nobody knows how far it is the style fills the whole bar: that must not look like an end."""
        colours = focused(self._appearance.tokens)
        if not self._is_known:
            colours.setColor(QPalette.ColorRole.Highlight, QColor(self._appearance.tokens.line))
        self._progress.setPalette(colours)
