"""Arranges the panes of several feeds side by side, or one above the other in a high dock."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.widgets.layout import Splitter

MOST_PANES = 4
_NARROWEST = 360  # pixels in which id, time and type of a single feed are readable
_NARROWEST_OF_SEVERAL = 180


class FeedSplitter(Splitter):
    """The panes from left to right; shortcuts and actions apply to the ``current`` one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.panes: list[FeedPane] = []
        self.current: FeedPane

    @property
    def has_several(self) -> bool:
        """Whether there is more than one pane."""
        return len(self.panes) > 1

    @property
    def is_full(self) -> bool:
        """Whether there is no space for another pane."""
        return len(self.panes) >= MOST_PANES

    def add_pane(self, pane: FeedPane) -> None:
        """Adds a pane at the end; the first one becomes the current one."""
        self.panes.append(pane)
        self.addWidget(pane)
        self.set_current(self.panes[0] if len(self.panes) == 1 else self.current)

    def remove_pane(self, pane: FeedPane) -> None:
        """Removes a pane unless it is the last one."""
        if self.has_several:
            self.panes.remove(pane)
            pane.hide()
            pane.deleteLater()
            self.set_current(self.panes[-1] if pane is self.current else self.current)

    def set_current(self, current: FeedPane) -> None:
        """Makes a pane the current one."""
        self.current = current
        for pane in self.panes:
            pane.header.setVisible(self.has_several)
            pane.header.show_current(pane is current)
            pane.setMinimumWidth(_NARROWEST_OF_SEVERAL if self.has_several else _NARROWEST)

    def share_height(self) -> None:
        """Gives panes above each other the same height; a new one would have only its header."""
        if self.orientation() == Qt.Orientation.Vertical:
            self.setSizes([max(1, self.height())] * len(self.panes))

    def restore_sizes(self, sizes: Sequence[int]) -> None:
        """Restores stored sizes unless one is missing."""
        if self.has_several and all(sizes):
            self.setSizes(list(sizes))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Changes the orientation where there is more height than width."""
        is_high = event.size().height() > event.size().width()
        orientation = Qt.Orientation.Vertical if is_high else Qt.Orientation.Horizontal
        if orientation != self.orientation():
            sizes = self.sizes()
            self.setOrientation(orientation)
            self.setSizes(sizes if all(sizes) else [1] * len(self.panes))
        super().resizeEvent(event)
