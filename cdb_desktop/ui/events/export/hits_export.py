"""Writes what a search has found to a file, telling how it goes; can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from cdb_desktop.events.search import with_other_records, write_hits
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.full_pages import whole_events
from cdb_desktop.ui.events.export.export_dialog import ExportDialog
from cdb_desktop.ui.events.export.export_kinds import Kind, kinds_for
from cdb_desktop.ui.events.export.export_memory import export_folder
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.pattern import Hit

_WORK = "events.search.export"
_FORMS = ("csv", "jsonl")
_SLICE = 200  # hits between two tellings


class HitsExport(QObject):
    """The way of hits to a file. Those of a search that had short records only are fetched whole."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._folder = export_folder(context.view.settings)

    def ask(self, hits: Sequence[Hit]) -> None:
        """Asks for a file for hits."""
        if not hits:
            return
        kinds = [kind for kind in kinds_for(len(hits)) if kind.wish.file_format in _FORMS]
        dialog = ExportDialog(self._folder.path, kinds, self._context.view)
        dialog.setWindowTitle(self.tr("Export the hits"))
        dialog.kind_chosen.connect(partial(self.export, hits))
        dialog.open()

    def export(self, hits: Sequence[Hit], target: Path, kind: Kind) -> None:
        """Writes ``hits`` to ``target``; until all are there nothing lies under its name."""
        self._folder.keep(target)
        self._context.tasks.start(_WORK, self._run(hits, target, kind), title=self._progress(len(hits), 0))

    async def _run(self, hits: Sequence[Hit], target: Path, kind: Kind) -> None:
        view, total = self._context.view, len(hits)

        def tell(done: int) -> None:
            self._context.tasks.show_progress(_WORK, self._progress(total, done), done / total)

        try:
            await write_hits(target, kind.wish, self._slices(hits), tell)
        except asyncio.CancelledError:
            view.notice.show_passing(self._cancelled)
            raise
        except OSError as error:
            view.notice.show_message("danger", partial(self._unwritten, error))
        except Exception as error:  # noqa: BLE001  # whatever it was, it is told
            view.notice.show_message("danger", partial(self._context.words, error))
        else:
            view.notice.show_done(partial(self._success, total, target), target)

    async def _slices(self, hits: Sequence[Hit]) -> AsyncIterator[Sequence[Hit]]:
        for first in range(0, len(hits), _SLICE):
            some = hits[first : first + _SLICE]
            short = [hit.event.id for hit in some if hit.event.info is None]
            yield with_other_records(some, await whole_events(self._context.client, short)) if short else some

    def _progress(self, total: int, done: int) -> str:
        told = self.tr("Exporting hits: %1 of %2").replace("%1", number_text(done))
        return told.replace("%2", number_text(total))

    def _success(self, total: int, target: Path) -> ErrorMessage:
        told = plural(total, self.tr("1 hit"), self.tr("%1 hits"))
        text = self.tr("%1, as they are listed, in %2. Session tokens are masked.").replace("%1", told)
        return ErrorMessage(self.tr("Exported"), text.replace("%2", str(target)), "")

    def _cancelled(self) -> ErrorMessage:
        return ErrorMessage(self.tr("Export cancelled"), self.tr("No file was saved."), "")

    def _unwritten(self, error: OSError) -> ErrorMessage:
        text = self.tr("The file could not be written: %1. No file was saved.")
        remedy = self.tr("Make room there or choose another place, and export again.")
        return ErrorMessage(self.tr("Not exported"), text.replace("%1", error.strerror or str(error)), remedy)
