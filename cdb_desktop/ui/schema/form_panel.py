"""The right of the page: the form of what is selected."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Column
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.schema.column_form import ColumnForm
from cdb_desktop.ui.schema.form_parts import FormSheet, Heading, Wishes
from cdb_desktop.ui.schema.ghost_form import GhostForm
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.table_form import TableForm
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import Label, caption


class FormPanel(QStackedWidget):
    """The forms, one of which is seen, and what is asked for in them."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.form")
        self._page: Page | None = None
        self.overview = _Overview(self)
        self.wishes = Wishes(self)
        self.table = TableForm(appearance, actions, self.wishes, self)
        self.column = ColumnForm(self.wishes, self)
        self.ghost = GhostForm(self.wishes, self)
        for widget in (self.overview, self.table, self.column, self.ghost):
            self.addWidget(widget)

    def show_page(self, page: Page) -> None:
        """Shows the form of the selected column, else of its table, else what the schema holds."""
        self._page = page
        table = page.document.by_key.get(page.selected_table or 0)
        column = _column(page)
        if page.ghost is not None:
            self.ghost.show_page(page)
            self.setCurrentWidget(self.ghost)
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
        """Goes to the name of what is selected."""
        form = self.currentWidget()
        if isinstance(form, TableForm | ColumnForm):
            form.name.setFocus()
            form.name.selectAll()

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self.table.retranslate()
        self.column.retranslate()
        if self._page is not None:
            self.show_page(self._page)


class _Overview(FormSheet):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._heading = Heading(self)
        self._counts = Label(self)
        self._hint = caption(self)
        self._hint.setWordWrap(True)
        self.add(self._heading)
        self.add(self._counts)
        self.add(self._hint, gap=GAP)
        self.end()

    def show_page(self, page: Page) -> None:
        document = page.document
        name = page.file or ("HEAD" if page.past is None else f"v{document.version}")
        self._heading.show_heading(self.tr("Schema"), name)
        columns = sum(len(table.columns) for table in document.tables)
        tables = plural(len(document.tables), self.tr("1 table"), self.tr("%1 tables"))
        self._counts.setText(f"{tables}, {plural(columns, self.tr('1 column'), self.tr('%1 columns'))}")
        self._hint.setText(self.tr("Select a table or column in the tree or the diagram to see its details."))


def _column(page: Page) -> Column | None:
    place = page.selection
    table = page.document.by_key.get(page.selected_table or 0)
    return table.by_key.get(place.column) if table and isinstance(place, ColumnRef) else None
