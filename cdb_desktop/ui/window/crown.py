"""The top of the window: the line in the connection's colour, the menu and the notice below it."""

from __future__ import annotations

from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenuBar, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import COLOUR_LINE
from cdb_desktop.ui.widgets.notice_bar import NoticeBar


class Crown(QWidget):
    """What stands above rail and pages over the whole width."""

    def __init__(self, appearance: Appearance, menus: dict[str, list[QAction]]) -> None:
        super().__init__()
        self._colour: QColor | None = None
        self.notice = NoticeBar(appearance, self)
        bar = QMenuBar(self)
        for title, actions in menus.items():
            bar.addMenu(title).addActions(actions)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, COLOUR_LINE, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.notice)

    def show_colour(self, colour: str | None) -> None:
        """Draws the line in ``colour``, such as ``#1F5FBF``; None draws none."""
        self._colour = None if colour is None else QColor(colour)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The line."""
        if self._colour is not None:
            with QPainter(self) as painter:
                painter.fillRect(0, 0, self.width(), COLOUR_LINE, self._colour)
