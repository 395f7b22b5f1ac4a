"""Buttons that stand beside a list in a popup. Knows not what they do."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.named import named


def list_button(parent: QWidget, name: str, text: str, tip: str) -> QPushButton:
    """A button with an object name, which Return in the list does not press."""
    button = named(name, QPushButton(text, parent))
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button


def beside(parent: QWidget, list_: QWidget, *buttons: QPushButton) -> QWidget:
    """The list, and the buttons at its right from the top."""
    widget = QWidget(parent)
    row, column = QHBoxLayout(widget), QVBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GAP)
    column.setSpacing(GAP)
    for button in buttons:
        column.addWidget(button)
    column.addStretch(1)
    row.addWidget(list_, stretch=1)
    row.addLayout(column)
    return widget
