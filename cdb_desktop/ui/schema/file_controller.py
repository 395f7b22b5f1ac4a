"""Brings the schema page and a model file together; there is no service and nobody is signed in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.files.model_files import OpenedFile
from cdb_desktop.schema.working_copy import open_model_file
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.file_saving import FileSaving
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.schema.working import Working
from cdb_desktop.ui.tasks import Tasks


class FileController(QObject):
    """The way of a model between its file and the page."""

    def __init__(
        self, view: SchemaView, opened: OpenedFile, actions: Actions, tasks: Tasks, settings: QSettings
    ) -> None:
        super().__init__(view)
        self._opened = opened
        keeping = LocalStore(Path(settings.fileName()).parent / "schema", str(opened.path.absolute()))
        self._working = Working(view, actions, tasks, keeping)
        self.store = self._working.store
        saving = FileSaving(self._working, opened)
        actions["schema_save"].triggered.connect(saving.save)
        actions["schema_copy"].triggered.connect(saving.ask)

    def show(self) -> None:
        """Shows the model, and offers work that was not saved the last time."""
        editing = open_model_file(self._opened.model.document)
        self.store.put(Page(editing, may_develop=True, file=self._opened.path.name))
        self._working.drafts.look()
