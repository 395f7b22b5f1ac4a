"""The right of the page: the form of the selected element."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diff.apply import Restore
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Column
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.column_form import ColumnForm
from cdb_desktop.ui.schema.form.layout import FormHeading, FormPage, FormRequests
from cdb_desktop.ui.schema.form.table_form import TableForm
from cdb_desktop.ui.schema.page.state import UNREAD, PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import Label, caption


class FormPanel(QStackedWidget):
    """The forms, one of which is visible, and their signals (``requests``)."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.form")
        self.overview = _Overview(self)
        self.requests = FormRequests(self)
        self.table = TableForm(appearance, actions, self.requests, self)
        self.column = ColumnForm(self.requests, self)
        self.removed = RemovedForm(self.requests, self)
        for widget in (self.overview, self.table, self.column, self.removed):
            self.addWidget(widget)

    def show_page(self, page: PageState) -> None:
        """Shows the form of the selected column or table, or an overview of the schema."""
        table = page.document.by_key.get(page.selected_table or 0)
        column = _column(page)
        if page.removed_element is not None:
            self.removed.show_page(page)
            self.setCurrentWidget(self.removed)
        elif table is None:
            self.overview.show_page(page)
            self.setCurrentWidget(self.overview)
        elif column is None:
            self.table.show_table(page, table)
            self.setCurrentWidget(self.table)
        else:
            self.column.show_column(page, table, column)
            self.setCurrentWidget(self.column)

    def edit_name(self) -> None:
        """Gives the name field the focus."""
        form = self.currentWidget()
        if isinstance(form, TableForm | ColumnForm):
            form.name.setFocus()
            form.name.selectAll()


class _Overview(FormPage):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._heading = FormHeading(self)
        self._counts = Label(self)
        self._hint = caption(self)
        self._hint.setWordWrap(True)
        self.add(self._heading)
        self.add(self._counts)
        self.add(self._hint, gap=GAP)
        self.add_stretch()

    def show_page(self, page: PageState) -> None:
        document = page.document
        name = page.file or ("HEAD" if page.past is None else f"v{document.version}")
        self.setAccessibleName(tr("Schema"))
        self._heading.show_heading(tr("Schema"), name)
        columns = sum(len(table.columns) for table in document.tables)
        tables = tr("{count:1 table|{count} tables}", count=len(document.tables))
        self._counts.setText(f"{tables}, {tr('{count:1 column|{count} columns}', count=columns)}")
        self._hint.setText(tr("Select a table or column in the tree or the diagram to see its details."))


def _column(page: PageState) -> Column | None:
    ref = page.selection
    table = page.document.by_key.get(page.selected_table or 0)
    return table.by_key.get(ref.column) if table and isinstance(ref, ColumnRef) else None


class RemovedForm(FormPage):
    """Says that a table or column has been removed, and restores it."""

    def __init__(self, requests: FormRequests, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = requests
        self.setObjectName("schema.ghost")
        self._page = UNREAD
        self._heading = FormHeading(self)
        self._text = Label(self)
        self._text.setWordWrap(True)
        self.restore = QPushButton(self)
        self.restore.setObjectName("schema.ghost.restore")
        self.restore.clicked.connect(self._restore)
        self.add(self._heading)
        self.add(self._text)
        self.add_row(QWidget(self), self.restore, gap=GAP)
        self.add_stretch()

    def show_page(self, page: PageState) -> None:
        """Shows the removed element."""
        self._page = page
        if page.removed_element is None or page.base is None:
            return
        is_column = isinstance(page.removed_element, ColumnRef)
        kind = tr("Removed column") if is_column else tr("Removed table")
        self._heading.show_heading(kind, element_name(page.base, page.removed_element))
        self._text.setText(self._explanation(page))
        self.restore.setText(tr("Restore"))
        self.restore.setEnabled(page.can_restore)
        self.restore.setVisible(page.compared is None)

    def _explanation(self, page: PageState) -> str:
        if page.compared is not None:
            return tr("Only the version that is compared with still has it.")
        if page.file:
            return tr("It is still in the file until you save.")
        if page.can_restore or not page.is_editable:
            return tr("CURRENT still has it with all its values; the next commit deletes them.")
        return tr(
            "HEAD was saved without it, so the service has released its id: restored, it would be "
            "new and empty. CURRENT has its values until the next commit."
        )

    def _restore(self) -> None:
        page = self._page
        if page.removed_element is not None and page.editing.head is not None:
            self._requests.edit_requested.emit(Restore(page.removed_element, page.editing.head))
