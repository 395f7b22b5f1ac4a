"""The form of something that was removed: what becomes of it, and the way back."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.edits.restore import Restore
from cdb_desktop.ui.schema.form_parts import FormSheet, Heading, Wishes
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import Label


class GhostForm(FormSheet):
    """All that is left of a table or a column."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self.setObjectName("schema.ghost")
        self._page: Page | None = None
        self._heading = Heading(self)
        self._text = Label(self)
        self._text.setWordWrap(True)
        self.restore = QPushButton(self)
        self.restore.setObjectName("schema.ghost.restore")
        self.restore.clicked.connect(self._restore)
        self.add(self._heading)
        self.add(self._text)
        self.add_beside(QWidget(self), self.restore, gap=GAP)
        self.end()

    def show_page(self, page: Page) -> None:
        """Shows what is selected, which is there no longer."""
        self._page = page
        if page.ghost is None or page.base is None:
            return
        is_column = isinstance(page.ghost, ColumnRef)
        kind = self.tr("Removed column") if is_column else self.tr("Removed table")
        self._heading.show_heading(kind, element_name(page.base, page.ghost))
        self._text.setText(self._told(page))
        self.restore.setText(self.tr("Restore"))
        self.restore.setEnabled(page.can_restore)

    def _told(self, page: Page) -> str:
        if page.file:
            return self.tr("It still stands in the file until you save.")
        if page.can_restore or not page.is_editable:
            return self.tr("CURRENT still has it with all its values, which the next commit takes away.")
        return self.tr(
            "HEAD was saved without it, so the service has given up its id: restored it would be new and"
            " empty. CURRENT has its values until the next commit."
        )

    def _restore(self) -> None:
        page = self._page
        if page is not None and page.ghost is not None and page.editing.head is not None:
            self._wishes.edit_requested.emit(Restore(page.ghost, page.editing.head))
