"""Dropping files and links on widgets."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QLibraryInfo, QMimeData, QPointF, Qt, QUrl, QVersionNumber
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def drop_file(widget: QWidget, file: Path) -> None:
    """Sends the events of dropping a file in the middle of a widget, which must accept it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    assert drop(widget, data)


def drop(widget: QWidget, data: QMimeData) -> bool:
    """Sends the events of a drop in the middle of a widget; returns whether it has accepted them."""
    center = QPointF(widget.rect().center())
    # Since Qt 6.12, the constructor with a QPoint is deprecated; before, there is no other.
    has_exact_position = QLibraryInfo.version() >= QVersionNumber(6, 12)
    position: Any = center if has_exact_position else center.toPoint()
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(position, *how)
    QApplication.sendEvent(widget, entered)
    if entered.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(center, *how))
    return entered.isAccepted()
