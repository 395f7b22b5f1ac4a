"""The popup in which the user filters a feed; changes are applied at once."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed_filter import named_types, shows_other_types, shows_type, with_types
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Part, Query, without
from cdb_desktop.queries.typed_query import typed_text
from cdb_desktop.ui.live import messages
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ICON, ROW, TIGHT
from cdb_desktop.ui.widgets.chip import Chip
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.popup import PopupFrame
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.query_texts import part_name, polled_note, summary
from cdb_desktop.vocabulary.event_types import EventFamily, family_of
from cdb_desktop.vocabulary.pattern import EventMatcher

_WIDTH, _LARGEST_HEIGHT = 380, 520
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FilterPopup(PopupFrame):
    """A line for typed terms, chips for what the filter has besides types, and boxes for the types.

    Closes with Escape or a click elsewhere. Signals: ``filter_changed`` with a Query.
    """

    filter_changed = Signal(object)

    def __init__(self, appearance: Appearance, seen: KnownValues, parent: QWidget) -> None:
        """``seen`` contains what can be completed, and the names of users."""
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self._appearance, self._seen = appearance, seen
        self._filter = Query()
        self._tree = TypeTree(appearance, self)
        self.line = QueryLine(appearance, seen, self, name="live.filter.query", has_dates=False)
        self._chips = QVBoxLayout()
        self._note = caption(self)
        self._others = QCheckBox(tr("Types not received yet"), self)
        self._all = QPushButton(tr("All types"), self)
        self._none = QPushButton(tr("No types"), self)
        self._arrange()
        self._tree.toggled.connect(self._emit_types)
        self.line.entered.connect(self._enter)
        self.line.left.connect(self.close)
        self.line.last_chip_requested.connect(self._edit_last)
        self._others.toggled.connect(self._emit_types)
        self._all.clicked.connect(lambda: self._check_all(checked=True))
        self._none.clicked.connect(lambda: self._check_all(checked=False))

    @property
    def chips(self) -> list[Chip]:
        """The chips, from the top."""
        items = (self._chips.itemAt(place) for place in range(self._chips.count()))
        return [chip for item in items if item is not None and isinstance(chip := item.widget(), Chip)]

    def show_filter(self, types: Mapping[str, int], chosen: Query) -> None:
        """Shows the types with their numbers of events, and the filter."""
        if chosen != self._filter:
            self._filter = chosen
            self._show_chips()
        with QSignalBlocker(self._others):
            self._tree.show_types(types, chosen)
            self._others.setChecked(shows_other_types(chosen))

    def open_at(self, button: QWidget) -> None:
        """Opens below a button, or above it if there is not enough space."""
        self.resize(_WIDTH, min(_LARGEST_HEIGHT, self.sizeHint().height()))
        self.move_to(button)
        self.show()
        self.line.setFocus()

    def _enter(self, _text: str) -> None:
        query = self.line.added_to(self._filter)
        if query is not None:
            self.line.clear()
            self.filter_changed.emit(query)

    def _show_chips(self) -> None:
        for chip in self.chips:
            self._chips.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        besides = messages.without_types(self._filter)
        for part in besides.parts:
            text = summary(part, besides, self._seen)
            chip = Chip(self._appearance, part_name(part), text, text, self)
            chip.edit_requested.connect(partial(self._edit, part))
            chip.remove_requested.connect(partial(self._remove, part))
            self._chips.addWidget(chip)
        self._note.setVisible(EventMatcher(besides.conditions).needs_whole)
        # The list of types gives way: a popup above its button must not grow over it.

    def _edit(self, part: Part) -> None:
        """Puts a part back into the line as text."""
        besides = messages.without_types(self._filter)
        for other in besides.parts:
            if other != part:
                besides = without(besides, other)
        self._remove(part)
        self.line.edit(typed_text(besides))

    def _edit_last(self) -> None:
        parts = messages.without_types(self._filter).parts
        if parts:
            self._edit(parts[-1])

    def _remove(self, part: Part) -> None:
        self.filter_changed.emit(without(self._filter, part))

    def _check_all(self, *, checked: bool) -> None:
        with QSignalBlocker(self._others):
            self._others.setChecked(checked)
        self._tree.check_all(checked)
        self._emit_types()

    def _emit_types(self) -> None:
        others = self._others.isChecked()
        self.filter_changed.emit(with_types(self._filter, self._tree.shown, self._tree.hidden, others=others))

    def _arrange(self) -> None:
        self.setObjectName("live.filter.popup")
        self._others.setObjectName("live.filter.others")
        self._all.setObjectName("live.filter.all")
        self._none.setObjectName("live.filter.none")
        self._note.setObjectName("live.filter.note")
        self._note.setWordWrap(True)
        self._note.hide()
        self._chips.setSpacing(TIGHT)
        buttons = lay_out(QHBoxLayout(), spacing=GAP)
        for button in (self._all, self._none):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        lay_out(
            QVBoxLayout(self),
            self.line,
            self._chips,
            self._note,
            buttons,
            self._tree,
            self._others,
            margins=(GAP, GAP, GAP, GAP),
            spacing=GAP,
            growing=self._tree,
        )
        self._tree.setAccessibleName(tr("Types that are shown"))
        self._tree.setHeaderLabels([tr("Type of event"), tr("Events")])
        self._note.setText(polled_note())


class TypeTree(QTreeWidget):
    """The event types by family, each with a check box and its number of events.

    Signals: ``toggled`` once for each change by the user, however many boxes it changes.
    """

    toggled = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, QTreeWidgetItem] = {}
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.toggled)
        self._arrange()
        self.itemChanged.connect(self._timer.start)

    @property
    def shown(self) -> list[str]:
        """The checked types."""
        return [name for name, item in self._items.items() if item.checkState(0) == _CHECKED]

    @property
    def hidden(self) -> list[str]:
        """The other types."""
        return [name for name, item in self._items.items() if item.checkState(0) != _CHECKED]

    def show_types(self, types: Mapping[str, int], chosen: Query) -> None:
        """Shows the types with their numbers, and those that the filter names."""
        if self._timer.isActive():
            return  # the user's last change is not in the filter yet
        names = sorted(types.keys() | named_types(chosen))
        self.blockSignals(True)
        if names != sorted(self._items):
            self._build(names)
        for name, item in self._items.items():
            item.setCheckState(0, _CHECKED if shows_type(chosen, name) else _UNCHECKED)
            item.setText(1, number_text(types.get(name, 0)))
        self.blockSignals(False)

    def check_all(self, checked: bool) -> None:
        """Checks or unchecks all boxes."""
        for item in self._items.values():
            item.setCheckState(0, _CHECKED if checked else _UNCHECKED)

    def sizeHint(self) -> QSize:  # noqa: N802
        rows = len(self._items) + self.topLevelItemCount()
        return QSize(super().sizeHint().width(), rows * max(ROW, self.sizeHintForRow(0)) + TIGHT)

    def _build(self, names: list[str]) -> None:
        item = self.currentItem()
        current = item.text(0) if item is not None else ""
        self.clear()
        self._items.clear()
        for family in EventFamily:
            members = [name for name in names if family_of(name) is family]
            if members:
                self._add(family, members)
        self.expandAll()
        self.updateGeometry()
        if current in self._items:
            self.setCurrentItem(self._items[current])

    def _add(self, family: EventFamily, members: list[str]) -> None:
        parent = QTreeWidgetItem(self, [messages.family_text(family)])
        parent.setIcon(0, shape_icon(family, self._appearance.tokens, self.devicePixelRatioF()))
        parent.setSizeHint(0, QSize(0, ROW))
        parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
        for name in members:
            item = QTreeWidgetItem(parent, [name])
            item.setSizeHint(0, QSize(0, ROW))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setTextAlignment(1, _RIGHT)
            item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
            self._items[name] = item

    def _arrange(self) -> None:
        self.setObjectName("live.filter.types")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setRootIsDecorated(False)
        self.setIndentation(ROW)
        self.setUniformRowHeights(True)
        self.setIconSize(QSize(ICON, ICON))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
