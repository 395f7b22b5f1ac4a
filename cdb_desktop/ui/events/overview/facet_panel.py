"""The values beside the rows with their counts: ticking one filters by it. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from PySide6.QtCore import QEvent, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QTreeWidgetItem, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.facets import (
    FACET_PARTS,
    FacetCounts,
    FacetValue,
    count_object_types,
    facet_query,
    toggled_value,
)
from cdb_desktop.events.query import Query, QueryPart, selected_values, with_values
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.overview.facet_tree import HELD, FacetTree
from cdb_desktop.ui.events.overview.facet_words import (
    fold_words,
    link_tip,
    link_words,
    rest_tip,
    rest_words,
    section_tip,
    section_title,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON, TIGHT
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.vocabulary.event_types import family_of

_NARROWEST = 170
_SAMPLE = "EXPORT_FINISHED 236,405"  # what is to be read without widening the panel
_FEW = 12  # values of a part that are shown before somebody wants all of them
_ALL = "events/values/all"
_OBJECTS = "object"


class _More(msgspec.Struct, frozen=True):
    """Leads to all values of a section, and back to few."""

    section: str


class _Others(msgspec.Struct, frozen=True):
    """Leads to the values of a part that nobody has met."""

    part: QueryPart


class FacetPanel(QWidget):
    """Sections of values, the most frequent first; those without events are left out unless ticked.

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
        self._looking: QueryPart | None = None
        self._whole = set(str(settings.value(_ALL, "")).split())
        self.tree = FacetTree(appearance, settings, self)
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._arrange()
        self.tree.itemChanged.connect(self._tick)
        self.tree.itemActivated.connect(self._take_only)
        self.tree.link_followed.connect(self._follow)
        appearance.changed.connect(self._write)
        self._retranslate()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for most names with their counts, in large letters too."""
        width = self.tree.fontMetrics().horizontalAdvance(_SAMPLE) + 2 * ICON + 4 * GAP + 2 * GROUP
        return QSize(width, super().sizeHint().height())

    def show_query(self, query: Query) -> None:
        """Another query is in force; its counts are to come, its values are ticked at once."""
        self._query = query
        self.tree.blockSignals(True)
        for item in self._items():
            value = item.data(0, HELD)
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
        """Shows what was counted for ``query``, and the object types of the events that are loaded."""
        self._query = self._counted = query
        self._shown = counts, loaded, name_of
        self.tell("")
        self._write()

    def known(self, query: Query, part: QueryPart) -> Mapping[str, int]:
        """What the service has counted of a part, by value, where that holds for ``query`` too."""
        counted, shown = self._counted, self._shown
        if counted is None or shown is None or facet_query(counted, part) != facet_query(query, part):
            return {}
        return shown[0].get(part, FacetCounts()).numbers

    def outdate(self) -> None:
        """Events may have come since, and nobody counts anew while the panel is hidden."""
        self._counted = None

    def show_looking(self, part: QueryPart | None) -> None:
        """The log is read for other values of a part, or no longer."""
        if part is not self._looking:
            self._looking = part
            self._write()

    def withdraw(self) -> None:
        """The counts are those of another query; the values can be ticked all the same."""
        self.tree.blockSignals(True)
        for item in self.tree.items():
            item.setText(1, "")
        self.tree.blockSignals(False)

    def forget(self) -> None:
        """There is nothing to count."""
        self._shown = self._counted = None
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
        self.tree.begin()
        for part in FACET_PARTS:
            if part in counts:
                self._write_part(part, counts[part], name_of)
        self._write_object_types(loaded)
        self.tell("" if self.tree.topLevelItemCount() else tr("No events to count"))
        self.tree.end()

    def _items(self) -> Iterator[QTreeWidgetItem]:
        """The values that can be ticked."""
        return (item for item in self.tree.items() if isinstance(item.data(0, HELD), FacetValue))

    def _write_part(self, part: QueryPart, counts: FacetCounts, name_of: Callable[[int], str]) -> None:
        ticked, known = selected_values(self._query, part), counts.numbers
        listed = [
            value for value in {**dict.fromkeys(ticked, 0), **known} if known.get(value) or value in ticked
        ]
        if not listed and not counts.rest:
            return
        section = self.tree.add_section(part.value, section_title(part, counts), section_tip(counts))
        listed.sort(key=lambda one: (-known.get(one, 0), one))
        for place, value in enumerate(listed):
            if place < _FEW or part.value in self._whole or value in ticked:
                name = name_of(int(value)) if part is QueryPart.USER else value
                self._write_value(section, FacetValue(part, value), name, known.get(value, 0))
        self._write_more(section, part.value, len(listed))
        if counts.rest:
            self.tree.add_line(section, rest_words(part, counts), counts.rest, rest_tip(counts))
        if (counts.rest and not counts.is_whole) or self._looking is part:
            self.tree.add_link(section, link_words(looking=self._looking is part), _Others(part), link_tip())

    def _write_value(self, section: QTreeWidgetItem, value: FacetValue, name: str, number: int) -> None:
        is_ticked = value.value in selected_values(self._query, value.part)
        item = self.tree.add_value(section, name, number, value, ticked=is_ticked)
        told = tr("Space: also these events. Return: only these.")
        item.setToolTip(0, f"{name}\n{told}")
        if value.part is QueryPart.TYPE:
            tokens, ratio = self._appearance.tokens, self.devicePixelRatioF()
            item.setIcon(0, shape_icon(family_of(value.value), tokens, ICON, ratio))

    def _write_more(self, section: QTreeWidgetItem, name: str, number: int) -> None:
        if number > _FEW:
            self.tree.add_link(section, fold_words(number, all_shown=name in self._whole), _More(name))

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
        elif self._looking is not None:
            self.others_given_up.emit()
        elif isinstance(link, _Others):
            self.others_requested.emit(link.part)

    def _tick(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, HELD)
        if isinstance(value, FacetValue):
            self.query_requested.emit(toggled_value(self._query, value))

    def _take_only(self, item: QTreeWidgetItem, _column: int) -> None:
        value = item.data(0, HELD)
        if isinstance(value, FacetValue):
            self.query_requested.emit(with_values(self._query, value.part, (value.value,)))

    def _retranslate(self) -> None:
        self.tree.setAccessibleName(tr("Values and their counts"))
        self.tree.setHeaderLabels([tr("Value"), tr("Events with it")])
        if self._shown is None:
            self.tell(tr("Counting…"))
        self._write()

    def _arrange(self) -> None:
        self._note.setContentsMargins(TIGHT, GAP, GAP, GAP)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        layout = QVBoxLayout(self)
        # Titles and ticks stand below those of the overview.
        layout.setContentsMargins(GROUP - TIGHT, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._note)
        layout.addWidget(self.tree, stretch=1)
