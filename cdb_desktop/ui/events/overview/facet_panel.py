"""The panel with the values of each filter and their numbers of events; ticking a value filters by it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import msgspec
from PySide6.QtCore import QEvent, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPalette
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
from cdb_desktop.events.facets import (
    FACET_PARTS,
    FacetCounts,
    FacetValue,
    count_object_types,
    facet_query,
    toggled_value,
)
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.query import Query, QueryPart, selected_values, with_values
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.query_texts import part_name
from cdb_desktop.vocabulary.event_types import family_of

_NARROWEST = 170
_SAMPLE = "EXPORT_FINISHED 236,405"  # fits without widening the panel
_FEW = 12  # values of a part that are shown initially
_ALL = "events/values/all"
_OBJECTS = "object"
_DATA = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_PRESS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
_FOLDED = "events/values/folded"


class _More(msgspec.Struct, frozen=True):
    """A link that shows all values of a section, or only the most frequent."""

    section: str


class _Others(msgspec.Struct, frozen=True):
    """A link that searches for values of a part that are not known yet."""

    part: QueryPart


class FacetPanel(QWidget):
    """A section for each filter, the most frequent values first; values without events appear only if ticked.

    Signals: ``query_requested`` (Query) · ``others_requested`` (QueryPart) to find the values of
    the remaining events · ``others_given_up``.
    """

    query_requested = Signal(object)
    others_requested = Signal(object)
    others_given_up = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.facets")
        self.setMinimumWidth(_NARROWEST)
        self.setAutoFillBackground(True)
        self._appearance = appearance
        self._settings = settings
        self._query = Query()
        self._counted: Query | None = None
        self._shown: tuple[Mapping[QueryPart, FacetCounts], Sequence[Event], Callable[[int], str]] | None = (
            None
        )
        self._searched_part: QueryPart | None = None
        self._whole = set(str(settings.value(_ALL, "")).split())
        self.tree = _FacetTree(appearance, settings, self)
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._arrange()
        self.tree.itemChanged.connect(self._tick)
        self.tree.itemActivated.connect(self._select_only)
        self.tree.link_followed.connect(self._follow)
        appearance.changed.connect(self._write)
        self._retranslate()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for most names with their counts, also with a large font."""
        width = self.tree.fontMetrics().horizontalAdvance(_SAMPLE) + 2 * ICON + 4 * GAP + 2 * GROUP
        return QSize(width, super().sizeHint().height())

    def show_query(self, query: Query) -> None:
        """Ticks the values of another query; its counts come later."""
        self._query = query
        self.tree.blockSignals(True)
        for item in self._items():
            value = item.data(0, _DATA)
            is_ticked = value.value in selected_values(query, value.part)
            item.setCheckState(0, Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
        self.tree.blockSignals(False)

    def show_counts(
        self,
        query: Query,
        counts: Mapping[QueryPart, FacetCounts],
        loaded: Sequence[Event],
        name_of: Callable[[int], str],
    ) -> None:
        """Shows the counts for ``query``, and counts the object types of the loaded events."""
        self._query = self._counted = query
        self._shown = counts, loaded, name_of
        self.show_status("")
        self._write()

    def known(self, query: Query, part: QueryPart) -> Mapping[str, int]:
        """The counts of a part by value; empty if they do not apply to ``query``."""
        counted, shown = self._counted, self._shown
        if counted is None or shown is None or facet_query(counted, part) != facet_query(query, part):
            return {}
        return shown[0].get(part, FacetCounts()).numbers

    def outdate(self) -> None:
        """Marks the counts as outdated: while the panel is hidden nothing is counted."""
        self._counted = None

    def show_search(self, part: QueryPart | None) -> None:
        """Shows that other values of ``part`` are being searched, None for no search."""
        if part is not self._searched_part:
            self._searched_part = part
            self._write()

    def withdraw(self) -> None:
        """Hides the counts, which belong to another query, and keeps the values."""
        self.tree.blockSignals(True)
        for item in self.tree.items():
            item.setText(1, "")
        self.tree.blockSignals(False)

    def forget(self) -> None:
        """Shows nothing: there is no result."""
        self._shown = self._counted = None
        self.tree.clear()
        self.show_status("")

    def show_status(self, text: str) -> None:
        """Shows why there are no counts."""
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
        self.tree.begin()
        for part in FACET_PARTS:
            if part in counts:
                self._write_part(part, counts[part], name_of)
        self._write_object_types(loaded)
        self.show_status("" if self.tree.topLevelItemCount() else tr("No events to count"))
        self.tree.end()

    def _items(self) -> Iterator[QTreeWidgetItem]:
        """The values that can be ticked."""
        return (item for item in self.tree.items() if isinstance(item.data(0, _DATA), FacetValue))

    def _write_part(self, part: QueryPart, counts: FacetCounts, name_of: Callable[[int], str]) -> None:
        ticked, known = selected_values(self._query, part), counts.numbers
        listed = [
            value for value in {**dict.fromkeys(ticked, 0), **known} if known.get(value) or value in ticked
        ]
        if not listed and not counts.rest:
            return
        section = self.tree.add_section(part.value, _section_title(part, counts), _section_tip(counts))
        listed.sort(key=lambda one: (-known.get(one, 0), one))
        for place, value in enumerate(listed):
            if place < _FEW or part.value in self._whole or value in ticked:
                name = name_of(int(value)) if part is QueryPart.USER else value
                self._write_value(section, FacetValue(part, value), name, known.get(value, 0))
        self._write_more(section, part.value, len(listed))
        if counts.rest:
            self.tree.add_line(section, _rest_text(part, counts), counts.rest, _rest_tip(counts))
        if (counts.rest and not counts.is_whole) or self._searched_part is part:
            self.tree.add_link(
                section, _link_text(searching=self._searched_part is part), _Others(part), _link_tip()
            )

    def _write_value(self, section: QTreeWidgetItem, value: FacetValue, name: str, number: int) -> None:
        is_ticked = value.value in selected_values(self._query, value.part)
        item = self.tree.add_value(section, name, number, value, ticked=is_ticked)
        hint = tr("Space: also these events. Return: only these.")
        item.setToolTip(0, f"{name}\n{hint}")
        if value.part is QueryPart.TYPE:
            tokens, ratio = self._appearance.tokens, self.devicePixelRatioF()
            item.setIcon(0, shape_icon(family_of(value.value), tokens, ICON, ratio))

    def _write_more(self, section: QTreeWidgetItem, name: str, number: int) -> None:
        if number > _FEW:
            self.tree.add_link(section, _fold_text(number, all_shown=name in self._whole), _More(name))

    def _write_object_types(self, loaded: Sequence[Event]) -> None:
        found = count_object_types(loaded)
        if not found:
            return
        note = tr(
            "Counted in the {count:one row|{count} rows} loaded so far; the service cannot filter by it.",
            count=len(loaded),
        )
        section = self.tree.add_section(_OBJECTS, tr("Object type, in loaded rows"), note)
        for name, number in found if _OBJECTS in self._whole else found[:_FEW]:
            self.tree.add_line(section, name, number, name)
        self._write_more(section, _OBJECTS, len(found))

    def _follow(self, link: object) -> None:
        if isinstance(link, _More):
            self._whole ^= {link.section}
            self._settings.setValue(_ALL, " ".join(sorted(self._whole)))
            self._write()
        elif self._searched_part is not None:
            self.others_given_up.emit()
        elif isinstance(link, _Others):
            self.others_requested.emit(link.part)

    def _tick(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, _DATA)
        if isinstance(value, FacetValue):
            self.query_requested.emit(toggled_value(self._query, value))

    def _select_only(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, _DATA)
        if isinstance(value, FacetValue):
            self.query_requested.emit(with_values(self._query, value.part, (value.value,)))

    def _retranslate(self) -> None:
        self.tree.setAccessibleName(tr("Values and their counts"))
        self.tree.setHeaderLabels([tr("Value"), tr("Events with it")])
        if self._shown is None:
            self.show_status(tr("Counting…"))
        self._write()

    def _arrange(self) -> None:
        self._note.setContentsMargins(TIGHT, GAP, GAP, GAP)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        layout = QVBoxLayout(self)
        # Aligned with the histogram above.
        layout.setContentsMargins(GROUP - TIGHT, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._note)
        layout.addWidget(self.tree, stretch=1)


class _FacetTree(QTreeWidget):
    """Collapsible sections with values to tick, lines and links; remembers which sections are collapsed.

    Signals: ``link_followed`` with the target of a link, by a click or by Return.
    """

    link_followed = Signal(object)

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._fold = icon("next", appearance, checked="unfold")
        self._folded = set(str(settings.value(_FOLDED, "")).split())
        self._sections: dict[str, QTreeWidgetItem] = {}
        self._position: tuple[object, int] = (None, 0)
        self._is_second = False
        self._arrange()
        self.itemClicked.connect(self._click)
        self.itemExpanded.connect(self._remember)
        self.itemCollapsed.connect(self._remember)

    def begin(self) -> None:
        """Clears the tree to fill it again; `end` restores the current item and the scroll position."""
        current = self.currentItem()
        self._position = (
            (None if current is None else current.data(0, _DATA)),
            self.verticalScrollBar().value(),
        )
        self.blockSignals(True)
        self.clear()
        self._sections.clear()

    def end(self) -> None:
        """Ends filling the tree."""
        current, scrolled = self._position
        for name, section in self._sections.items():
            section.setExpanded(name not in self._folded)
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(item.text(1)) for item in self.items()), default=0)
        self.header().resizeSection(1, widest + 2 * TIGHT)
        for item in self.items():
            if current is not None and item.data(0, _DATA) == current:
                self.setCurrentItem(item)
        self.verticalScrollBar().setValue(scrolled)
        self.blockSignals(False)

    def items(self) -> Iterator[QTreeWidgetItem]:
        """All items, also those in collapsed sections."""
        walk = QTreeWidgetItemIterator(self)
        while (item := walk.value()) is not None:
            yield item
            walk += 1

    def add_section(self, name: str, title: str, tip: str = "") -> QTreeWidgetItem:
        """Adds a section; ``name`` identifies it in the settings."""
        item = QTreeWidgetItem(self, [title])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFirstColumnSpanned(True)
        item.setIcon(0, self._fold)
        item.setToolTip(0, tip)
        item.setData(0, _DATA, name)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, font)
        item.setSizeHint(0, QSize(0, ROW + TIGHT))
        self._sections[name] = item
        return item

    def add_line(self, section: QTreeWidgetItem, text: str, number: int, tip: str = "") -> QTreeWidgetItem:
        """Adds a name with its number."""
        item = QTreeWidgetItem(section, [text, number_text(number)])
        item.setTextAlignment(1, _RIGHT)
        item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
        item.setToolTip(0, tip)
        item.setSizeHint(0, QSize(0, ROW))
        return item

    def add_value(
        self, section: QTreeWidgetItem, text: str, number: int, value: FacetValue, *, ticked: bool
    ) -> QTreeWidgetItem:
        """Adds a name with its number that can be ticked."""
        item = self.add_line(section, text, number)
        item.setData(0, _DATA, value)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        return item

    def add_link(self, section: QTreeWidgetItem, text: str, target: Hashable, tip: str = "") -> None:
        """Adds a link; `link_followed` is emitted with ``target``."""
        item = QTreeWidgetItem(section, [text])
        item.setFirstColumnSpanned(True)
        item.setForeground(0, self.palette().color(QPalette.ColorRole.Link))
        item.setToolTip(0, tip or text)
        item.setData(0, _DATA, target)
        item.setSizeHint(0, QSize(0, ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return and Space follow links and toggle sections."""
        item = self.currentItem()
        if event.key() in _PRESS and item is not None and self._press(item):
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Notes that this is not a double click."""
        self._is_second = False
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ignores the second click: another link may have moved to its position."""
        self._is_second = True
        super().mouseDoubleClickEvent(event)

    def _click(self, item: QTreeWidgetItem) -> None:
        if not self._is_second:
            self._press(item)

    def _press(self, item: QTreeWidgetItem) -> bool:
        target = item.data(0, _DATA)
        if isinstance(target, str):
            item.setExpanded(not item.isExpanded())
        elif target is not None and not isinstance(target, FacetValue):
            self.link_followed.emit(target)
        else:
            return False
        return True

    def _remember(self, item: QTreeWidgetItem) -> None:
        name, folded = str(item.data(0, _DATA)), not item.isExpanded()
        self._folded = self._folded | {name} if folded else self._folded - {name}
        self._settings.setValue(_FOLDED, " ".join(sorted(self._folded)))

    def _arrange(self) -> None:
        self.setObjectName("events.facets.tree")
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0)
        self.setUniformRowHeights(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(tabular(self.font()))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        # ResizeToContents measures visible items only, and is not updated when they change.
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.header().setMinimumSectionSize(1)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)


def _section_title(part: QueryPart, counts: FacetCounts) -> str:
    """The name of a part, with the number of known values if there may be others."""
    if counts.is_whole or not counts.rest:
        return part_name(part)
    known = sum(1 for number in counts.numbers.values() if number) + counts.more
    return tr("{name}, {known} found so far", name=part_name(part), known=known)


def _section_tip(counts: FacetCounts) -> str:
    """That some known values have not been counted."""
    if not counts.more:
        return ""
    return tr(
        "{count:1 more value is known. It is rare and was|"
        "{count} more values are known. They are rare and were} not counted.",
        count=counts.more,
    )


def _rest_text(part: QueryPart, counts: FacetCounts) -> str:
    """The name of the rest: events that have none of the values."""
    if counts.is_whole:
        return {
            QueryPart.TYPE: tr("Without a type"),
            QueryPart.BASE_TYPE: tr("Without a base type"),
        }.get(part, tr("Without a user"))
    return {
        QueryPart.TYPE: tr("Others, or without a type"),
        QueryPart.BASE_TYPE: tr("Others, or without a base type"),
    }.get(part, tr("Others, or without a user"))


def _rest_tip(counts: FacetCounts) -> str:
    """Why the rest cannot be chosen."""
    if counts.is_whole:
        return tr("The service cannot be asked for events without a value.")
    return tr(
        "The service has no list of values; the ones listed here come from events read so "
        "far. These events have another value, or none."
    )


def _link_text(*, searching: bool) -> str:
    """The link that searches for other values or stops that."""
    return tr("Stop searching") if searching else tr("Search for other values")


def _link_tip() -> str:
    """The tooltip of that link."""
    return tr("Reads all events, which takes a while for a long log.")


def _fold_text(number: int, *, all_shown: bool) -> str:
    """The link that shows all values of a part, or only the most frequent."""
    if all_shown:
        return tr("Only the most frequent")
    return tr("All {count}…", count=number)
