"""The sheet in which columns are chosen, also such from keys of info."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.ui.events.checklist import Checklist
from cdb_desktop.ui.events.column_setup import ColumnSetup
from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_columns import browser_columns
from cdb_desktop.ui.widgets.more_columns import INFO

_SIZE = 320, 300


class ColumnsPopup(Popup):
    """Columns to tick; what begins with ``info.`` is added by its spelling."""

    def __init__(self, appearance: Appearance, columns: ColumnSetup, parent: QWidget) -> None:
        super().__init__(appearance, self.tr("Columns"), self.tr("Apply"), parent)
        self.list = Checklist(self.tr("Search, or add a key such as info.query"), accepts=_key, parent=self)
        self.list.setMinimumSize(*_SIZE)
        names = [(column.name, column.title) for column in columns.choices]
        self.list.show_values(names, columns.shown)
        self._usual = tuple(column.name for column in browser_columns())
        self._is_usual = False
        reset = QPushButton(self.tr("The usual ones"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._take_usual)
        self.add(self.list, stretch=1)
        self.add_note(
            self.tr("Drag titles to order the columns. Keys of info need whole events: pages load slower.")
        )
        self.finish(self.list.search, reset)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are chosen; the usual ones if none is."""
        return self._usual if self._is_usual or not self.list.ticked else self.list.ticked

    def _take_usual(self) -> None:
        self._is_usual = True
        self.close()


def _key(text: str) -> str | None:
    key = text.strip()
    return key if key.startswith(INFO) and len(key) > len(INFO) else None
