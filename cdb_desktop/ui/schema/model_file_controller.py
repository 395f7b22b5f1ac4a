"""Connects the schema page to a model file; there is no service and no user."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.files.model_files import ModelFormat, OpenedFile, current_names
from cdb_desktop.schema.files.renamed_elements import find_mask_use
from cdb_desktop.schema.working_copy import open_model_file
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.compare.controller import VersionComparisonController
from cdb_desktop.ui.schema.compare.time_line_controller import TimeLineController
from cdb_desktop.ui.schema.editor import SchemaEditor
from cdb_desktop.ui.schema.files.dictionary_controller import DictionaryController
from cdb_desktop.ui.schema.files.file_save_controller import FileSaveController
from cdb_desktop.ui.schema.page.state import CheckSettings, PageState
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks


class ModelFileController(QObject):
    """Shows a model file on the page and saves it."""

    def __init__(
        self,
        view: SchemaView,
        opened: OpenedFile,
        actions: Actions,
        tasks: Tasks,
        settings: QSettings,
        connections: OtherConnections | None = None,
        resumed: float = math.inf,
    ) -> None:
        """``connections`` are those whose models can be compared and taken over.

        ``resumed`` is that of `LocalStore`.
        """
        super().__init__(view)
        self._opened = opened
        folder = Path(settings.fileName()).parent / "schema"
        local_store = LocalStore(folder, str(opened.path.absolute()), resumed=resumed)
        self._editor = SchemaEditor(view, actions, tasks, local_store, connections)
        self.store = self._editor.store
        save = FileSaveController(self.store, view, tasks, opened)
        actions["schema_compare"].triggered.connect(VersionComparisonController(self._editor).open)
        TimeLineController(self._editor, actions["schema_changes"])
        actions["schema_save"].triggered.connect(save.save)
        actions["schema_copy"].triggered.connect(save.save_as)
        dictionary = DictionaryController(self.store, view, tasks, self._read_names)
        actions["schema_dictionary"].triggered.connect(dictionary.ask)

    async def _read_names(self, page: PageState) -> Mapping[str, object]:
        return await run_in_thread(current_names, self._opened.model, page.document)

    def show(self) -> None:
        """Shows the model, and offers edits of an earlier run that were not saved."""
        editing = open_model_file(self._opened.model.document)
        model = self._opened.model
        has_names = model.form in (ModelFormat.EXPORT, ModelFormat.OLD_EXPORT)
        names = LocalizedNames(model.names, model.base) if has_names else None
        checks = CheckSettings(names=names)
        name, masks = self._opened.path.name, find_mask_use(model.document, model.masks)
        self.store.put(PageState(editing, may_develop=True, file=name, checks=checks, masks=masks))
        self._editor.drafts.offer()
