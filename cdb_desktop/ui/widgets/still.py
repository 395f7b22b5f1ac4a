"""Boxes that let the wheel scroll the page below them; knows no page."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget

Box = TypeVar("Box", bound=QComboBox | QAbstractSpinBox)


def still(box: Box) -> Box:
    """``box`` itself, which takes the wheel only while it has the focus: who scrolls past changes nothing."""
    # By itself it would take the focus at the first turn of the wheel, and the second would change it.
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.installEventFilter(_Wheel(box))
    return box


class _Wheel(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Ignored and kept from the box, it goes on to what the box stands on."""
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget) or watched.hasFocus():
            return False
        event.ignore()
        return True
