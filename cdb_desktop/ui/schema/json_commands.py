"""Applies edited JSON to the document."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.files.edited_json import JsonTextError, edited_document, edited_table
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_APPLY = "schema.json.apply"


def _edit(document: Document, table: int | None, text: str) -> Edit:
    return edited_document(document, text) if table is None else edited_table(document, table, text)


class JsonCommands(QObject):
    """Reads edited JSON in a thread and applies it as one step, or shows the error at its line."""

    def __init__(self, store: PageStore, view: SchemaView, tasks: Tasks) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        view.bottom.json_entered.connect(self._enter)

    def _enter(self, table: int | None, text: str) -> None:
        self._tasks.start(_APPLY, self._apply(table, text))

    async def _apply(self, table: int | None, text: str) -> None:
        page, editor = self._store.page, self._view.bottom.json
        if page is None:
            return
        document = page.document
        try:
            edit = await run_in_thread(_edit, document, table, text)
        except JsonTextError as error:
            editor.show_error(error.line, str(error.message))
            return
        except EditError as error:
            self._view.notice.show_text("warning", str(error.message))
            return
        if self._store.page is None or self._store.page.document is not document:
            text = tr("The document has changed meanwhile. Apply the text again.")
            self._view.notice.show_text("warning", text)
            return
        # Before the edit, so that the text of the new document is shown.
        editor.accept()
        self._store.apply(edit)
