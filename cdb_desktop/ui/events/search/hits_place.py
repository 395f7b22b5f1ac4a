"""Where hits stand: in their table, or a picture in its place that says why there are none. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from cdb_desktop.ui.events.search.hits_table import HitsTable
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind


class Told(msgspec.Struct, frozen=True):
    """What a picture says; ``step`` names what can be done, empty for nothing."""

    kind: EmptyStateKind
    title: str
    text: str
    step: str = ""


class HitsPlace(QStackedWidget):
    """The table as soon as it has a row.

    Signals: ``step_requested`` when what a picture offers is taken.
    """

    step_requested = Signal()

    def __init__(self, table: HitsTable, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._table = table
        self._say: Callable[[], Told] | None = None
        self.picture = EmptyState(appearance, self)
        self.picture.setObjectName("events.search.picture")
        self.picture.step_requested.connect(self.step_requested)
        self.addWidget(self.picture)
        self.addWidget(table)
        model = table.model()
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._settle)

    def tell(self, say: Callable[[], Told]) -> None:
        """Says why there are no hits, in another language too; hits that are there stay in sight."""
        self._say = say
        self._show()
        self._settle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    def _show(self) -> None:
        if self._say is not None:
            told = self._say()
            self.picture.show_state(told.kind, told.title, told.text, told.step)

    def _settle(self) -> None:
        self.setCurrentWidget(self._table if self._table.model().rowCount() else self.picture)
