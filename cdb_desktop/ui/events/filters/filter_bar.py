"""The chips of the query, and the button that adds filters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Part, Query, QueryPart
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import FLAT_BUTTONS
from cdb_desktop.ui.widgets.chip import Chip
from cdb_desktop.ui.widgets.input_handling import set_tab_order
from cdb_desktop.ui.widgets.menus import TypeAheadMenu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.query_texts import part_name, summary, values
from cdb_desktop.vocabulary.pattern import Condition

_IN_MENU = (QueryPart.TYPE, QueryPart.USER, QueryPart.DATE, QueryPart.BASE_TYPE)
_MOST_LINES = 20


class FilterBar(QWidget):
    """Chips of a query.

    Signals: ``edit_requested`` (Part, QWidget to open at) · ``value_typed`` (text) ·
    ``remove_requested`` (Part) · ``pollable_requested`` (bool) · ``value_requested`` for values
    by which the service does not filter · ``clear_requested`` ·
    ``query_requested`` (Query) for the similar query that is offered.
    """

    edit_requested = Signal(object, object)
    value_typed = Signal(str)
    remove_requested = Signal(object)
    pollable_requested = Signal(bool)
    value_requested = Signal()
    clear_requested = Signal()
    query_requested = Signal(object)

    def __init__(self, appearance: Appearance, add: QAction, clear: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._menu = named("events.filter.menu", TypeAheadMenu(self))
        self._menu.else_typed.connect(self._search_value)
        self.add_button = QToolButton(self, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.add_button.setObjectName("events.filter.add")
        self.add_button.setText(tr("Filter"))
        self.add_button.setIcon(add.icon())
        self.add_button.setAutoRaise(True)
        self.add_button.clicked.connect(self.open_menu)
        self._add_action, self._clear_action = add, clear
        for action in (add, clear):
            action.changed.connect(self._follow)
        self._clear = self._flat_button("events.filter.clear", self.clear_requested)
        self._offer = self._flat_button(
            "events.filter.offer", lambda: self.query_requested.emit(self._offered)
        )
        self._offer.hide()
        self._chips: dict[Part, Chip] = {}
        self._query, self._offered, self._seen = Query(), Query(), KnownValues()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        self._layout.setSpacing(GAP)
        self._layout.addWidget(self.add_button)
        self._layout.addWidget(self._clear)
        self._layout.addWidget(self._offer)
        self._layout.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.add_button.setAccessibleName(tr("Add filter"))
        self._clear.setText(tr("Clear all"))
        self._follow()
        for part in _IN_MENU:
            name = tr("User or group") if part is QueryPart.USER else part_name(part)
            action = self._menu.addAction(name)
            action.triggered.connect(partial(self._edit, part))
        self._menu.addSeparator()
        for text, value in ((tr("Only pollable"), True), (tr("Only not pollable"), False)):
            self._menu.addAction(text).triggered.connect(partial(self.pollable_requested.emit, value))
        self._menu.addSeparator()
        self._menu.addAction(tr("Object, info or another field…")).triggered.connect(self.value_requested)

    @property
    def summaries(self) -> dict[Part, str]:
        """The texts of the chips."""
        return {part: chip.summary for part, chip in self._chips.items()}

    def chip(self, part: Part) -> QWidget:
        """The chip of a part, or the button that adds one."""
        return self._chips.get(part, self.add_button)

    def show_query(self, query: Query, seen: KnownValues) -> None:
        """Shows chips for the filters; the focus stays on its chip, or moves to the next."""
        self._query, self._seen = query, seen
        self._show_chips()
        self.show_offer(Query(), "")

    def show_offer(self, query: Query, text: str) -> None:
        """Offers a similar query beside the chips until another one is shown; an empty text shows none."""
        self._offered = query
        self._offer.setText(text.replace("&", "&&"))
        self._offer.setVisible(bool(text))

    def open_menu(self) -> None:
        """Opens the menu of filters."""
        self._menu.popup(self.add_button.mapToGlobal(QPoint(0, self.add_button.height())))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self.setVisible(bool(self._chips))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the time zone."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show_chips()

    def _show_chips(self) -> None:
        focused = self._place_of_focus()
        for chip in self._chips.values():
            self._layout.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = {part: self._made(part, self._query, self._seen) for part in self._query.parts}
        for place, chip in enumerate(self._chips.values()):
            self._layout.insertWidget(place, chip, stretch=1000)
            chip.show()
        # Otherwise what is below would move under the pointer, and get the second click of a double click.
        self.setVisible(bool(self._chips) or (self.isVisible() and self.underMouse()))
        set_tab_order(self.add_button, *self._chips.values(), self._clear, self._offer)
        if focused is not None:
            stops: list[QWidget] = [*self._chips.values(), self.add_button]
            stops[min(focused, len(stops) - 1)].setFocus()

    def _flat_button(self, name: str, clicked: Callable[[], object] | SignalInstance) -> QPushButton:
        button = named(name, QPushButton(self))
        button.setStyleSheet(FLAT_BUTTONS)
        button.setMinimumHeight(ROW)
        button.clicked.connect(clicked)
        return button

    def _place_of_focus(self) -> int | None:
        """The place of the chip with the focus, also while its popup is open."""
        # Called on the bar itself: a wrapper of the window would be deleted together with its caller.
        focused = self.focusWidget()
        return next((place for place, chip in enumerate(self._chips.values()) if chip is focused), None)

    def _follow(self) -> None:
        """Follows the actions; the tool tips of disabled ones name the missing right."""
        for button, action in ((self.add_button, self._add_action), (self._clear, self._clear_action)):
            button.setEnabled(action.isEnabled())
            button.setToolTip(action.toolTip())

    def _edit(self, part: Part) -> None:
        self.edit_requested.emit(part, self.chip(part))

    def _search_value(self, text: str) -> None:
        """Searches for a value with a text that is not an entry of the menu."""
        self._menu.close()
        self.value_typed.emit(text)

    def _made(self, part: Part, query: Query, seen: KnownValues) -> Chip:
        lines = values(part, query, seen)[:_MOST_LINES]
        name = part_name(part)
        tip = "\n".join((tr("{name}, any of:", name=name), *lines)) if len(lines) > 1 else ""
        chip = Chip(self._appearance, name, summary(part, query, seen), tip or lines[0], self)
        chip.setObjectName(f"events.chip.{'condition' if isinstance(part, Condition) else part.value}")
        chip.edit_requested.connect(partial(self._edit, part))
        chip.remove_requested.connect(partial(self.remove_requested.emit, part))
        return chip
