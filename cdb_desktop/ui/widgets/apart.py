"""A widget whose content may want other room without the window being laid out anew; knows no content."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Apart(QWidget):
    """Gives all of its room to ``content``, the only part of it that has a layout.

    A layout that is done passes on to the one around it that something has changed, up to the window, and
    all that stand there are measured. Here that ends: whoever sizes this widget goes by its own least size.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget(self)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The content's."""
        return self.content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """The content takes all."""
        super().resizeEvent(event)
        self.content.resize(event.size())
