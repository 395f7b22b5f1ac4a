"""Saves the model that is worked on to its file, or what is seen to another one."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.model_files import OpenedFile, is_changed, write_copy, write_file
from cdb_desktop.ui.schema.file_dialog import ask_target, file_name
from cdb_desktop.ui.schema.file_words import unwritten
from cdb_desktop.ui.schema.working import Working

_SAVE = "schema.file"


class FileSaving(QObject):
    """The way from the page to a file; ``opened`` is the one that is worked on, None with a service."""

    def __init__(self, working: Working, opened: OpenedFile | None = None) -> None:
        super().__init__(working.view)
        self._view = working.view
        self._store = working.store
        self._aside = working.aside
        self._tasks = working.tasks
        self._opened = opened

    def save(self) -> None:
        """Saves to the file that was opened, unless somebody else has written it."""
        if self._opened is not None:
            self._start(self._opened.path, self._save(self._opened, sure=False))

    def ask(self) -> None:
        """Asks for another file."""
        page = self._store.page
        if page is None:
            return
        kinds = {self.tr("Data model, JSON (*.json)"): ".json", self.tr("Data model, XML (*.xml)"): ".xml"}
        title = self.tr("Save the schema as a file")
        dialog = ask_target(self._view, title, file_name(page), kinds, self.write)
        dialog.setObjectName("schema.copy.dialog")

    def write(self, path: Path) -> None:
        """Writes what is seen to another file, which is worked on from then on if a file was before."""
        page = self._store.page
        if page is not None:
            self._start(path, self._copy(path, page.document))

    def _start(self, path: Path, work: Coroutine[Any, Any, None]) -> None:
        self._view.offer.hide()
        title = self.tr("Saving %1").replace("%1", path.name)
        self._tasks.start(_SAVE, work, title=title, on_error=lambda error: self._failed(path, error))

    async def _save(self, opened: OpenedFile, *, sure: bool) -> None:
        page = self._store.page
        if page is None or page.editing.is_saved:
            return
        if not sure and await self._aside.run(is_changed, opened):
            self._ask_for(opened)
            return
        document = page.editing.document
        self._opened = await self._aside.run(write_file, opened, document)
        self._took(document)

    async def _copy(self, path: Path, document: Document) -> None:
        own = None if self._opened is None else self._opened.model
        written = await self._aside.run(write_copy, path, document, own)
        if self._opened is not None:
            self._opened = written
            self._took(document)
        text = self.tr("The schema is in %1.").replace("%1", str(path))
        self._view.offer.show_offer("accent", text)

    def _took(self, document: Document) -> None:
        page = self._store.page
        if page is not None and self._opened is not None:
            editing, _ = page.editing.saved_as(document, document)
            self._store.put(replace(page, editing=editing, file=self._opened.path.name))

    def _ask_for(self, opened: OpenedFile) -> None:
        text = self.tr("%1 has been changed by another program since it was opened.")
        self._view.offer.show_offer(
            "warning",
            text.replace("%1", opened.path.name),
            (self.tr("Overwrite it"), lambda: self._overwrite(opened)),
            (self.tr("Save as another file…"), self.ask),
        )

    def _overwrite(self, opened: OpenedFile) -> None:
        self._start(opened.path, self._save(opened, sure=True))

    def _failed(self, path: Path, error: Exception) -> None:
        self._view.offer.show_fault(unwritten(path, error), (self.tr("Save as another file…"), self.ask))
