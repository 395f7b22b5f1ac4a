"""The values beside the rows with their counts: ticking one filters by it. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.client import Event
from cdb_desktop.events.facets import FACETS, Value, chosen, object_types, toggled, with_values
from cdb_desktop.events.query import Part, Query
from cdb_desktop.ui.events.phrases import part_name
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP, ICON, ROW, TIGHT
from cdb_desktop.ui.theme.scroll_bar import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.bar import caption
from cdb_desktop.ui.widgets.shapes import shape_icon
from cdb_desktop.vocabulary.families import family_of

_VALUE = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NARROWEST = 170


class FacetPanel(QWidget):
    """Sections of values, the most frequent first; those without events are left out unless ticked.

    Signals: ``query_requested`` (Query).
    """

    query_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.facets")
        self.setMinimumWidth(_NARROWEST)
        self.setAutoFillBackground(True)
        self._appearance = appearance
        self._query = Query()
        self._shown: tuple[Mapping[Value, int], Sequence[Event], Callable[[int], str]] | None = None
        self.tree = QTreeWidget(self)
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._arrange()
        self.tree.itemChanged.connect(self._tick)
        self.tree.itemActivated.connect(self._take_only)
        appearance.changed.connect(self._write)
        self._retranslate()

    def show_query(self, query: Query) -> None:
        """Another query is in force; its counts are to come, its values are ticked at once."""
        self._query = query
        self.tree.blockSignals(True)
        for item in self._items():
            value = item.data(0, _VALUE)
            is_ticked = value.value in chosen(query, value.part)
            item.setCheckState(0, Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
        self.tree.blockSignals(False)

    def show_counts(
        self,
        query: Query,
        counts: Mapping[Value, int],
        loaded: Sequence[Event],
        name_of: Callable[[int], str],
    ) -> None:
        """Shows what was counted for ``query``, and the object types of the events that are loaded."""
        self._query = query
        self._shown = counts, loaded, name_of
        self.tell("")
        self._write()

    def forget(self) -> None:
        """There is nothing to count."""
        self._shown = None
        self.tree.clear()
        self.tell("")

    def tell(self, text: str) -> None:
        """Says why there are no counts."""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _write(self) -> None:
        if self._shown is None:
            return
        counts, loaded, name_of = self._shown
        current = self.tree.currentItem()
        held = None if current is None else current.data(0, _VALUE)
        self.tree.blockSignals(True)
        self.tree.clear()
        for part in FACETS:
            self._write_part(part, counts, name_of)
        self._write_object_types(loaded)
        self.tree.expandAll()
        # Who goes through the values by keys is not sent back to the first by every count.
        for item in self._items():
            if item.data(0, _VALUE) == held:
                self.tree.setCurrentItem(item)
        self.tree.blockSignals(False)

    def _items(self) -> Iterator[QTreeWidgetItem]:
        """The values that can be ticked."""
        walk = QTreeWidgetItemIterator(self.tree)
        while (item := walk.value()) is not None:
            if isinstance(item.data(0, _VALUE), Value):
                yield item
            walk += 1

    def _write_part(self, part: Part, counts: Mapping[Value, int], name_of: Callable[[int], str]) -> None:
        ticked = chosen(self._query, part)
        known = {value.value: number for value, number in counts.items() if value.part is part}
        known = {**dict.fromkeys(ticked, 0), **known}
        listed = [value for value in known if known[value] or value in ticked]
        if not listed:
            return
        section = self._section(part_name(part))
        for value in sorted(listed, key=lambda one: (-known[one], one)):
            item = self._item(section, name_of(int(value)) if part is Part.USER else value, known[value])
            item.setData(0, _VALUE, Value(part, value))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(0, Qt.CheckState.Checked if value in ticked else Qt.CheckState.Unchecked)
            item.setToolTip(0, self.tr("Space: also these events. Return: only these."))
            if part is Part.TYPE:
                tokens, ratio = self._appearance.tokens, self.devicePixelRatioF()
                item.setIcon(0, shape_icon(family_of(value), tokens, ICON, ratio))

    def _write_object_types(self, loaded: Sequence[Event]) -> None:
        found = object_types(loaded)
        if not found:
            return
        section = self._section(self.tr("Object type, in loaded rows"))
        note = self.tr("Counted over the %1 rows loaded so far; the service cannot filter by it.")
        section.setToolTip(0, note.replace("%1", _number(len(loaded))))
        for name, number in found:
            self._item(section, name, number)

    def _section(self, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.tree, [title])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFirstColumnSpanned(True)
        font = QFont(self.tree.font())
        font.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, font)
        item.setSizeHint(0, QSize(0, ROW + TIGHT))
        return item

    def _item(self, section: QTreeWidgetItem, name: str, number: int) -> QTreeWidgetItem:
        item = QTreeWidgetItem(section, [name, _number(number)])
        item.setTextAlignment(1, _RIGHT)
        item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
        item.setSizeHint(0, QSize(0, ROW))
        return item

    def _tick(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, _VALUE)
        if isinstance(value, Value):
            self.query_requested.emit(toggled(self._query, value))

    def _take_only(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, _VALUE)
        if isinstance(value, Value):
            self.query_requested.emit(with_values(self._query, value.part, (value.value,)))

    def _retranslate(self) -> None:
        self.tree.setAccessibleName(self.tr("Values and their counts"))
        if self._shown is None:
            self.tell(self.tr("Counting…"))
        self._write()

    def _arrange(self) -> None:
        self.tree.setObjectName("events.facets.tree")
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(GAP)
        self.tree.setUniformRowHeights(False)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setFont(tabular(self.tree.font()))
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        for bar in (self.tree.verticalScrollBar(), self.tree.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        self._note.setContentsMargins(GAP, GAP, GAP, GAP)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._note)
        layout.addWidget(self.tree, stretch=1)


def _number(number: int) -> str:
    return QLocale().toString(number)
