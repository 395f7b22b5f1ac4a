"""The panel with the values of each filter and their numbers of events.

A click on a value filters by it, one on the minus beside it excludes it.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping

import msgspec
from PySide6.QtCore import QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.events.facets import (
    FACET_PARTS,
    FacetCounts,
    FacetValue,
    excluded_values,
    facet_query,
    is_excluded,
    is_selected,
    only_value,
    toggled_exclusion,
    toggled_value,
)
from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.queries.query import Query, QueryPart, selected_values
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON, ROW, TIGHT, demi_bold, tabular
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.query_texts import part_name
from cdb_desktop.vocabulary.event_types import family_of

_NARROWEST = 170
_SAMPLE = "ASSET_DOWNLOAD 236,405"  # fits without widening the panel
_FEW = 8  # values of a part that are shown initially
_ALL = "events/values/all"
_OBJECTS = "object"
_DATA = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MINUS = "\N{MINUS SIGN}"
_EXCLUDE = frozenset({Qt.Key.Key_Minus, Qt.Key.Key_Delete})
_PRESS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
_FOLDED = "events/values/folded"
_REST = 200  # milliseconds after scrolling


class _More(msgspec.Struct, frozen=True):
    """A link that shows all values of a section, or only the most frequent."""

    section: str


class _Others(msgspec.Struct, frozen=True):
    """A link that searches for values of a part that are not known yet."""

    part: QueryPart


class FacetPanel(QWidget):
    """A section for each filter, the most frequent values first; values without events appear only if ticked.

    Signals: ``query_requested`` (Query) · ``others_requested`` (QueryPart) to find the values of
    the remaining events · ``others_given_up`` · ``scrolled`` when other values have become visible.
    """

    query_requested = Signal(object)
    others_requested = Signal(object)
    others_given_up = Signal()
    scrolled = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.facets")
        self.setMinimumWidth(_NARROWEST)
        self.setAutoFillBackground(True)
        self._appearance = appearance
        self._settings = settings
        self._query = Query()
        self._counted: Query | None = None
        self._shown: tuple[Mapping[QueryPart, FacetCounts], FacetCounts, Callable[[int], str]] | None = None
        self._searched_part: QueryPart | None = None
        self._whole = set(str(settings.value(_ALL, "")).split())
        self.tree = _FacetTree(appearance, settings, self)
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._arrange()
        self.tree.itemChanged.connect(self._tick)
        self.tree.itemActivated.connect(self._select_only)
        self.tree.exclusion_toggled.connect(
            lambda value: self.query_requested.emit(toggled_exclusion(self._query, value))
        )
        self.tree.scrolled.connect(self.scrolled)
        self.tree.link_followed.connect(self._follow)
        appearance.changed.connect(self._write)
        self.tree.setAccessibleName(tr("Values and their counts"))
        self.tree.setHeaderLabels([tr("Value"), tr("Events with it"), tr("Exclude")])
        self.show_status(tr("Counting…"))

    def sizeHint(self) -> QSize:  # noqa: N802
        width = self.tree.fontMetrics().horizontalAdvance(_SAMPLE) + 2 * ICON + 4 * GAP + GROUP + ROW
        return QSize(width, super().sizeHint().height())

    def show_query(self, query: Query) -> None:
        """Ticks the values of another query; its counts come later."""
        self._query = query
        self.tree.blockSignals(True)
        for item in self._items():
            self._mark(item, item.data(0, _DATA))
        self.tree.blockSignals(False)

    def show_counts(
        self,
        query: Query,
        counts: Mapping[QueryPart, FacetCounts],
        objects: FacetCounts,
        name_of: Callable[[int], str],
    ) -> None:
        """Shows the counts for ``query``, and those of object types; ``name_of`` gives the name of a user."""
        self._query = self._counted = query
        self._shown = counts, objects, name_of
        self.show_status("")
        self._write()

    def known(self, query: Query, part: QueryPart) -> Mapping[str, int]:
        """The counts of a part by value; empty if they do not apply to ``query``."""
        counted, shown = self._counted, self._shown
        if counted is None or shown is None or facet_query(counted, part) != facet_query(query, part):
            return {}
        return shown[0].get(part, FacetCounts()).numbers

    def uncounted_values(self) -> list[FacetValue]:
        """The values in view that can be counted and have not been, from the top."""
        if (layout := self.layout()) is not None:
            layout.activate()  # the note above the list may just have been hidden
        counts = {} if self._shown is None else self._shown[0]
        values = (value for value in self.tree.values_in_view() if value.part in counts)
        return [
            value
            for value in values
            if value.part is not None
            and not counts[value.part].is_whole
            and value.value not in counts[value.part].numbers
        ]

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

    def _write(self) -> None:
        if self._shown is None:
            return
        counts, objects, name_of = self._shown
        self.tree.begin()
        for part in FACET_PARTS:
            if part in counts:
                self._write_part(part, counts[part], name_of)
        self._write_object_types(objects)
        self.show_status("" if self.tree.topLevelItemCount() else tr("No events to count"))
        self.tree.end()

    def _items(self) -> Iterator[QTreeWidgetItem]:
        """The values that can be ticked."""
        return (item for item in self.tree.items() if isinstance(item.data(0, _DATA), FacetValue))

    def _write_part(self, part: QueryPart, counts: FacetCounts, name_of: Callable[[int], str]) -> None:
        marked = (*selected_values(self._query, part), *excluded_values(self._query, part))
        numbers = counts.values
        listed = [
            value
            for value in {**dict.fromkeys(marked, 0), **numbers}
            if numbers.get(value) or value in marked or value in counts.estimates
        ]
        if not listed and not counts.rest and not counts.others:
            return
        section = self.tree.add_section(part.value, _section_title(part, counts))
        listed.sort(key=lambda one: (-numbers.get(one, 0), one))
        listed += [value for value in counts.others if value not in listed]
        for place, value in enumerate(listed):
            if place < _FEW or part.value in self._whole or value in marked:
                name = name_of(int(value)) if part is QueryPart.USER else value
                item = self._write_value(section, FacetValue(part, value), name)
                self._write_number(item, counts, value)
        self._write_more(section, part.value, len(listed))
        if counts.rest:
            text = number_text(counts.rest) if counts.is_exact else _about_text(counts.rest)
            self.tree.add_line(section, _rest_text(part, counts), text, _rest_tip(counts))
        if counts.may_have_others or self._searched_part is part:
            text = tr("Search for other values")
            if self._searched_part is part:
                text = tr("Stop searching")
            tip = tr("Counts all known values, then reads all events, which takes a while for a long log.")
            self.tree.add_link(section, text, _Others(part), tip)

    def _write_value(self, section: QTreeWidgetItem, value: FacetValue, name: str) -> QTreeWidgetItem:
        item = self.tree.add_value(section, name, value)
        if value.part is QueryPart.TYPE:
            tokens, ratio = self._appearance.tokens, self.devicePixelRatioF()
            item.setIcon(0, shape_icon(family_of(value.value), tokens, ratio))
        self._mark(item, value)
        return item

    def _write_number(self, item: QTreeWidgetItem, counts: FacetCounts, value: str) -> None:
        """Writes the number beside a value, or what it is estimated to be."""
        if value in counts.others and value not in counts.numbers:
            item.setToolTip(1, tr("Not counted: only events with the selected values have been searched."))
            return
        estimate = counts.estimates.get(value)
        if value in counts.numbers or estimate is None:
            is_unknown = is_excluded(self._query, item.data(0, _DATA)) and not counts.numbers.get(value)
            item.setText(1, "" if is_unknown else number_text(counts.numbers.get(value, 0)))
            return
        item.setText(1, _about_text(estimate.number))
        tip = tr(
            "Probably between {lowest} and {highest}: estimated from {sampled} of "
            "{total:1 event|{total} events}. Values are counted when you scroll to them.",
            lowest=estimate.lowest,
            highest=min(counts.total, estimate.highest),
            sampled=counts.sampled,
            total=counts.total,
        )
        item.setToolTip(1, tip)

    def _mark(self, item: QTreeWidgetItem, value: FacetValue) -> None:
        """Shows whether the query filters by a value or excludes it."""
        excluded = is_excluded(self._query, value)
        ticked = is_selected(self._query, value)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        tokens, name = self._appearance.tokens, item.text(0)
        font = QFont(self.tree.font())
        font.setStrikeOut(excluded)
        item.setFont(0, font)
        item.setForeground(0, QColor(tokens.muted if excluded else tokens.text))
        item.setForeground(2, QColor(tokens.danger if excluded else tokens.muted))
        without = tr("Without {value}", value=name)
        again = tr("{value} is excluded. Click to include it again.", value=name)
        item.setToolTip(2, again if excluded else f"{without} ({_MINUS})")
        item.setData(2, Qt.ItemDataRole.AccessibleTextRole, again if excluded else without)
        keys = tr("Click or Space: also these events. Return: only these. Minus: without these.")
        item.setToolTip(0, f"{again if excluded else name}\n{keys}")

    def _write_more(self, section: QTreeWidgetItem, name: str, number: int) -> None:
        if number > _FEW:
            is_whole = name in self._whole
            text = tr("Only the most frequent") if is_whole else tr("All {count}…", count=number)
            self.tree.add_link(section, text, _More(name))

    def _write_object_types(self, objects: FacetCounts) -> None:
        numbers = objects.numbers
        marked = excluded_values(self._query, None)
        selected = [
            one.text for one in self._query.conditions if is_selected(self._query, FacetValue(None, one.text))
        ]
        listed = dict.fromkeys((*numbers, *(one for one in (*selected, *marked) if " " not in one)))
        if not listed:
            return
        note = tr(
            "Counted in the {count:one row|{count} rows} loaded so far; the service cannot filter by it.",
            count=objects.total,
        )
        title = tr("Object type") if objects.is_whole else tr("Object type, in loaded rows")
        section = self.tree.add_section(_OBJECTS, title, "" if objects.is_whole else note)
        for place, name in enumerate(listed):
            if place < _FEW or _OBJECTS in self._whole or name not in numbers:
                item = self._write_value(section, FacetValue(None, name), name)
                item.setText(1, number_text(numbers[name]) if name in numbers else "")
        self._write_more(section, _OBJECTS, len(listed))

    def _follow(self, link: object) -> None:
        if isinstance(link, _More):
            self._whole ^= {link.section}
            self._settings.setValue(_ALL, " ".join(sorted(self._whole)))
            self._write()
            self.scrolled.emit()
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
            self.query_requested.emit(only_value(self._query, value))

    def _arrange(self) -> None:
        self._note.setContentsMargins(TIGHT, GAP, GAP, GAP)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        # Aligned with the histogram above.
        lay_out(QVBoxLayout(self), self._note, self.tree, margins=(GROUP - TIGHT, 0, 0, 0), growing=self.tree)


class _FacetTree(QTreeWidget):
    """Collapsible sections with values to tick, lines and links; remembers which sections are collapsed.

    Signals: ``link_followed`` with the target of a link, by a click or by Return · ``exclusion_toggled``
    (FacetValue) by a click on its minus or by the key · ``scrolled`` a moment after the user has moved the
    list.
    """

    link_followed = Signal(object)
    exclusion_toggled = Signal(object)
    scrolled = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._fold = icon("next", appearance, checked="unfold")
        self._folded = set(str(settings.value(_FOLDED, "")).split())
        self._sections: dict[str, QTreeWidgetItem] = {}
        self._position: tuple[object, int] = (None, 0)
        self._is_second = False
        self._check_before = Qt.CheckState.Unchecked
        self._soon = QTimer(self, singleShot=True, interval=_REST)
        self._soon.timeout.connect(self.scrolled)
        self._arrange()
        self.verticalScrollBar().actionTriggered.connect(lambda _action: self._soon.start())
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

    def values_in_view(self) -> list[FacetValue]:
        """The values that are visible, from the top."""
        seen = self.viewport().rect()
        found = ((item.data(0, _DATA), self.visualItemRect(item)) for item in self.items())
        return [
            value
            for value, place in found
            if isinstance(value, FacetValue) and place.isValid() and place.intersects(seen)
        ]

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
        item.setFont(0, demi_bold(self.font()))
        item.setSizeHint(0, QSize(0, ROW + TIGHT))
        self._sections[name] = item
        return item

    def add_line(self, section: QTreeWidgetItem, text: str, number: str, tip: str = "") -> QTreeWidgetItem:
        """Adds a name with its number."""
        item = QTreeWidgetItem(section, [visible(text), number])
        item.setTextAlignment(1, _RIGHT)
        item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
        item.setToolTip(0, tip)
        item.setSizeHint(0, QSize(0, ROW))
        return item

    def add_value(self, section: QTreeWidgetItem, text: str, value: FacetValue) -> QTreeWidgetItem:
        """Adds a name that can be ticked or excluded."""
        item = self.add_line(section, text, "")
        item.setData(0, _DATA, value)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setText(2, _MINUS)
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignCenter)
        return item

    def add_link(self, section: QTreeWidgetItem, text: str, target: Hashable, tip: str = "") -> None:
        """Adds a link; `link_followed` is emitted with ``target``."""
        item = QTreeWidgetItem(section, [visible(text)])
        item.setFirstColumnSpanned(True)
        item.setForeground(0, self.palette().color(QPalette.ColorRole.Link))
        item.setToolTip(0, tip or text)
        item.setData(0, _DATA, target)
        item.setSizeHint(0, QSize(0, ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        item = self.currentItem()
        value = None if item is None else item.data(0, _DATA)
        if event.key() in _EXCLUDE and isinstance(value, FacetValue):
            self.exclusion_toggled.emit(value)
            return
        if event.key() in _PRESS and item is not None and self._press(item):
            return
        super().keyPressEvent(event)
        self._soon.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._is_second = False
        item = self.itemAt(event.position().toPoint())
        if item is not None:
            self._check_before = item.checkState(0)
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ignores the second click: another link may have moved to its position."""
        self._is_second = True
        super().mouseDoubleClickEvent(event)

    def _click(self, item: QTreeWidgetItem, column: int) -> None:
        if self._is_second:
            return
        value = item.data(0, _DATA)
        if not isinstance(value, FacetValue):
            self._press(item)
        elif column == 2 or QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.AltModifier:
            self.exclusion_toggled.emit(value)
        elif item.checkState(0) == self._check_before:  # otherwise the click was on the check box
            is_on = self._check_before == Qt.CheckState.Checked
            item.setCheckState(0, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)

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
        self._soon.start()

    def _arrange(self) -> None:
        self.setObjectName("events.facets.tree")
        self.setColumnCount(3)
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
        self.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        self.header().setMinimumSectionSize(1)
        self.header().resizeSection(2, ROW)


def _section_title(part: QueryPart, counts: FacetCounts) -> str:
    """The name of a part, with the number of known values if there may be others."""
    if not counts.may_have_others:
        return part_name(part)
    known = sum(1 for number in counts.values.values() if number)
    return tr("{name}, {known} found so far", name=part_name(part), known=known)


def _about_text(number: int) -> str:
    """An estimated number, rounded to what is known of it."""
    digits = max(0, len(str(number)) - 2)
    return f"≈ {number_text(max(1, round(number, -digits)))}"


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
