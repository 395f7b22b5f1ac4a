"""Holds the state of the schema page and signals every change of it."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.working_copy import WorkingCopy
from cdb_desktop.ui.schema.page.state import UNREAD, PageState


class PageStore(QObject):
    """The one place where the state of the page is replaced.

    Signals: ``changed`` with the PageState · ``selected`` with the PageState if only the selection differs.
    """

    changed = Signal(object)
    selected = Signal(object)

    def __init__(self, show_refusal: Callable[[Message], None], parent: QObject | None = None) -> None:
        """``show_refusal`` is called with the reason when an edit is not possible."""
        super().__init__(parent)
        self._show_refusal = show_refusal
        self._page = UNREAD

    @property
    def page(self) -> PageState:
        """The state, `UNREAD` before anything has been read."""
        return self._page

    def draft(self) -> Document:
        """The document that is edited."""
        return self._page.editing.document

    def put(self, page: PageState) -> None:
        """Replaces the state. A selection that is not in the document any more moves to its table."""
        if page.is_read:
            self._page = replace(page, selection=_existing_selection(page))
            self.changed.emit(self._page)

    def put_editing(self, editing: WorkingCopy) -> None:
        """Replaces the edited HEAD."""
        self.put(replace(self._page, editing=editing))

    def set_busy(self, *, busy: bool) -> None:
        """Sets whether HEAD is being saved or committed."""
        if self._page.busy != busy:
            self.put(replace(self._page, busy=busy))

    def select(self, ref: ElementRef) -> None:
        """Selects an element."""
        if self._page.is_read and ref != self._page.selection:
            self._page = replace(self._page, selection=ref)
            self._page = replace(self._page, selection=_existing_selection(self._page))
            self.selected.emit(self._page)

    def apply(self, edit: Edit, then: ElementRef | None = None) -> bool:
        """Applies an edit and selects ``then``. Returns False if the edit is not possible."""
        return self._apply(edit, then, steps_back=0)

    def apply_instead(self, edit: Edit, then: ElementRef | None = None) -> bool:
        """Applies an edit in place of the last one."""
        return self._apply(edit, then, steps_back=1)

    def _apply(self, edit: Edit, then: ElementRef | None, *, steps_back: int) -> bool:
        page = self._page
        if not page.is_editable:
            return False
        try:
            before = page.editing.jumped(page.editing.history.position - steps_back)
            editing = before.applied(edit)
        except EditError as error:
            self._show_refusal(error.message)
            # The form still shows what was typed: it has to show the document again.
            self.changed.emit(page)
            return False
        self.put(replace(page, editing=editing, selection=page.selection if then is None else then))
        return True


def _existing_selection(page: PageState) -> ElementRef:
    ref, document = page.selection, page.document
    if page.removed_element is not None:
        return ref
    table = document.by_key.get(table_key_of(ref) or 0)
    if table is None:
        return DOCUMENT
    if isinstance(ref, ColumnRef) and ref.column not in table.by_key:
        return TableRef(table.key)
    return ref
