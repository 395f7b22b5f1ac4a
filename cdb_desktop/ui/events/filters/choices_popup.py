"""The popup in which types or base types are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryPart, with_values, without
from cdb_desktop.ui.events.popups.checklist import Checklist
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ICON
from cdb_desktop.ui.widgets.family_shapes import shape_icon
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_texts import part_name
from cdb_desktop.ui.widgets.side_text import SideTextDelegate
from cdb_desktop.vocabulary.event_types import family_of

_SIZE = 340, 280
_NO_COUNTS: Mapping[str, int] = MappingProxyType({})


class ChoicesPopup(Popup):
    """Types or base types to tick, depending on ``part``.

    Signals: ``none_found`` (text) when no value contains the typed text.
    """

    none_found = Signal(str)

    def __init__(
        self,
        appearance: Appearance,
        part: QueryPart,
        query: Query,
        seen: KnownValues,
        parent: QWidget,
        counts: Mapping[str, int] = _NO_COUNTS,
    ) -> None:
        """``counts`` are the numbers of events by value, among those that match the other filters."""
        super().__init__(appearance, part_name(part), tr("Apply"), parent)
        self._appearance = appearance
        self._part = part
        self._query = query
        self._list = Checklist(tr("Search, or add by name"), accepts=_type_name, parent=self)
        self._list.setMinimumSize(*_SIZE)
        is_type = part is QueryPart.TYPE
        listed = seen.types if is_type else seen.base_types
        ticked = query.types if is_type else query.base_types
        self._list.show_values(((one, one) for one in listed), ticked, self._shape if is_type else None)
        if counts:
            self._list.list.setItemDelegate(SideTextDelegate(appearance, self._list))
            self._list.show_counts(counts)
        self._list.narrowed.connect(self._show_none)
        reset = QPushButton(tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._list.clear_ticks)
        self.add(self._list, stretch=1)
        if counts:
            note = caption(self)
            note.setText(self._counted_among())
            self.add(note)
        self.finish(self._list.search, reset)

    @property
    def query(self) -> Query:
        """The query with the ticked values."""
        return with_values(self._query, self._part, self._list.ticked)

    def look_for(self, text: str) -> None:
        """Continues with a text typed elsewhere."""
        self._list.search.setText(text)

    def _show_none(self) -> None:
        if not self._list.found:
            self.none_found.emit(self._list.search.text().strip())

    def _counted_among(self) -> str:
        if without(self._query, self._part).parts:
            return tr("Numbers of events that match the other filters")
        return tr("Numbers of events in the whole log")

    def _shape(self, event_type: str) -> QIcon:
        return shape_icon(family_of(event_type), self._appearance.tokens, ICON, self.devicePixelRatioF())


def _type_name(text: str) -> str | None:
    # Values are joined by commas (§4.3), so they cannot contain one.
    return None if "," in text else text
