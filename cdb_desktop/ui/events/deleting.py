"""Deletes the selected events, or all that the query finds, after a sheet and a backup; can be cancelled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QLocale, QObject

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.backup import LinesFile
from cdb_desktop.events.counting import counted
from cdb_desktop.events.deletion import Deletion, Tally
from cdb_desktop.events.pages import Result
from cdb_desktop.events.walk import walk
from cdb_desktop.ui.events.delete_sheet import DeleteSheet
from cdb_desktop.ui.events.delete_words import (
    chosen_words,
    failure_words,
    found_words,
    progress_words,
    stopped_words,
    success_words,
)
from cdb_desktop.ui.events.full_pages import FullPages, patiently, whole_events
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.phrases import whole_query
from cdb_desktop.ui.events.selection import number_of_rows, rows_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.folders import documents

_WORK, _LOOK = "events.delete", "events.delete.look"
_MOST_SELECTED = 10_000  # rows; more are better named by a filter
_SLICE = 200  # records that are asked for one by one between two tellings

Pages = Callable[[], AsyncIterator[Sequence[Event]]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is about to go: how many, in words, and how to read them."""

    count: int
    what: str
    pages: Pages
    is_everything: bool = False


class Deleting(QObject):
    """The way from a selection or a query to its deletion."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client, self._rows = means.view, means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._folder = documents()

    def delete_selected(self) -> None:
        """Asks whether the selected events shall go."""
        stretches = self._view.table.stretches
        count = number_of_rows(stretches)
        if not count:
            self._view.count.tell(self.tr("Select the events to delete first."))
        elif count > _MOST_SELECTED:
            told = self.tr("More than %1 rows: set filters, and delete all that pass them.")
            self._view.count.tell(told.replace("%1", QLocale().toString(_MOST_SELECTED)))
        else:
            self._start_look(self._look_at_rows(list(rows_of(stretches))))

    def delete_found(self) -> None:
        """Asks whether all events shall go that the query finds."""
        result = self._rows.result
        if result is None or not result.rows:
            self._view.count.tell(self.tr("There are no events to delete."))
        else:
            self._start_look(self._look_at_result(result))

    def begin(self, plan: Plan, target: Path | None) -> None:
        """Reads the events of ``plan``, keeps them in ``target`` unless it is None, and deletes them."""
        kept = None if target is None else LinesFile(target)
        deletion = Deletion(partial(self._delete_ids), kept, plan.count)
        title = progress_words(deletion.tally)
        self._tasks.start(_WORK, self._run(deletion, plan), title=title)

    def _start_look(self, work: object) -> None:
        self._tasks.start(_LOOK, work, title=self.tr("Looking what would be deleted"), on_error=self._failed)  # type: ignore[arg-type]

    async def _look_at_rows(self, rows: Sequence[int]) -> None:
        events = await self._rows.events(rows)
        ids = [event.id for event in events]
        if ids:
            plan = Plan(len(ids), chosen_words(ids), partial(self._records, ids))
            self._ask(plan).show_counts(Counter(event.type for event in events))

    async def _look_at_result(self, result: Result) -> None:
        chosen = result.listing.filter
        count = await self._count(chosen) if result.total is None else result.total
        editing = self._view.editing
        what = found_words(whole_query(editing.query, editing.seen))
        plan = Plan(count, what, partial(self._found, result), is_everything=not editing.query.parts)
        sheet = self._ask(plan)
        counts: dict[str, int] = {}
        types = chosen.type or tuple(editing.seen.types)
        slices = [(name, replace(chosen, type=(name,))) for name in types]
        async for name, number in counted(self._count, slices):
            counts[name] = number
            if number:
                sheet.show_counts(counts)

    def _ask(self, plan: Plan) -> DeleteSheet:
        target = Path(self._folder) / f"deleted events {datetime.now(UTC).astimezone():%Y-%m-%d %H%M%S}.jsonl"
        appearance: Appearance = self._view.appearance
        sheet = DeleteSheet(
            appearance, plan.count, plan.what, target, is_everything=plan.is_everything, parent=self._view
        )
        sheet.agreed.connect(partial(self.begin, plan))
        sheet.finished.connect(self._stop_looking)
        sheet.open()
        return sheet

    def _stop_looking(self) -> None:
        self._tasks.cancel(_LOOK)

    async def _run(self, deletion: Deletion, plan: Plan) -> None:
        def tell(tally: Tally) -> None:
            self._tasks.show_progress(_WORK, progress_words(tally), tally.part)

        notice = self._view.notice
        try:
            await deletion.run(plan.pages(), tell)
        except asyncio.CancelledError:
            notice.show_words("warning", partial(stopped_words, deletion))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what is gone is told
            notice.show_words("danger", partial(failure_words, deletion, error, self._words))
        else:
            self._folder = str(deletion.kept.target.parent) if deletion.kept else self._folder
            notice.show_words("accent", partial(success_words, deletion))
        finally:
            if deletion.tally.asked:
                self._view.again_requested.emit()

    async def _found(self, result: Result) -> AsyncIterator[Sequence[Event]]:
        pages = FullPages(self._client, result.listing.filter)
        async for page in walk(pages.fetch, up_to=result.newest):
            yield page

    async def _records(self, ids: Sequence[int]) -> AsyncIterator[Sequence[Event]]:
        for first in range(0, len(ids), _SLICE):
            yield await whole_events(self._client, ids[first : first + _SLICE])

    async def _delete_ids(self, ids: Sequence[int]) -> int:
        # Deleting the same ids twice takes no more than once.
        return await patiently(lambda: self._client.delete_events(ids))

    async def _count(self, chosen: EventFilter) -> int:
        page = await self._client.list_events(chosen, limit=1)
        return page.count or 0

    def _failed(self, error: Exception) -> None:
        self._view.notice.show_words("danger", partial(self._words, error))
