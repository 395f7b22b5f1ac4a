"""The list of tables by their use, which says the same as the colors of the diagram."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTableView, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.schema.usage.model import LAST_WRITE, Key, Row, UseModel
from cdb_desktop.ui.schema.usage.words import KnownUse
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import make_plain

_WIDTH, _HEIGHT = 980, 480


class UsageDialog(BaseDialog):
    """The list. It is not modal, so that the diagram can be used meanwhile.

    Signals: ``reveal_requested`` and ``events_requested`` with the key of a table.
    """

    reveal_requested = Signal(object)
    events_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget, *, may_see_events: bool) -> None:
        super().__init__(appearance, "schema.usage.tables", parent)
        self.setModal(False)
        self.table = named("schema.usage.tables.rows", QTableView(self))
        make_plain(self.table)
        self.table.setAccessibleName(tr("Tables by use"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self._model = UseModel(self)
        self.table.setModel(self._model)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSortIndicator(LAST_WRITE, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self._widths = [0] * self._model.columnCount()
        self.table.activated.connect(lambda _index: self._emit(self.reveal_requested))
        self.table.selectionModel().selectionChanged.connect(self._enable)
        self.body.addWidget(self.table, stretch=1)
        self.events = self.add_button(tr("Show its &events"), lambda: self._emit(self.events_requested))
        self._may_see_events = may_see_events
        self.set_texts(tr("Tables by use"), "", tr("Show in the diagram"))
        self.cancel_button.setText(tr("Close"))
        self.accept_button.clicked.connect(lambda: self._emit(self.reveal_requested))
        self._enable()
        self.resize(_WIDTH, _HEIGHT)
        self.table.setFocus()

    def show_uses(self, rows: Mapping[int, Row], others: Mapping[str, KnownUse], note: str) -> None:
        """Shows the tables by their keys, and object types that are no tables of the model.

        Selection, order and scroll position stay.
        """
        self.set_text(note)
        every: dict[Key, Row] = dict(rows.items())
        every |= {
            name: (tr("{name} (not in this model)", name=name), known) for name, known in others.items()
        }
        self._model.show_rows(every)
        self._widen()
        self._enable()

    def _widen(self) -> None:
        """Makes columns wide enough for their texts; only wider, so that they do not jump during a scan."""
        header, metrics = self.table.horizontalHeader(), self.table.fontMetrics()
        for column, before in enumerate(self._widths):
            texts = self._model.longest_texts(column)
            needed = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * GAP + 1
            needed = max(needed, header.sectionSizeHint(column))
            if needed > before:
                self._widths[column] = needed
                header.resizeSection(column, needed)

    @property
    def _chosen(self) -> int | None:
        found = self.table.selectionModel().selectedRows()
        key = self._model.key(found[0].row()) if found else None
        return key if isinstance(key, int) else None

    def _emit(self, signal: object) -> None:
        if self._chosen is not None:
            signal.emit(self._chosen)  # type: ignore[attr-defined]

    def _enable(self, *_selections: object) -> None:
        self.accept_button.setEnabled(self._chosen is not None)
        self.events.setEnabled(self._chosen is not None and self._may_see_events)
