"""The entries of one table as rows of a grid: name, type, and whether a value must be there."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from cdb_desktop.schema.document.element_ref import ElementRef, TableRef
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
)
from cdb_desktop.schema.document.names import column_name, own_name, table_name
from cdb_desktop.ui.schema.column_choices import type_choices, type_name

Index = QModelIndex | QPersistentModelIndex

NAME, TYPE, REQUIRED = range(3)

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ROOT = QModelIndex()
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ColumnsModel(QAbstractTableModel):
    """Entries in their order.

    Signals: ``renamed`` with a Column and a name · ``retyped`` with a Column and a type ·
    ``required`` with a Column and the answer.
    """

    renamed = Signal(object, str)
    retyped = Signal(object, str)
    required = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_editable = False
        self._document: Document = Document({}, ())
        self._table: Table | None = None

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """What the rows show."""
        return self._table.entries if self._table else ()

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Shows the entries of a table."""
        self.is_editable = editable
        same = self._table is not None and self._table.key == table.key
        if same and len(table.entries) == len(self.entries):
            self._document, self._table = document, table
            if table.entries:
                self.dataChanged.emit(self.index(0, 0), self.index(len(table.entries) - 1, REQUIRED))
            return
        self.beginResetModel()
        self._document, self._table = document, table
        self.endResetModel()

    def place(self, row: int) -> ElementRef:
        """What the row stands for: a nested table for its entry."""
        entry = self.entries[row]
        if isinstance(entry, NestedTableEntry) and entry.table is not None:
            return TableRef(entry.table)
        return entry.ref(self._table.key if self._table else 0)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """One row for each entry."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """Name, type, required."""
        return 0 if parent.isValid() else 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """The titles."""
        if orientation != Qt.Orientation.Horizontal or role != _DISPLAY:
            return None
        return (self.tr("Name"), self.tr("Type"), self.tr("Required"))[section]

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Name and type as texts, required as a tick."""
        entry = self.entries[index.row()]
        if role in (_DISPLAY, _EDIT):
            return (self._name(entry), self._type(entry), None)[index.column()]
        if role == _TOOLTIP and index.column() == TYPE and isinstance(entry, Column) and not entry.is_link:
            return type_choices([entry.type])[0][0]
        if role == _CHECK and index.column() == REQUIRED and isinstance(entry, Column):
            return _CHECKED if entry.flag("not_null") else _UNCHECKED
        return None

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:  # noqa: N802
        """Asks for a change; the document changes only when somebody grants it."""
        entry = self.entries[index.row()]
        if not isinstance(entry, Column):
            return False
        if role == _CHECK:
            self.required.emit(entry, Qt.CheckState(value) == _CHECKED)
        elif index.column() == NAME and value and value != entry.name:
            self.renamed.emit(entry, str(value))
        elif index.column() == TYPE and value and value != entry.type:
            self.retyped.emit(entry, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Only columns can be edited here."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if not self.is_editable or not isinstance(self.entries[index.row()], Column):
            return flags
        more = Qt.ItemFlag.ItemIsUserCheckable if index.column() == REQUIRED else Qt.ItemFlag.ItemIsEditable
        return flags | more

    def _name(self, entry: TableEntry) -> str:
        match entry:
            case Column():
                return entry.name
            case NestedTableEntry(table=key):
                return own_name(table_name(self._document, key), self._table.name if self._table else "")
            case ReverseLink(table=table, column=column):
                return column_name(self._document, table or 0, column or 0)
            case _:
                return "?"

    def _type(self, entry: TableEntry) -> str:
        match entry:
            case Column() if entry.is_link and self._table:
                targets = (key.target for key in self._table.links.get(entry.key, ()))
                return f"→ {', '.join(table_name(self._document, target) for target in targets)}"
            case Column():
                return type_name(entry.type)
            case NestedTableEntry():
                return self.tr("nested table")
            case ReverseLink():
                return self.tr("edited here")
            case _:
                return ""
