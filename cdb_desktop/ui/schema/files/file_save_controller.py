"""Saves the model that is worked on to its file, or what is seen to another one."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.model_files import OpenedFile, is_changed, read_file, write_copy, write_file
from cdb_desktop.schema.merge.merge import Merge
from cdb_desktop.ui.schema.files.file_access import (
    ask_save_path,
    read_failure,
    suggested_file_name,
    write_failure,
)
from cdb_desktop.ui.schema.merge.dialog import open_merge_dialog
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_SAVE = "schema.file"


class FileSaveController(QObject):
    """Writes the document to its own file or to another one."""

    def __init__(
        self, store: PageStore, view: SchemaView, tasks: Tasks, opened: OpenedFile | None = None
    ) -> None:
        """``opened`` is the file that is edited, None if the page shows a service."""
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._opened = opened
        self._before_merge: OpenedFile | None = None
        self._is_writing = self._saves_again = False

    def save(self) -> None:
        """Saves to the opened file; asks first if another program has changed it."""
        opened = self._base()
        if self._is_writing:
            # The file would seem to be changed by another program.
            self._saves_again = True
        elif opened is not None:
            self._start(opened.path, self._save(opened, overwrite=False))

    def _base(self) -> OpenedFile | None:
        """The file as the document is based on it: after undo of a merge, as it was before that."""
        page, opened, before = self._store.page, self._opened, self._before_merge
        if opened is None or before is None:
            return opened
        return opened if page.editing.head is opened.model.document else before

    def save_as(self) -> None:
        """Asks for another file and writes it."""
        page = self._store.page
        suffixes = {tr("Data model, JSON (*.json)"): ".json", tr("Data model, XML (*.xml)"): ".xml"}
        title = tr("Save the schema as a file")
        dialog = ask_save_path(self._view, title, suggested_file_name(page), suffixes, self.write)
        dialog.setObjectName("schema.copy.dialog")

    def write(self, path: Path) -> None:
        """Writes the document that is shown to another file, which becomes the opened file if any."""
        self._start(path, self._write_other(path, self._store.page.document))

    def _start(self, path: Path, work: Coroutine[Any, Any, None]) -> None:
        self._view.notice.hide()
        title = tr("Saving {name}", name=path.name)
        self._tasks.start(_SAVE, work, title=title, on_error=lambda error: self._show_error(path, error))

    async def _save(self, opened: OpenedFile, *, overwrite: bool) -> None:
        page = self._store.page
        if page.editing.is_saved:
            return
        if not overwrite and await run_in_thread(is_changed, opened):
            self._ask_to_overwrite(opened)
            return
        document = page.editing.document
        self._is_writing, self._saves_again = True, False
        try:
            written = self._opened = await run_in_thread(write_file, opened, document)
        finally:
            self._is_writing = False
        self._before_merge = None
        self._mark_saved(document)
        if self._saves_again:
            await self._save(written, overwrite=False)

    async def _write_other(self, path: Path, document: Document) -> None:
        own = None if self._opened is None else self._opened.model
        written = await run_in_thread(write_copy, path, document, own)
        if self._opened is not None:
            self._opened, self._before_merge = written, None
            self._mark_saved(document)
        text = tr("The schema is in {path}.", path=str(path))
        self._view.notice.show_text("accent", text)

    def _mark_saved(self, document: Document) -> None:
        page = self._store.page
        if self._opened is not None:
            editing, _ = page.editing.saved_as(document, document)
            self._store.put(replace(page, editing=editing, file=self._opened.path.name))

    def _ask_to_overwrite(self, opened: OpenedFile) -> None:
        self._view.notice.show_text(
            "warning",
            tr("{name} has been changed by another program since it was opened.", name=opened.path.name),
            (tr("Merge…"), lambda: self._start(opened.path, self._merge(opened))),
            (tr("Overwrite it"), lambda: self._overwrite(opened)),
            (tr("Save as another file…"), self.save_as),
        )

    async def _merge(self, opened: OpenedFile) -> None:
        """Merges what another program has written with the document; the result is one step."""
        theirs = await run_in_thread(read_file, opened.path)
        mine = self._store.page.editing.document

        def take(found: Merge) -> None:
            now = self._store.page
            if now.editing.document is mine:
                self._opened, self._before_merge = theirs, opened
                self._store.put_editing(now.editing.merged(theirs.model.document, found.document))
                text = tr("Your work is merged with the file. Look at the changes, then save.")
                self._view.notice.show_text("accent", text, (tr("Save the file"), self.save))

        title = tr("Another program has changed {name}", name=opened.path.name)
        versions = (opened.model.document, theirs.model.document, mine)
        await open_merge_dialog(self._view, self._tasks, title, versions, take)

    def _overwrite(self, opened: OpenedFile) -> None:
        self._start(opened.path, self._save(opened, overwrite=True))

    def _show_error(self, path: Path, error: Exception) -> None:
        # A file that is to be merged may have become something else.
        failure = read_failure if isinstance(error, DocumentError) else write_failure
        self._view.notice.show_error(failure(path, error), (tr("Save as another file…"), self.save_as))
