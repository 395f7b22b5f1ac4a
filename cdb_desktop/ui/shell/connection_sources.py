"""What the command palette finds in a connection or a model file: tables, saved views and events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.saved_views import SavedView
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views import ViewController
from cdb_desktop.ui.shell.palette.sources import PaletteRow, match_distance
from cdb_desktop.vocabulary.query_text import event_id

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.view import SchemaView


class TableSource:
    """Tables of the schema by name. ``load`` reads the schema if that has not been done."""

    def __init__(
        self, view: Callable[[], SchemaView], actions: Actions, load: Callable[[], object] | None = None
    ) -> None:
        self._view = view
        self._actions = actions
        self._load = load

    def rows(self, typed: str) -> Iterator[PaletteRow]:
        """The tables that match, and none for an empty text; they open on the schema page."""
        if not typed.strip() or self._actions.obstacle("schema"):
            return
        document = self._view().document
        if document is None:
            if self._load is not None:
                self._load()
            return
        kind, icon = tr("Table"), self._actions["schema"].icon()
        for table in document.tables:
            fit = match_distance(typed, table.name, others=kind)
            if fit is not None:
                run = partial(self._show, TableRef(table.key))
                yield PaletteRow(f"table.{table.key}", table.name, kind, run, icon=icon, fit=fit)

    def _show(self, table: TableRef) -> None:
        self._actions["schema"].setChecked(True)
        self._view().go_to_match(table)


class ViewSource:
    """Saved views of events by name."""

    def __init__(self, controller: ViewController, actions: Actions) -> None:
        self._controller = controller
        self._actions = actions

    def rows(self, typed: str) -> Iterator[PaletteRow]:
        """The views that match, and none for an empty text."""
        if not typed.strip():
            return
        kind, icon = tr("Saved view"), self._actions["views"].icon()
        for view in self._controller.views:
            fit = match_distance(typed, view.name, others=kind)
            if fit is not None:
                run = partial(self._show, view)
                yield PaletteRow(
                    f"view.{view.name}", view.name, kind, run, obstacle=self._obstacle, icon=icon, fit=fit
                )

    @property
    def _obstacle(self) -> str:
        return self._actions.obstacle("views")

    def _show(self, view: SavedView) -> None:
        self._actions["events"].setChecked(True)
        self._controller.show(view)


class EventSearchSource:
    """An event by its id, and the search of events for what is typed, which follow everything else."""

    def __init__(self, view: EventsView, actions: Actions) -> None:
        self._view = view
        self._actions = actions

    def rows(self, typed: str) -> Iterator[PaletteRow]:
        """One row unless the text is empty."""
        text = typed.strip()
        if not text:
            return
        number = event_id(text)
        title = tr("Search the events for “{text}”", text=text)
        if number is not None:
            title = tr("Go to event {id}", id=number_text(number))
        yield PaletteRow(
            "event",
            title,
            tr("Events"),
            partial(self._enter, text),
            obstacle=self._actions.obstacle("search"),
            icon=self._actions["search"].icon(),
            fit=0 if number is not None else _LAST,
        )

    def _enter(self, text: str) -> None:
        """Does what the query line does with the text."""
        self._actions["events"].setChecked(True)
        self._view.query_line.setText(text)
        self._view.query_line.entered.emit(text)


_LAST = 100  # behind the worst match of several words
