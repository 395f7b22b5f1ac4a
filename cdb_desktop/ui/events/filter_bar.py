"""The strip above the table: a button that adds filters, and a chip for each that is set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.events.query import Part, Query
from cdb_desktop.ui.events.chip import Chip
from cdb_desktop.ui.events.phrases import part_name, summary, values
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP

_IN_MENU = (Part.TYPE, Part.USER, Part.DATE, Part.BASE_TYPE)
_MOST_LINES = 20


class FilterBar(QWidget):
    """Chips of a query.

    Signals: ``edit_requested`` (Part, QWidget to open at) · ``remove_requested`` (Part) ·
    ``pollable_requested`` (bool) · ``clear_requested``.
    """

    edit_requested = Signal(object, object)
    remove_requested = Signal(object)
    pollable_requested = Signal(bool)
    clear_requested = Signal()

    def __init__(self, appearance: Appearance, add: QAction, clear: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._menu = QMenu(self)
        self._add = QToolButton(self)
        self._add.setObjectName("events.filter.add")
        self._add.setIcon(add.icon())
        self._add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._add.setAutoRaise(True)
        self._add.clicked.connect(self.open_menu)
        self._add_action, self._clear_action = add, clear
        for action in (add, clear):
            action.changed.connect(self._follow)
        self._clear = QPushButton(self, flat=True)
        self._clear.setObjectName("events.filter.clear")
        self._clear.clicked.connect(self.clear_requested)
        self._chips: dict[Part, Chip] = {}
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GAP)
        self._layout.addWidget(self._add)
        self._layout.addWidget(self._clear)
        self._layout.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.retranslate()

    @property
    def summaries(self) -> dict[Part, str]:
        """What the chips say."""
        return {part: chip.summary for part, chip in self._chips.items()}

    def chip(self, part: Part) -> QWidget:
        """The chip of a part, or the button that adds one."""
        return self._chips.get(part, self._add)

    def show_query(self, query: Query, name_of: Callable[[int], str]) -> None:
        """Chips for what is set."""
        for chip in self._chips.values():
            self._layout.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = {part: self._made(part, query, name_of) for part in query.parts}
        for place, chip in enumerate(self._chips.values()):
            self._layout.insertWidget(place + 1, chip, stretch=1000)
            chip.show()
        self._clear.setVisible(bool(self._chips))

    def open_menu(self) -> None:
        """The kinds of filters to choose from."""
        self._menu.popup(self._add.mapToGlobal(QPoint(0, self._add.height())))

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self._add.setText(self.tr("Filter"))
        self._add.setAccessibleName(self.tr("Add filter"))
        self._clear.setText(self.tr("Clear all"))
        self._follow()
        self._menu.clear()
        for part in _IN_MENU:
            action = self._menu.addAction(part_name(part))
            action.triggered.connect(partial(self._edit, part))
        self._menu.addSeparator()
        for text, value in ((self.tr("Only pollable"), True), (self.tr("Only not pollable"), False)):
            self._menu.addAction(text).triggered.connect(partial(self.pollable_requested.emit, value))

    def _follow(self) -> None:
        """What may not be done is not offered, and its tooltip names the right that is missing."""
        for button, action in ((self._add, self._add_action), (self._clear, self._clear_action)):
            button.setEnabled(action.isEnabled())
            button.setToolTip(action.toolTip())

    def _edit(self, part: Part) -> None:
        self.edit_requested.emit(part, self.chip(part))

    def _made(self, part: Part, query: Query, name_of: Callable[[int], str]) -> Chip:
        lines = values(part, query, name_of)[:_MOST_LINES]
        name = part_name(part)
        tip = "\n".join((self.tr("%1, any of:").replace("%1", name), *lines)) if len(lines) > 1 else ""
        chip = Chip(self._appearance, name, summary(part, query, name_of), tip or lines[0], self)
        chip.setObjectName(f"events.chip.{part.value}")
        chip.edit_requested.connect(partial(self._edit, part))
        chip.remove_requested.connect(partial(self.remove_requested.emit, part))
        return chip
