"""The Qt model of the grid of a table's columns."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from cdb_desktop.foundation.i18n import tr
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
from cdb_desktop.schema.edits.copies import copy_entries, encode_copy
from cdb_desktop.ui.schema.form.type_choices import LinkTarget, type_choices, type_name

Index = QModelIndex | QPersistentModelIndex

NAME, TYPE, REQUIRED = range(3)
COPY_FORMAT = "application/x-cdb-schema-copy"  # of the clipboard and of dragged columns

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
# Combined once: Qt asks for the flags of thousands of cells.
_ENABLED = Qt.ItemFlag.ItemIsEnabled
_NEW = _ENABLED | Qt.ItemFlag.ItemIsEditable
_FIXED = _ENABLED | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
_EDITABLE, _CHECKABLE = _FIXED | Qt.ItemFlag.ItemIsEditable, _FIXED | Qt.ItemFlag.ItemIsUserCheckable
_EDIT = int(Qt.ItemDataRole.EditRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ROOT = QModelIndex()
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ColumnsModel(QAbstractTableModel):
    """The entries of one table in their order, and an empty row for a new column if they can be edited.

    Signals: ``renamed`` with a Column and a name · ``retyped`` with a Column and a type or a LinkTarget ·
    ``required`` with a Column and the answer.
    """

    renamed = Signal(object, str)
    retyped = Signal(object, object)
    required = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_editable = False
        self._document: Document = Document({}, ())
        self._table: Table | None = None

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """The entries that the rows show."""
        return self._table.entries if self._table else ()

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Replaces the entries."""
        same = self._table is not None and self._table.key == table.key and self.is_editable == editable
        self.is_editable = editable
        if same and len(table.entries) == len(self.entries):
            self._document, self._table = document, table
            if table.entries:
                self.dataChanged.emit(self.index(0, 0), self.index(len(table.entries) - 1, REQUIRED))
            return
        self.beginResetModel()
        self._document, self._table = document, table
        self.endResetModel()

    @property
    def type_texts(self) -> frozenset[str]:
        """The texts in the column of types."""
        # There are few types, and thousands of columns at the most.
        types = {entry.type for entry in self.entries if isinstance(entry, Column) and not entry.is_link}
        others = (one for one in self.entries if not isinstance(one, Column) or one.is_link)
        return frozenset((*map(type_name, types), *map(self._type, others)))

    @property
    def new_row(self) -> int:
        """The row for a new column, -1 if there is none."""
        return len(self.entries) if self.is_editable else -1

    def refs(self) -> tuple[ElementRef, ...]:
        """The elements of all rows."""
        return tuple(self.ref(row) for row in range(len(self.entries)))

    def copied(self, refs: tuple[ElementRef, ...]) -> bytes:
        """Rows as JSON, for the clipboard and for dragging."""
        return encode_copy(copy_entries(self._document, self._table.key if self._table else 0, refs))

    def ref(self, row: int) -> ElementRef:
        """The element of a row; the nested table if the row is its entry."""
        entry = self.entries[row]
        if isinstance(entry, NestedTableEntry) and entry.table is not None:
            return TableRef(entry.table)
        return entry.ref(self._table.key if self._table else 0)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.entries) + int(self.is_editable)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or role != _DISPLAY:
            return None
        return (tr("Name"), tr("Type"), tr("Required"))[section]

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if index.row() >= len(self.entries):
            is_hint = role == _DISPLAY and index.column() == NAME
            return tr("Add a column") if is_hint else None
        entry = self.entries[index.row()]
        if role in (_DISPLAY, _EDIT):
            return (self._name(entry), self._type(entry), None)[index.column()]
        if role == _TOOLTIP and index.column() == TYPE and isinstance(entry, Column) and not entry.is_link:
            return type_choices([entry.type])[0][0]
        if role == _CHECK and index.column() == REQUIRED and isinstance(entry, Column):
            return _CHECKED if entry.flag("not_null") else _UNCHECKED
        return None

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:  # noqa: N802
        """Signals the requested change; the document changes only if it is possible."""
        entry = self.entries[index.row()] if index.row() < len(self.entries) else None
        if not isinstance(entry, Column):
            return False
        if role == _CHECK:
            self.required.emit(entry, Qt.CheckState(value) == _CHECKED)
        elif index.column() == NAME and value and value != entry.name:
            self.renamed.emit(entry, str(value))
        elif index.column() == TYPE and value and value != self.choice(entry):
            self.retyped.emit(entry, value)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.row() >= len(self.entries):
            return _NEW if index.column() == NAME and self.is_editable else _ENABLED
        if not self.is_editable or not isinstance(self.entries[index.row()], Column):
            return _FIXED
        return _CHECKABLE if index.column() == REQUIRED else _EDITABLE

    def mimeTypes(self) -> list[str]:  # noqa: N802
        return [COPY_FORMAT]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:  # noqa: N802
        rows = sorted({index.row() for index in indexes if index.row() < len(self.entries)})
        data = QMimeData()
        data.setData(COPY_FORMAT, QByteArray(self.copied(tuple(self.ref(row) for row in rows))))
        return data

    def supportedDragActions(self) -> Qt.DropAction:  # noqa: N802
        return Qt.DropAction.CopyAction | Qt.DropAction.MoveAction

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

    def choice(self, column: Column) -> object:
        """What is chosen in the list of types: a type, or the target of a link."""
        keys = self._table.links.get(column.key, ()) if self._table and column.is_link else ()
        target = keys[0].target if len(keys) == 1 else None
        return column.type if target is None else LinkTarget(target)

    def _type(self, entry: TableEntry) -> str:
        match entry:
            case Column() if entry.is_link and self._table:
                targets = (key.target for key in self._table.links.get(entry.key, ()))
                return f"→ {', '.join(table_name(self._document, target) for target in targets)}"
            case Column():
                return type_name(entry.type)
            case NestedTableEntry():
                return tr("nested table")
            case ReverseLink():
                return tr("edited here")
            case _:
                return ""
