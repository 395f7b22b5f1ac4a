"""What can be done with a result beyond looking at its rows, and the actions that begin it."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject

from cdb_desktop.events.span import Span
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.column_choosing import ColumnChoosing
from cdb_desktop.ui.events.browser.inserting import Inserting
from cdb_desktop.ui.events.browser.means import Means
from cdb_desktop.ui.events.browser.selection import number_of_rows, selected_stretches
from cdb_desktop.ui.events.browser.titles import ABOUT_COLUMNS, Titles
from cdb_desktop.ui.events.compare.comparing import Comparing
from cdb_desktop.ui.events.deletion.deleting import Deleting
from cdb_desktop.ui.events.export.export_choosing import ExportChoosing
from cdb_desktop.ui.events.export.exporting import Exporting
from cdb_desktop.ui.events.filters.highlighting import Highlighting
from cdb_desktop.ui.events.filters.looking_for_users import LookingForUsers
from cdb_desktop.ui.events.inspector.value_menu import ValueMenu
from cdb_desktop.ui.events.interrupted import Interrupted
from cdb_desktop.ui.events.obstacle_words import obstacle_words
from cdb_desktop.ui.events.overview.summarising import Summarising
from cdb_desktop.ui.events.overview.surveying import Surveying
from cdb_desktop.ui.events.requests.requesting import Requesting
from cdb_desktop.ui.events.search.hits_work import HitsWork
from cdb_desktop.ui.events.search.searching import Searching
from cdb_desktop.ui.events.views.view_keeping import ViewKeeping
from cdb_desktop.vocabulary.pattern import PatternKind


class Work(QObject):
    """Search, overview, deletion."""

    def __init__(self, means: Means, exporting: Exporting) -> None:
        view = means.view
        super().__init__(view)
        self._view = view
        self._rows = means.rows
        self._client = means.client
        self._around = view.around
        self._actions = view.actions_by_name
        self._searching = Searching(means)
        self._surveying = Surveying(means)
        self._looking_for_users = LookingForUsers(means)
        self._summarising = Summarising(means)
        self._comparing = Comparing(means)
        self._deleting = Deleting(means)
        self._hits = HitsWork(means, self._comparing, self._deleting)
        self._choosing = ExportChoosing(means, exporting)
        self._deleting.gone.connect(self._forget_gone)
        self._interrupted = Interrupted(means, exporting, self._deleting)
        self._columns = ColumnChoosing(means)
        self._titles = Titles(view)
        self._requesting = Requesting(means)
        self.inserting = Inserting(means)
        self._highlighting = Highlighting(view, view.settings)
        self._keeping = ViewKeeping(view, view.settings)
        self._value_menu = ValueMenu(view)
        self._offered: dict[str, bool] = {}
        self._connect(self._actions)
        self._fetch_whole(view.columns.needs_whole)
        self._offer_selected()

    def _connect(self, actions: Actions) -> None:
        view, search = self._view, self._around.search
        for name, act in (
            ("search_all", self._around.open_search),
            ("hit_next", self._go_on),
            ("hit_previous", self._go_back),
            ("export_options", self._choosing.open),
            ("views", self._keeping.open_menu),
            ("highlight", self._highlighting.open),
            ("columns", self._columns.open),
            ("summary", self._summarising.open),
            ("compare", self._compare),
            ("delete_selected", self._delete_selected),
            ("delete_found", self._deleting.delete_found),
            ("event_insert", self.inserting.open),
        ):
            actions[name].triggered.connect(act)
        view.filters.value_requested.connect(self._around.ask_value)
        search.close_requested.connect(self._close_search)
        view.commands.search_left.connect(self._leave_search)
        search.event_requested.connect(view.event_requested)
        search.log_requested.connect(self._search_log)
        for table in (view.table, search.table):
            table.rows_selected.connect(self._offer_selected)
        actions["inspector"].toggled.connect(self._offer_selected)
        self._around.histogram.span_chosen.connect(self._ask_span)
        self._around.facets.query_requested.connect(view.query_requested)
        self._rows.shown.connect(self._offer_result)
        view.rows_gone.connect(self._offer_result)
        view.columns.needs_changed.connect(self._reload_whole)

    def open_view_file(self, source: Path) -> None:
        """Shows and keeps the view in a file, or says why there is none."""
        self._keeping.open_file(source)

    def _offer_selected(self, _number: int = 0) -> None:
        tables = (self._view.table, self._around.search.table)
        selected = [number_of_rows(selected_stretches(table)) for table in tables]
        self._set_possible("delete_selected", any(selected) or self._view.outside is not None)
        self._set_possible("compare", any(number in (1, 2) for number in selected))

    def _forget_gone(self, ids: frozenset[int]) -> None:
        outside = self._view.outside
        if outside is not None and outside.id in ids:
            self._view.inspector.show_nothing()
            self._offer_selected()

    def _compare(self) -> None:
        (self._hits if self._hits.is_meant else self._comparing).compare()

    def _delete_selected(self) -> None:
        (self._hits if self._hits.is_meant else self._deleting).delete_selected()

    def _offer_result(self, _result: object = None) -> None:
        result = self._rows.result
        for name in ("delete_found", "export_options", "summary", *ABOUT_COLUMNS):
            self._set_possible(name, result is not None and result.rows > 0)

    def _set_possible(self, name: str, possible: bool) -> None:
        # The table of actions settles all of them at every change, and selections change with every key.
        if self._offered.get(name) is not possible:
            self._offered[name] = possible
            self._actions.set_possible(name, possible, obstacle_words(name))

    def _fetch_whole(self, whole: bool) -> None:
        # A service before 5.140 lists short records only (§9 rule 2).
        self._rows.whole = whole and self._client.features.full_list
        if whole and not self._rows.whole:
            told = self.tr("This service is too old to list info: some columns stay empty.")
            self._view.notice.show_notice("warning", "", told)

    def _reload_whole(self, whole: bool) -> None:
        self._fetch_whole(whole)
        if self._rows.whole:
            self._view.again_requested.emit()

    def _leave_search(self) -> None:
        if not self._around.search.isHidden():
            self._close_search()

    def _close_search(self) -> None:
        self._searching.stop()
        self._around.search.hide()
        self._view.table.setFocus()

    def _search_log(self) -> None:
        search = self._around.search
        kind = PatternKind(search.kind.currentData())
        self._around.search_for(search.text.text(), was_filtered=True, kind=kind)
        self._view.editing.clear()

    def _go_on(self) -> None:
        self._around.search.step(1)

    def _go_back(self) -> None:
        self._around.search.step(-1)

    def _ask_span(self, span: Span) -> None:
        self._view.query_requested.emit(replace(self._view.editing.query, span=span))
