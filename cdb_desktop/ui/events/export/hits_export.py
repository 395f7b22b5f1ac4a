"""Exports the hits of a search to a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.events.search import with_other_records, write_hits
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events
from cdb_desktop.ui.events.export.file_dialog import (
    ExportFileDialog,
    ExportFileType,
    export_folder,
    file_types,
)
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.pattern import Hit

_TASK = "events.search.export"
_FORMS = ("csv", "jsonl")
_SLICE = 200  # hits per write


class HitsExportController(QObject):
    """Asks for the file, writes the hits and shows the result."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client = context.view, context.client
        self._tasks = context.tasks
        self._folder = export_folder(context.view.settings)

    def ask_file(self, hits: Sequence[Hit]) -> None:
        """Asks for a file and exports ``hits`` to it."""
        if not hits:
            return
        types = [each for each in file_types(len(hits)) if each.options.file_format in _FORMS]
        dialog = ExportFileDialog(self._folder.path, types, self._view)
        dialog.setWindowTitle(tr("Export the hits"))
        dialog.accepted_file.connect(partial(self.export, hits))
        dialog.open()

    def export(self, hits: Sequence[Hit], target: Path, chosen: ExportFileType) -> None:
        """Writes ``hits`` to ``target``, which appears when it is complete."""
        self._folder.keep(target)
        self._tasks.start(_TASK, self._write(hits, target, chosen), title=_progress_text(0, len(hits)))

    async def _write(self, hits: Sequence[Hit], target: Path, chosen: ExportFileType) -> None:
        notice, total = self._view.notice, len(hits)

        def show_progress(done: int) -> None:
            self._tasks.show_progress(_TASK, _progress_text(done, total), done / total)

        try:
            await write_hits(target, chosen.options, self._slices(hits), show_progress)
        except asyncio.CancelledError:
            notice.show_passing(_cancelled_message)
            raise
        except OSError as error:
            notice.show_message("danger", partial(_not_written_message, error))
        except Exception as error:  # noqa: BLE001  # any failure is shown
            notice.show_message("danger", partial(error_message, error))
        else:
            notice.show_done(partial(_exported_message, total, target), target)

    async def _slices(self, hits: Sequence[Hit]) -> AsyncIterator[Sequence[Hit]]:
        """Hits whose events are complete; a search in short records has not read info."""
        for first in range(0, len(hits), _SLICE):
            some = hits[first : first + _SLICE]
            short = [hit.event.id for hit in some if hit.event.info is None]
            yield with_other_records(some, await whole_events(self._client, short)) if short else some


def _progress_text(done: int, total: int) -> str:
    return tr("Exporting hits: {done} of {total}", done=done, total=total)


def _exported_message(count: int, target: Path) -> ErrorMessage:
    text = tr(
        "{count:1 hit|{count} hits}, as they are listed, in {target}. Session tokens are masked.",
        count=count,
        target=str(target),
    )
    return ErrorMessage(tr("Exported"), text, "")


def _cancelled_message() -> ErrorMessage:
    return ErrorMessage(tr("Export cancelled"), tr("No file was saved."), "")


def _not_written_message(error: OSError) -> ErrorMessage:
    reason = error.strerror or str(error)
    text = tr("The file could not be written: {reason}. No file was saved.", reason=reason)
    return ErrorMessage(
        tr("Not exported"), text, tr("Make room there or choose another place, and export again.")
    )
