"""Finds visible texts that are clipped by their widgets."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

_SLACK = 1  # pixel


def clipped(window: QWidget) -> list[str]:
    """The texts of visible labels and buttons that are wider or higher than their widgets."""
    labels = [label for label in window.findChildren(QLabel) if label.isVisible() and _is_cut(label)]
    buttons = [button for button in window.findChildren(QAbstractButton) if _is_short(button)]
    return [label.text() for label in labels] + [button.text() for button in buttons]


def _is_cut(label: QLabel) -> bool:
    if not label.text() or label.sizePolicy().horizontalPolicy() == label.sizePolicy().Policy.Ignored:
        return False
    if label.wordWrap():
        return label.heightForWidth(label.width()) > label.height() + _SLACK
    return label.sizeHint().width() > label.width() + _SLACK


def _is_short(button: QAbstractButton) -> bool:
    style = getattr(button, "toolButtonStyle", None)
    if not button.isVisible() or (style and style() == Qt.ToolButtonStyle.ToolButtonIconOnly):
        return False
    words = button.text().replace("&", "")
    return button.fontMetrics().horizontalAdvance(words) > button.width() + _SLACK
