"""Holds the one frozen value of what the page shows, and tells when there is another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.working_copy import WorkingCopy
from cdb_desktop.ui.schema.page import Page

Refuse = Callable[[Message], None]


class Store(QObject):
    """What is shown, None before anything has been read.

    Signals: ``changed`` with the Page · ``selected`` when only the selection is another one, with the Page.
    """

    changed = Signal(object)
    selected = Signal(object)

    def __init__(self, refuse: Refuse, parent: QObject | None = None) -> None:
        """``refuse`` is told why a step could not be made."""
        super().__init__(parent)
        self._refuse = refuse
        self._page: Page | None = None

    @property
    def page(self) -> Page | None:
        """What is shown."""
        return self._page

    def put(self, page: Page) -> None:
        """Shows something else; what is selected stays selected while it is there."""
        self._page = replace(page, selection=_standing(page))
        self.changed.emit(self._page)

    def put_editing(self, editing: WorkingCopy) -> None:
        """Shows another state of the work on HEAD."""
        if self._page is not None:
            self.put(replace(self._page, editing=editing))

    def set_busy(self, *, busy: bool) -> None:
        """Saving or committing is under way, or is over."""
        if self._page is not None and self._page.busy != busy:
            self.put(replace(self._page, busy=busy))

    def select(self, place: ElementRef) -> None:
        """Selects a place."""
        if self._page is not None and place != self._page.selection:
            self._page = replace(self._page, selection=place)
            self._page = replace(self._page, selection=_standing(self._page))
            self.selected.emit(self._page)

    def apply(self, edit: Edit, then: ElementRef | None = None) -> bool:
        """Makes a step and selects ``then``; False when it could not be made."""
        return self._apply(edit, then, back=0)

    def apply_instead(self, edit: Edit, then: ElementRef | None = None) -> bool:
        """Makes a step in the place of the last one."""
        return self._apply(edit, then, back=1)

    def _apply(self, edit: Edit, then: ElementRef | None, *, back: int) -> bool:
        page = self._page
        if page is None or not page.is_editable:
            return False
        try:
            before = page.editing.jumped(page.editing.history.position - back)
            editing = before.applied(edit)
        except EditError as error:
            self._refuse(error.message)
            # The fields that asked for it show what counts again.
            self.changed.emit(page)
            return False
        self.put(replace(page, editing=editing, selection=page.selection if then is None else then))
        return True


def _standing(page: Page) -> ElementRef:
    """The selection, or what is left of it."""
    place, document = page.selection, page.document
    if page.ghost is not None:
        return place
    table = document.by_key.get(table_key_of(place) or 0)
    if table is None:
        return DOCUMENT
    if isinstance(place, ColumnRef) and place.column not in table.by_key:
        return TableRef(table.key)
    return place
