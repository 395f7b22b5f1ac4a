"""One piece of running work: what it does, how far it is, and a way to end it; knows no task."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.bar import IconButton
from cdb_desktop.ui.widgets.elided_label import ElidedLabel
from cdb_desktop.ui.widgets.work_bar import WorkBar

_BUTTON = 24


class WorkItem(QWidget):
    """The row of one piece of work.

    Signals: ``cancel_requested`` when the cross is pressed.
    """

    cancel_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Several side by side do not make the window wider than the screen.
        self._title = ElidedLabel(self)
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

    def show_work(self, title: str, done: float | None) -> None:
        """Shows how the work goes; ``done`` is from 0 to 1, None while nobody knows."""
        self._title.setText(title)
        self._progress.show_done(done)
        self._progress.setAccessibleName(title)
        # Named for what it ends: there may be several of them side by side.
        end = self.tr("Cancel: %1").replace("%1", title)
        self._cancel.setToolTip(end)
        self._cancel.setAccessibleName(end)
