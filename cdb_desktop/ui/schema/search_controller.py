"""The search of the schema page: its hits in tree and diagram, and the walk from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef
from cdb_desktop.schema.document.model import Document, NamedRef
from cdb_desktop.schema.document.search import SearchHit, SearchIndex, Where
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.diagram.bars import FindBar
from cdb_desktop.ui.schema.diagram.scope_controller import ScopeController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_FIND = "schema.hits"
_SMALL = 1500  # entries of tables


@dataclass(frozen=True, slots=True)
class _Source:
    """What an index was made of."""

    document: Document
    names: LocalizedNames | None

    def index(self) -> SearchIndex:
        """The index of the document."""

        def names_of(ref: NamedRef) -> Mapping[str, str]:
            return {} if self.names is None else self.names.of(self.document, ref)

        return SearchIndex(self.document, names_of)

    def is_same(self, other: _Source) -> bool:
        return self.document is other.document and self.names is other.names


@dataclass(frozen=True, slots=True)
class _Found:
    """The hits of a search; ``at`` is the index of the one that is walked to, None before the first."""

    wanted: str = ""
    hits: tuple[SearchHit, ...] = ()
    at: int | None = None


class SearchController(QObject):
    """Searches the names, types, comments and localized names while the search field has a text."""

    def __init__(
        self, store: PageStore, view: SchemaView, actions: Actions, tasks: Tasks, scope: ScopeController
    ) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._actions = actions
        self._tasks = tasks
        self._scope = scope
        self._index: tuple[_Source, SearchIndex] | None = None
        self._found = _Found()
        self._is_asked = False  # for the next hit, while the index is being made
        self.bar = FindBar(view.appearance, actions, view.diagram_panel)
        view.diagram_panel.add_bar(self.bar, self._result_text)
        self.bar.show_button.clicked.connect(self._show_hidden)
        self.bar.close_button.clicked.connect(view.tables.search.clear)
        actions["find_next"].triggered.connect(self._next)
        actions["find_previous"].triggered.connect(self._previous)
        view.tables.search.textChanged.connect(self._search)
        view.tables.entered.connect(self._next)
        store.changed.connect(self._update)
        scope.shown_changed.connect(self._show)
        self._show()

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The hits, best first."""
        return self._found.hits

    def _result_text(self) -> str:
        """What was searched, and how many hits there are."""
        count = len(self._found.hits)
        hits = tr("{count:1 hit|{count} hits}", count=count) if count else tr("No hits")
        return tr("Search: “{text}”", text=self._view.tables.search.text().strip()) + f" · {hits}"

    @property
    def _wanted(self) -> str:
        return self._view.tables.search.text().strip().lower()

    def _search(self) -> None:
        page, wanted = self._store.page, self._wanted
        if not wanted:
            self._tasks.cancel(_FIND)
            self._take(_Found())
            return
        source = _Source(page.document, page.checks.names)
        if self._index is not None and self._index[0].is_same(source):
            self._take(_Found(wanted, self._index[1].find(wanted)))
        else:
            self._make_index(source)

    def _make_index(self, source: _Source) -> None:
        """Makes the index of a small document at once, that of a large one on a thread."""
        self._is_asked = False
        if sum(len(table.entries) for table in source.document.tables) <= _SMALL:
            self._take_index(source, source.index())
        else:
            self._tasks.start(_FIND, self._find(source))

    async def _find(self, source: _Source) -> None:
        self._take_index(source, await run_in_thread(source.index))
        if self._is_asked:
            self._walk(1)

    def _take_index(self, source: _Source, index: SearchIndex) -> None:
        self._index = source, index
        wanted, before = self._wanted, self._found
        hits = index.find(wanted)
        at = None
        if before.wanted == wanted and before.at is not None:
            # After an edit the walk goes on from the same element.
            ref = before.hits[before.at].ref
            at = next((n for n, hit in enumerate(hits) if hit.ref == ref), None)
        self._take(_Found(wanted, hits, at))

    def _update(self, page: PageState) -> None:
        """Searches again after an edit."""
        if self._wanted:
            source = _Source(page.document, page.checks.names)
            if self._index is None or not self._index[0].is_same(source):
                self._make_index(source)
        elif self._index is not None and self._index[0].document is not page.document:
            self._index = None

    def _take(self, found: _Found) -> None:
        self._found = found
        others = (hit.ref for hit in found.hits if hit.where in (Where.COMMENT, Where.LOCALIZED_NAME))
        self._view.tables.show_found(frozenset(others))
        self._show()

    def _show(self) -> None:
        """Shows the hits in the diagram and in the bar."""
        found = self._found
        refs: frozenset[ElementRef] = frozenset(hit.ref for hit in found.hits)
        hit = None if found.at is None else found.hits[found.at]
        tables = self._scope.tables_of(refs)
        self._view.diagram.diagram_scene.show_hits(refs, DOCUMENT if hit is None else hit.ref, tables)
        for name in ("find_next", "find_previous"):
            self._actions.set_possible(name, bool(found.hits), tr("Search for something first (Ctrl+F)."))
        if found.wanted:
            number = 0 if found.at is None else found.at + 1
            hidden = len(self._scope.not_shown(refs))
            self.bar.show_hits(number, len(found.hits), "" if hit is None else self._text(hit), hidden)
        else:
            self.bar.hide()

    def _text(self, hit: SearchHit) -> str:
        """What the search has found in an element."""
        found = {
            Where.NAME: hit.name,
            Where.TYPE: tr("{name}: type {text}", name=hit.name, text=hit.text),
            Where.COMMENT: tr("{name}: comment “{text}”", name=hit.name, text=hit.text),
            Where.LOCALIZED_NAME: tr("{name}: localized “{text}”", name=hit.name, text=hit.text),
        }[hit.where]
        return tr("{hit} – not shown", hit=found) if self._scope.not_shown((hit.ref,)) else found

    def _next(self) -> None:
        self._go(1)

    def _previous(self) -> None:
        self._go(-1)

    def _go(self, by: int) -> None:
        """Walks to the next hit; after the last one comes the first."""
        self._is_asked = self._tasks.is_running(_FIND)
        if not self._is_asked:
            self._walk(by)

    def _walk(self, by: int) -> None:
        found = self._found
        if not found.hits:
            return
        at = (0 if by > 0 else -1) if found.at is None else found.at + by
        self._found = _Found(found.wanted, found.hits, at % len(found.hits))
        self._view.go_to_match(found.hits[at % len(found.hits)].ref)
        self._show()

    def _show_hidden(self) -> None:
        self._scope.show_tables(self._scope.not_shown(hit.ref for hit in self._found.hits))
