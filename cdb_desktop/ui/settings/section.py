"""A part of the page of settings: a head, and rows of a name and what belongs to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, HEAD, TIGHT
from cdb_desktop.ui.widgets.labels import Label

_NAME_WIDTH = 200


class Section(QWidget):
    """What the parts have in common; each of them fetches its texts in ``retranslate``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = Label(self)
        self.head.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self.rows = QGridLayout()
        self.rows.setHorizontalSpacing(GROUP)
        self.rows.setVerticalSpacing(GAP)
        self.rows.setColumnMinimumWidth(0, _NAME_WIDTH)
        self.rows.setColumnStretch(1, 1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(GAP)
        self.column.addWidget(self.head)
        self.column.addLayout(self.rows)

    def retranslate(self) -> None:
        """Fetches the texts in the language of now."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def add_row(self, *widgets: QWidget, hint: QLabel | None = None) -> QLabel:
        """Adds a row and gives the label of its name; ``hint`` stands below it."""
        row = self.rows.rowCount()
        name = Label(self)
        name.setBuddy(widgets[0])
        self.rows.addWidget(name, row, 0, Qt.AlignmentFlag.AlignVCenter)
        for place, widget in enumerate(widgets, start=1):
            # A widget of one width must not keep its column from growing.
            fixed = widget.minimumWidth() == widget.maximumWidth()
            side = Qt.AlignmentFlag.AlignLeft if fixed else Qt.AlignmentFlag(0)
            self.rows.addWidget(widget, row, place, side)
        if hint is not None:
            hint.setWordWrap(True)
            hint.setFont(scaled(self.font(), CAPTION))
            hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            hint.setContentsMargins(0, 0, 0, TIGHT)
            self.rows.addWidget(hint, row + 1, 1)
        return name
