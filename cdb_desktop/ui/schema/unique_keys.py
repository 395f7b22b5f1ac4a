"""The unique keys of a table, one line each with a way to take it away."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cdb_desktop.schema.document.model import Table, UniqueKey
from cdb_desktop.schema.edits.columns import RemoveUniqueKey
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import Label, caption


class UniqueKeys(QWidget):
    """The list.

    Signals: ``removed`` with the Edit that takes one away.
    """

    removed = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.table.keys")
        self._appearance = appearance
        self._shown: tuple[object, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def show_keys(self, table: Table, *, editable: bool) -> None:
        """Shows the keys of a table."""
        shown = (table.key, table.unique_keys, table.columns, editable)
        if shown == self._shown:
            return
        self._shown = shown
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        if not table.unique_keys:
            none = caption(self)
            none.setText(self.tr("None"))
            self._layout.addWidget(none)
        for key in table.unique_keys:
            self._layout.addWidget(self._line(table, key, editable=editable))

    def _line(self, table: Table, key: UniqueKey, *, editable: bool) -> QWidget:
        line = QWidget(self)
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        names = (table.by_key[column].name for column in key.column_keys)
        label = Label(" + ".join(names) or "?", line)
        label.setToolTip(key.name)
        layout.addWidget(label, stretch=1)
        if editable:
            button = IconButton(icon("close", self._appearance), self.tr("Remove this key"), line)
            button.clicked.connect(partial(self.removed.emit, RemoveUniqueKey(key.ref(table.key))))
            layout.addWidget(button)
        return line
