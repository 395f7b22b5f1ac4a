"""Measurements of the schema page with 1,000 tables: edits, validation, comparison, merges.

Times are of the processor, since the shorter ones are less than what other programs take from them.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TypeVar

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.process import GarbageCollector
from cdb_desktop.client import Client, Session
from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.merge.merge import merge
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.schema.diagram.graphs import large_model
from tests.performance.events.window import run, until
from tests.performance.rows import Context, Measured, Row

_TABLES = 1000
_EDITED = 20  # tables that differ between two versions
_NOBODY = "http://127.0.0.1:1"
_SIZE = 1366, 768

T = TypeVar("T")


def edit(context: Context) -> Row:
    """From an edit of a column to the frame with the new form, grid, tree and diagram; the median."""

    async def measure(app: QApplication) -> float:
        async with _opened(app, context.folder) as opened:
            controller = opened.controller
            page = controller.store.page
            table = page.document.tables[1]
            controller.store.select(TableRef(table.key))
            app.sendPostedEvents()
            times = []
            for number in range(3 * context.repeats):
                column = table.columns[0].ref(table.key)
                times.append(_timed(lambda: _applied(app, controller, column, f"name_{number}"))[0])  # noqa: B023
            return median(times)

    return Row(f"schema.edit_{_TABLES}_ms", round(run(measure), 1), "ms", goal=25)


def opening(context: Context) -> Row:
    """From the data model to a form that can be edited; the median."""

    async def measure(app: QApplication) -> float:
        times = []
        for _ in range(context.repeats):
            async with _opened(app, context.folder) as opened:
                page = opened.controller.store.page
                assert page.is_editable
                times.append(opened.milliseconds)
        return median(times)

    return Row(f"schema.open_{_TABLES}_ms", round(run(measure), 1), "ms", goal=500)


def validation(context: Context) -> Row:
    """The problems of a model in which one column has changed."""
    base = read_document(large_model(_TABLES))
    find_problems(base, base)
    table = base.tables[1]

    def change(number: int) -> Callable[[], object]:
        edited = AddColumn(table.key, f"added_{number}", "text", 0).apply_to(base)
        return lambda: find_problems(edited, base)

    value = median(_timed(change(number))[0] for number in range(3 * context.repeats))
    return Row(f"schema.validation_{_TABLES}_ms", round(value, 1), "ms", goal=10)


def difference(context: Context) -> Row:
    """The changes between two versions."""
    base = read_document(large_model(_TABLES))
    mine = _edited(base, 0)
    value = median(_timed(lambda: compare(base, mine))[0] for _ in range(3 * context.repeats))
    return Row(f"schema.diff_{_TABLES}_ms", round(value, 1), "ms", goal=50)


def merging(context: Context) -> Row:
    """A merge of two versions, half of whose changes meet."""
    base = read_document(large_model(_TABLES))
    mine, theirs = _edited(base, 0), _edited(base, _EDITED // 2)
    value = median(_timed(lambda: merge(base, theirs, mine))[0] for _ in range(3 * context.repeats))
    return Row(f"schema.merge_{_TABLES}_ms", round(value, 1), "ms", goal=200)


@dataclass(frozen=True)
class _Opened:
    """The schema page, and how long it took until a large model could be edited."""

    controller: SchemaController
    milliseconds: float


@asynccontextmanager
async def _opened(app: QApplication, folder: Path) -> AsyncIterator[_Opened]:
    """The schema page with a large model; there is no service."""
    settings = QSettings(str(folder / "schema.ini"), QSettings.Format.IniFormat)
    appearance = Appearance(app, settings)
    actions = Actions(appearance)
    view = SchemaView(appearance, settings, actions)
    GarbageCollector(view)
    view.resize(*_SIZE)
    view.show()
    app.sendPostedEvents()
    session = Session(token="t", system_rights={"system.root": {}})
    async with Client(_NOBODY) as client, Tasks(_raise) as tasks:
        local_store = LocalStore(folder / "schema", client.address)
        actions.offer(session.allows)
        controller = SchemaController(view, client, session, actions, tasks, local_store)
        document = read_document(large_model(_TABLES))
        page = PageState(open_head(document, document), may_develop=True, may_commit=True)
        page = replace(page, selection=TableRef(document.tables[0].key))
        milliseconds, _ = _timed(lambda: _shown(app, controller, page))
        layout = view.diagram.findChild(DiagramLayoutController)
        assert isinstance(layout, DiagramLayoutController)
        await until(lambda: view.diagram.has_picture and layout.is_routed)
        view.diagram.fit()
        app.sendPostedEvents()
        yield _Opened(controller, milliseconds)
    view.close()


def _shown(app: QApplication, controller: SchemaController, page: PageState) -> None:
    controller.store.put(page)
    app.sendPostedEvents()


def _applied(app: QApplication, controller: SchemaController, column: object, name: str) -> None:
    assert controller.store.apply(RenameColumn(column, name))  # type: ignore[arg-type]
    app.sendPostedEvents()


def _edited(base: Document, first: int) -> Document:
    """With new names and columns in `_EDITED` tables."""
    edited = base
    for table in base.tables[first : first + _EDITED]:
        edited = RenameTable(table.key, f"{table.name}_{first}").apply_to(edited)
        edited = AddColumn(table.key, f"added_{first}", "text", 0).apply_to(edited)
    return edited


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """The milliseconds that ``work`` took of the processor, and its result."""
    started = time.process_time()
    result = work()
    return (time.process_time() - started) * 1000, result


def _raise(error: Exception) -> None:
    raise error


MEASUREMENTS = (
    Measured(f"schema.edit_{_TABLES}_ms", edit),
    Measured(f"schema.open_{_TABLES}_ms", opening),
    Measured(f"schema.validation_{_TABLES}_ms", validation),
    Measured(f"schema.diff_{_TABLES}_ms", difference),
    Measured(f"schema.merge_{_TABLES}_ms", merging),
)
