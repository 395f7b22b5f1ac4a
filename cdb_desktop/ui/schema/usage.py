"""Shows the use of tables in the diagram: scans the event log, counts rows, and remembers the results."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTableWidgetItem, QWidget

from cdb_desktop.client import Client, Record, Session, Sort
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.events.table_use import READS, WRITES, TableUse, Use, UseScan, scan_use, use_filter
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.heat import HeatKind, TableHeat, age_level, highest, share_level, size_of
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.diagram.bars import PERIODS
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import day_and_time

_SCAN, _COUNT = "schema.usage", "schema.usage.rows"
_SEE_EVENTS = "system.api.event.get"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_PARTS = 0.3  # seconds between two partial results

CountRows = Callable[[Sequence[str]], Mapping[str, int]]  # blocks; raises OSError


@dataclass(frozen=True, slots=True)
class KnownUse:
    """What is known of a table.

    ``use`` is None if events may not be read, ``rows`` is None if they cannot be counted.
    """

    use: TableUse | None = None
    scan: UseScan | None = None
    rows: int | None = None

    def number(self, use: Use) -> int | None:
        """How often the table was used in a way; None if that is unknown."""
        if self.use is None or self.scan is None or not self.scan.is_known(use):
            return None
        return self.use.counts[use]

    @property
    def reads(self) -> int | None:
        """The number of views and searches, as far as it is known."""
        known = [number for use in READS if (number := self.number(use)) is not None]
        return sum(known) if known else None

    @property
    def knows_writes(self) -> bool:
        """Whether events say when the table was written."""
        return self.scan is not None and all(self.scan.is_known(use) for use in WRITES)


def use_text(known: KnownUse, now: datetime) -> str:
    """The use of a table in a few lines."""
    return "\n".join(_lines(known, now))


def _lines(known: KnownUse, now: datetime) -> Iterator[str]:
    yield (
        tr("Number of rows unknown")
        if known.rows is None
        else tr("{count:1 row|{count} rows}", count=known.rows)
    )
    use, scan = known.use, known.scan
    if use is None or scan is None:
        yield tr("Use unknown: no events were read.")
        return
    period = period_text(scan, now)
    if use.last is None and known.knows_writes and known.reads is not None:
        yield tr("No event has touched this table {period}.", period=period)
        return
    if not known.knows_writes:
        yield tr("Last write unknown: the events do not name their tables.")
    elif use.last_write is None:
        yield tr("Not written {period}.", period=period)
    else:
        yield tr("Last written on {time}", time=day_and_time(use.last_write))
    numbers = [
        tr("{count:1 insert|{count} inserts}", count=use.counts[Use.INSERT]),
        tr("{count:1 update|{count} updates}", count=use.counts[Use.UPDATE]),
        tr("{count:1 deletion|{count} deletions}", count=use.counts[Use.DELETE]),
    ]
    if known.knows_writes and use.writes:
        yield ", ".join(numbers)
    views, searches = known.number(Use.VIEW), known.number(Use.SEARCH)
    yield tr("Views: unknown") if views is None else tr("{count:1 view|{count} views}", count=views)
    yield (
        tr("Searches: unknown")
        if searches is None
        else tr("{count:1 search|{count} searches}", count=searches)
    )
    if use.last_read is not None:
        yield tr("Last read on {time}", time=day_and_time(use.last_read))


def period_text(scan: UseScan, now: datetime) -> str:
    """The time that a scan has covered: ``for 90 days``, ``since`` a time, or ``in the whole log``."""
    begin = scan.begin
    if begin is None:
        return tr("in the whole log") if scan.is_complete else tr("in what was read so far")
    if scan.is_complete:
        return tr("for {count:1 day|{count} days}", count=(now - begin).days)
    return tr("since {time}, earlier events were not read", time=day_and_time(begin))


def scan_text(scan: UseScan, now: datetime) -> str:
    """What a scan that has ended has covered, and when."""
    text = tr("{count:1 event|{count} events}", count=scan.read)
    end = "" if scan.ended is None else tr("as of {time}", time=day_and_time(scan.ended))
    return " · ".join(filter(None, (text, period_text(scan, now), end)))


class UsageController(PageController):
    """Shows the use of tables while its action is checked."""

    def __init__(
        self,
        page: SchemaContext,
        client: Client,
        session: Callable[[], Session],
        count_rows: CountRows | None,
        older_versions: Callable[[], Sequence[Document]],
    ) -> None:
        """``count_rows`` counts the rows of tables by name, None if nothing can."""
        super().__init__(page)
        self._client, self._session = client, session
        self._count_rows, self._older_versions = count_rows, older_versions
        self._bar = page.view.diagram_panel.usage
        self._kind, self._period = HeatKind.WRITES, PERIODS[1]
        self._scans: dict[int, UseScan] = {}  # the last one by period, for as long as the page exists
        self._running: tuple[int, UseScan] | None = None  # with its period
        self._rows: Mapping[str, int] | None = None
        self._dialog: UsageDialog | None = None
        self._document: Document | None = None
        # The names that tables had in some documents.
        self._named: tuple[tuple[Document, ...], Mapping[int, tuple[str, ...]]] = ((), {})
        self._action = page.actions["schema_usage"]
        self._action.setChecked(False)
        self._action.toggled.connect(self._toggle)
        page.actions["schema_changes"].toggled.connect(self._make_way)
        self._bar.closed.connect(lambda: self._action.setChecked(False))
        self._bar.kind.decided.connect(self._choose_kind)
        self._bar.period.decided.connect(self._choose_period)
        self._bar.scan.clicked.connect(self._start_or_cancel)
        self._bar.list.clicked.connect(self.open_list)
        self._store.changed.connect(self._follow)
        self._store.selected.connect(self._show_in_form)

    @property
    def may_see_events(self) -> bool:
        """Whether the session may read the log (§5.2)."""
        return self._session().allows(_SEE_EVENTS)

    @property
    def scan(self) -> UseScan | None:
        """What is known for the chosen period: the result that reaches further back, None without any."""
        last = self._scans.get(self._period)
        period, running = self._running or (None, None)
        if running is None or period != self._period:
            return last
        return running if last is None or not last.reaches_further(running) else last

    def known(self, key: int) -> KnownUse:
        """What is known of a top-level table."""
        page = self._store.page
        table = page.document.by_key.get(key)
        if table is None:
            return KnownUse()
        rows = None if self._rows is None else self._rows.get(self._stored_name(page, key))
        scan = self.scan
        use = None if scan is None else scan.of(self._names(page).get(key, (table.name,)))
        return KnownUse(use, scan, rows)

    def open_list(self) -> None:
        """Opens the list of tables by use."""
        if not self._store.page.is_read:
            return
        self._action.setChecked(True)
        if self._dialog is None:
            dialog = UsageDialog(self._view.appearance, self._view, may_see_events=self.may_see_events)
            dialog.reveal_requested.connect(self._reveal)
            dialog.events_requested.connect(self._show_events)
            dialog.finished.connect(self._forget)
            self._dialog = dialog
        self._show()
        self._dialog.show()
        self._dialog.raise_()

    def _make_way(self, on: bool) -> None:
        """Versions are compared: their signs and the colors of use would be confused."""
        if on:
            self._action.setChecked(False)

    def _forget(self) -> None:
        self._dialog = None

    def _toggle(self, on: bool) -> None:
        if not on:
            self._stop()
            self._bar.hide()
            self._view.diagram.diagram_scene.show_heat(None, lambda _ref: "")
            self._view.form.table.show_use("")
            return
        if not self._store.page.is_read:
            self._action.setChecked(False)
            return
        self._actions["schema_changes"].setChecked(False)
        self._bar.show_choice(self._kind, self._period)
        self._bar.show()
        self._tasks.start(_COUNT, self._count(), on_error=self._ignore)
        self._begin()

    def _begin(self) -> None:
        """Shows the result for the period; scans the log if there is none."""
        if self.may_see_events and self._period not in self._scans:
            self._start()
        else:
            self._stop()
            self._show()

    def _stop(self) -> None:
        """Ends the scan that runs, without a result."""
        self._running = None
        self._tasks.cancel(_SCAN)

    def _choose_kind(self, kind: HeatKind) -> None:
        self._kind = kind
        self._bar.show_choice(self._kind, self._period)
        self._show()

    def _choose_period(self, days: int) -> None:
        self._period = days
        self._bar.show_choice(self._kind, self._period)
        self._begin()

    def _start_or_cancel(self) -> None:
        if self._running is None:
            self._start()
        else:
            self._tasks.give_up(_SCAN)

    def _start(self) -> None:
        now, days = datetime.now(UTC), self._period
        scan = UseScan(now - timedelta(days=days) if days else None)
        self._running = days, scan
        title = tr("Reading the use of tables")
        self._tasks.start(
            _SCAN, self._run(scan, now), title=title, on_error=self._fail, on_given_up=self._end
        )
        self._show()

    async def _run(self, scan: UseScan, now: datetime) -> None:
        client, chosen = self._client, use_filter(scan.since)

        async def fetch(offset: int) -> Sequence[Record]:
            page = await client.list_events(
                chosen,
                sort=(Sort("_id", descending=True),),
                limit=PAGE_SIZE,
                offset=offset,
                full=client.capabilities.full_list,
                skip_count=True,
            )
            return page.records

        shown = 0.0
        async for found in scan_use(read_pages(fetch, descending=True), scan):
            done = _fraction(found, now)
            self._tasks.show_progress(_SCAN, tr("Reading the use of tables"), done)
            if time.monotonic() - shown > _PARTS:
                self._show()
                shown = time.monotonic()
        self._end()

    def _end(self) -> None:
        """The scan has ended, or was cancelled: what it has found so far stays, or what was known before.

        That is what reaches further back.
        """
        if self._running is not None:
            (period, scan), self._running = self._running, None
            scan.ended = datetime.now(UTC)
            last = self._scans.get(period)
            if last is None or not last.reaches_further(scan):
                self._scans[period] = scan
        self._show()

    def _fail(self, error: Exception) -> None:
        self._end()
        self._view.notice.show_error(error_message(error))

    async def _count(self) -> None:
        page = self._store.page
        if page.editing.current is None:
            return
        tables = {table.key: table for table in page.editing.current.tables}
        if self._count_rows is not None:
            names = [table.name for table in tables.values()]
            self._rows = await run_in_thread(self._count_rows, names)
        else:
            tops = {key: table.name for key, table in tables.items() if table.owner is None}
            counts = await self._client.object_counts(tops)
            if not counts:
                return
            self._rows = counts
        self._show()

    def _ignore(self, _error: Exception) -> None:
        """Without the numbers of rows they are shown as unknown."""
        self._rows = None

    def _follow(self, page: PageState) -> None:
        if self._action.isChecked() and page.document is not self._document:
            self._show()
        self._show_in_form(page)

    def _show(self) -> None:
        """Paints what is known, and fills the list."""
        page = self._store.page
        if not self._action.isChecked():
            return
        self._document = page.document
        tops = [table.key for table in page.document.tables if table.owner is None]
        uses = {key: self.known(key) for key in tops}
        reads = highest(known.reads for known in uses.values())
        now = datetime.now(UTC)
        heat = {key: self._heat(known, reads, now) for key, known in uses.items()}
        self._view.diagram.diagram_scene.show_heat(heat, self._note, self._kind)
        status = self._status(now)
        self._bar.show_note(status, is_scanning=self._running is not None, may_scan=self.may_see_events)
        self._show_in_form(page)
        if self._dialog is not None:
            rows = {key: (page.document.by_key[key].name, known) for key, known in uses.items()}
            self._dialog.show_uses(rows, self._others(page), status)

    def _status(self, now: datetime) -> str:
        scan = self.scan
        if not self.may_see_events:
            return tr("The use is unknown: reading events needs the right {right}.", right=_SEE_EVENTS)
        if self._running is not None:
            running = self._running[1]
            reached = running.reached
            so_far = "" if reached is None else tr("back to {time}", time=day_and_time(reached))
            count = tr("{count:1 event|{count} events}", count=running.read)
            return " · ".join(filter(None, (tr("Reading…"), count, so_far)))
        return "" if scan is None else scan_text(scan, now)

    def _heat(self, known: KnownUse, reads: int, now: datetime) -> TableHeat:
        rows = known.rows
        level: int | None = None
        if known.use is not None and known.scan is not None:
            if self._kind is HeatKind.READS:
                level = None if known.reads is None else share_level(known.reads, reads)
                if not known.reads and not known.scan.is_complete:
                    level = None
            elif known.knows_writes:
                level = age_level(known.use.last_write, now, is_complete=known.scan.is_complete)
        return TableHeat(level, None if rows is None else size_of(rows), rows)

    def _note(self, ref: ElementRef) -> str:
        if not isinstance(ref, TableRef):
            return ""
        table = self._store.page.document.by_key.get(ref.table)
        if table is None or table.owner is not None:
            return ""
        return use_text(self.known(ref.table), datetime.now(UTC))

    def _show_in_form(self, page: PageState) -> None:
        if self._action.isChecked():
            key = table_key_of(page.selection)
            self._view.form.table.show_use("" if key is None else self._note(TableRef(key)))

    def _others(self, page: PageState) -> Mapping[str, KnownUse]:
        """The use of object types that are no tables of the model."""
        scan = self.scan
        if scan is None:
            return {}
        names = {name for found in self._names(page).values() for name in found}
        return {name: KnownUse(use, scan) for name, use in scan.uses.items() if name not in names}

    def _reveal(self, key: int) -> None:
        if key in self._store.page.document.by_key:
            self._store.select(TableRef(key))
            self._view.show_selection(self._store.page)

    def _show_events(self, key: int) -> None:
        self._reveal(key)
        self._actions["table_events"].trigger()

    def _names(self, page: PageState) -> Mapping[int, tuple[str, ...]]:
        """All names that each table has had, as far as versions are known: events name it as it was."""
        older = self._older_versions()
        newest = (page.document, page.editing.document, page.editing.current, *older)
        documents = tuple(document for document in newest if document is not None)
        if [id(one) for one in documents] != [id(one) for one in self._named[0]]:
            self._named = documents, _all_names(documents)
        return self._named[1]

    def _stored_name(self, page: PageState, key: int) -> str:
        """The name of a table in the database, which is that of CURRENT."""
        current = None if page.editing.current is None else page.editing.current.by_key.get(key)
        return "" if current is None else current.name


def _all_names(documents: Sequence[Document]) -> Mapping[int, tuple[str, ...]]:
    """The names of each table, the newest documents first."""
    found: dict[int, dict[str, None]] = {}
    taken: set[str] = set()
    for document in documents:
        for table in document.tables:
            # A name that another table has in a newer version is that table's.
            if table.name not in taken or table.name in found.get(table.key, {}):
                found.setdefault(table.key, {})[table.name] = None
        taken.update(table.name for table in document.tables)
    return {key: tuple(names) for key, names in found.items()}


def _fraction(scan: UseScan, now: datetime) -> float | None:
    """How much of the period has been read, None for the whole log."""
    if scan.since is None or scan.reached is None:
        return None
    return min(max((now - scan.reached) / (now - scan.since), 0.0), 1.0)


# A table by its key in the document, an object type that is no table of it by its name.
_Key = int | str
_Row = tuple[str, KnownUse]
# What rows are sorted by: a name in lower case, a number, or a POSIX time, 0 if there is none in the period;
# None if it is unknown.
_Value = str | float | None

_WIDTH, _HEIGHT = 980, 480
_NAME, _ROWS, _LAST_WRITE, _LAST_READ = range(4)
_TIMES = (_LAST_WRITE, _LAST_READ)
_USES = (Use.INSERT, Use.UPDATE, Use.DELETE, Use.VIEW, Use.SEARCH, Use.INDEX)
_KEY = Qt.ItemDataRole.UserRole


class UsageDialog(BaseDialog):
    """The list of tables. It is not modal, so that the diagram can be used meanwhile.

    Signals: ``reveal_requested`` and ``events_requested`` with the key of a table.
    """

    reveal_requested = Signal(object)
    events_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget, *, may_see_events: bool) -> None:
        super().__init__(appearance, "schema.usage.tables", parent)
        self.setModal(False)
        self.table = named("schema.usage.tables.rows", PlainTable(self))
        self.table.setAccessibleName(tr("Tables by use"))
        self.table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        titles = (
            *(tr("Table"), tr("Rows"), tr("Last write"), tr("Last read")),
            *(tr("Inserts"), tr("Updates"), tr("Deletions"), tr("Views"), tr("Searches"), tr("Indexed")),
        )
        self.table.setColumnCount(len(titles))
        self.table.setHorizontalHeaderLabels(titles)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSortIndicator(_LAST_WRITE, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self._widths = [header.sectionSizeHint(column) for column in range(len(titles))]
        for column, width in enumerate(self._widths):
            header.resizeSection(column, width)
        self.table.activated.connect(lambda _index: self._emit(self.reveal_requested))
        self.table.itemSelectionChanged.connect(self._enable)
        self.body.addWidget(self.table, stretch=1)
        self.events = self.add_button(tr("Show its &events"), lambda: self._emit(self.events_requested))
        self._may_see_events = may_see_events
        self._advance = cache(self.table.fontMetrics().horizontalAdvance)  # most texts are in many rows
        self._shown: dict[_Key, tuple[str, tuple[_Value, ...]]] = {}
        self.set_texts(tr("Tables by use"), "", tr("Show in the diagram"))
        self.cancel_button.setText(tr("Close"))
        self.accept_button.clicked.connect(lambda: self._emit(self.reveal_requested))
        self._enable()
        self.resize(_WIDTH, _HEIGHT)
        self.table.setFocus()

    def show_uses(self, rows: Mapping[int, _Row], others: Mapping[str, KnownUse], note: str) -> None:
        """Shows the tables by their keys, and object types that are no tables of the model.

        Selection, order and scroll position stay.
        """
        self.set_text(note)
        every: dict[_Key, _Row] = dict(rows.items())
        every |= {
            name: (tr("{name} (not in this model)", name=name), known) for name, known in others.items()
        }
        before, self._shown = (
            self._shown,
            {key: (name, _values(name, known)) for key, (name, known) in every.items()},
        )
        if before == self._shown:
            return
        self.table.setUpdatesEnabled(False)
        self.table.setSortingEnabled(False)
        for row in reversed(range(self.table.rowCount())):
            if self._key(row) not in every:
                self.table.removeRow(row)
        places = {self._key(row): row for row in range(self.table.rowCount())}
        self.table.setRowCount(len(every))
        for key, (name, values) in self._shown.items():
            if before.get(key) != (name, values):
                self._show_row(places.setdefault(key, len(places)), key, name, values)
        self.table.setSortingEnabled(True)
        self.table.setUpdatesEnabled(True)
        self._enable()

    def _show_row(self, row: int, key: _Key, name: str, values: tuple[_Value, ...]) -> None:
        """Columns become wider for their texts, never narrower, so that they do not jump during a scan."""
        header = self.table.horizontalHeader()
        for column, value in enumerate(values):
            text = name if column == _NAME else _text(column, value)
            item = _Cell(text)
            item.value = value
            if column == _NAME:
                item.setData(_KEY, key)
            elif column not in _TIMES:
                item.setTextAlignment(_RIGHT)
            self.table.setItem(row, column, item)
            needed = self._advance(text) + 2 * GAP + 1
            if needed > self._widths[column]:
                self._widths[column] = needed
                header.resizeSection(column, needed)

    def _key(self, row: int) -> _Key:
        found: _Key = self.table.model().index(row, _NAME).data(_KEY)
        return found

    @property
    def _chosen(self) -> int | None:
        found = self.table.selectionModel().selectedRows()
        key = self._key(found[0].row()) if found else None
        return key if isinstance(key, int) else None

    def _emit(self, signal: object) -> None:
        if self._chosen is not None:
            signal.emit(self._chosen)  # type: ignore[attr-defined]

    def _enable(self) -> None:
        self.accept_button.setEnabled(self._chosen is not None)
        self.events.setEnabled(self._chosen is not None and self._may_see_events)


class _Cell(QTableWidgetItem):
    """A cell that is sorted by its value; unknown ones are the lowest."""

    value: _Value = None

    def __lt__(self, other: object) -> bool:
        mine, theirs = self.value, getattr(other, "value", None)
        return theirs is not None and (mine is None or mine < theirs)


def _values(name: str, known: KnownUse) -> tuple[_Value, ...]:
    use = known.use
    write = _seconds(use.last_write if use else None, is_known=use is not None and known.knows_writes)
    read = _seconds(use.last_read if use else None, is_known=known.reads is not None)
    return name.lower(), known.rows, write, read, *(known.number(each) for each in _USES)


def _seconds(moment: datetime | None, *, is_known: bool) -> float | None:
    if moment is not None:
        return moment.timestamp()
    return 0.0 if is_known else None


def _text(column: int, value: _Value) -> str:
    if not isinstance(value, int | float):
        return tr("unknown")
    if column not in _TIMES:
        return number_text(value)
    return day_and_time(datetime.fromtimestamp(value, UTC)) if value else tr("not in the period")
