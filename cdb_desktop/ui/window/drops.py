"""Takes files that are dropped anywhere on the window; knows no page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


class Drops(QObject):
    """Watches a window.

    Signals: ``dropped`` with the path of a file, whatever is in it.
    """

    dropped = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """One file is taken, and only looked at: nothing is moved away from where it was."""
        path = _file_in(event.mimeData()) if isinstance(event, QDropEvent) else None
        if not isinstance(event, QDropEvent) or path is None:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            self.dropped.emit(path)
        return True


def _file_in(data: QMimeData) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 else None
