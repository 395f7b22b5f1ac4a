"""A bar that is as high as its wrapped words are at the width of now; knows no words and no colours."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class WrappedBar(QWidget):
    """Whoever changes its words calls ``fit``."""

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """A window would reckon with the height at its smallest width, and grow beyond the screen."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width may take more lines, or fewer."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def fit(self) -> None:
        """Takes the height; one that is hidden is as wide as its place."""
        layout, place = self.layout(), self.parentWidget()
        if layout is None:
            return
        width = self.width() if self.isVisible() or place is None else place.width()
        # Where nothing is wrapped no height follows from the width.
        height = layout.totalHeightForWidth(width)
        self.setFixedHeight(height if height >= 0 else layout.totalSizeHint().height())
        # The words have been laid out for the height of before, and would stand below the edge.
        layout.setGeometry(self.rect())
