"""Measurements of the diagram: frames, drags of a hub by a scripted pointer, routes, and longer work.

Times are of the processor, since frames are shorter than what other programs take from them. What Graphviz
takes part in, and stalls, are measured by the clock.
"""

import asyncio
import gc
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.process import GarbageCollector
from cdb_desktop.schema.diagram.scope import Neighborhood, Scope
from cdb_desktop.schema.diagram.views import Viewport
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.table_item import TableItem
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.output.picture import DiagramPicture, Heading, file_style
from cdb_desktop.ui.schema.output.svg_file import svg_file
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.tokens import LIGHT
from tests.desktop.schema.diagram.graphs import crossed, large_model
from tests.performance.events.window import run, until
from tests.performance.rows import Context, Measured, Row
from tests.performance.stall_watch import StallWatch

_SIZE = 1366, 768
_FRAMES, _STEPS, _DRAGS, _EDITS, _OPENINGS = 60, 60, 7, 21, 3
_MANY = 1000  # tables
_PAUSE = 0.1  # seconds between two steps of the user
_READABLE = 0.75  # the zoom in which a table is edited
_LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class _Shown:
    """A diagram that has been arranged and routed, and how long it took until the boxes were painted."""

    view: DiagramView
    controller: DiagramLayoutController
    store: PageStore
    milliseconds: float

    @property
    def hub(self) -> TableItem:
        """The table with the most links."""
        scene = self.view.diagram_scene
        ends = Counter(key for link in scene.diagram.links for key in (link.edge.source, link.edge.target))
        return scene.tables[ends.most_common(1)[0][0]]


def frame(context: Context, tables: int, goal: float) -> Row:
    """A frame of the whole diagram."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            times = []
            for _ in range(_FRAMES):
                started = time.process_time()
                shown.view.viewport().repaint()
                times.append((time.process_time() - started) * 1000)
            return _p95(times)

    return Row(f"diagram.frame_{tables}_p95_ms", round(run(measure), 2), "ms", goal=goal)


def drag(context: Context, tables: int, goal: float) -> Row:
    """From a move of the pointer with a hub to the frame that shows it."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            return _p95(await _dragged(shown, _STEPS))

    return Row(f"diagram.drag_hub_{tables}_p95_ms", round(run(measure), 2), "ms", goal=goal)


def reroute(context: Context, tables: int, goal: float) -> Row:
    """From dropping a hub to the frame in which no link waits for its route; the median."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            times = []
            for _ in range(_DRAGS):
                await _dragged(shown, 3, drop=False)
                started = time.process_time()
                QTest.mouseRelease(shown.view.viewport(), _LEFT)
                await until(lambda: shown.controller.is_routed)
                shown.view.viewport().repaint()
                times.append((time.process_time() - started) * 1000)
            return sorted(times)[len(times) // 2]

    return Row(f"diagram.reroute_{tables}_ms", round(run(measure), 2), "ms", goal=goal)


def crossing(context: Context, tables: int, goal: float) -> Row:
    """The share of links that pass through boxes."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            diagram = shown.view.diagram_scene.diagram
            bad = sum(bool(crossed(link, diagram.boxes)) for link in diagram.links)
            return 100 * bad / len(diagram.links)

    return Row(f"diagram.crossing_{tables}_percent", round(run(measure), 2), "%", goal=goal)


def first_picture(context: Context, tables: int, goal: float) -> Row:
    """From the data model to the frame with all boxes, arranged by Graphviz; the median."""

    async def measure(app: QApplication) -> float:
        times = []
        for number in range(_OPENINGS):
            async with _shown(app, context.folder / f"first {number}", tables) as shown:
                times.append(shown.milliseconds)
        return sorted(times)[len(times) // 2]

    return Row(f"diagram.first_{tables}_ms", round(run(measure)), "ms", goal=goal)


def edit(context: Context, tables: int, goal: float) -> Row:
    """From a new name of a column of a hub to the frame that shows it, with its links in view; the median."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            view, store = shown.view, shown.store
            page, hub = store.page, shown.hub
            table = page.document.by_key[hub.box.table]
            column = ColumnRef(table.key, table.columns[0].key)
            store.select(TableRef(table.key))
            view.show_part(Viewport(_READABLE, (hub.box.right, hub.box.y)))
            app.sendPostedEvents()
            times = []
            for number in range(_EDITS):
                started = time.process_time()
                assert store.apply(RenameColumn(column, f"name_{number}"))
                app.sendPostedEvents()
                times.append((time.process_time() - started) * 1000)
            return sorted(times)[len(times) // 2]

    return Row(f"diagram.edit_{tables}_ms", round(run(measure), 1), "ms", goal=goal)


# Something that takes longer than a frame, from its request to the last frame.
_Work = Callable[[_Shown], Awaitable[object]]


def elapsed(context: Context, name: str, work: _Work, clock: Callable[[], float], goal: float) -> Row:
    """How long ``work`` takes by a clock, in a diagram of 1,000 tables."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, _MANY) as shown:
            started = clock()
            await work(shown)
            return (clock() - started) * 1000

    return Row(f"diagram.{name}_{_MANY}_ms", round(run(measure)), "ms", goal=goal)


def stall(context: Context, name: str, work: _Work, clock: Callable[[], float], goal: float) -> Row:
    """For how long the window does not react at most meanwhile."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, _MANY) as shown:
            gc.collect()  # what was there before
            watch = StallWatch(clock)
            watch.start()
            await work(shown)
            return watch.longest

    return Row(f"diagram.{name}_{_MANY}_stall_ms", round(run(measure), 1), "ms", goal=goal)


async def _arrange(shown: _Shown) -> None:
    """Graphviz arranges all boxes and groups."""
    await _drawn(shown, shown.controller.arranger.arrange)


async def _write_svg(shown: _Shown) -> None:
    """The whole diagram as SVG, with heading and legend."""
    scene = shown.view.diagram_scene
    picture = DiagramPicture(
        scene.diagram, file_style(scene, LIGHT), heading=Heading("model", "1,000 tables")
    )
    await svg_file(picture, shown.view.logicalDpiX(), lambda _done: None)


async def _show_others(shown: _Shown) -> None:
    """Groups are collapsed and expanded, a hub is hidden and focused on, and all tables are shown again."""
    controller, hub = shown.controller, shown.hub.box.table
    for step in (
        controller.arranger.collapse_groups,
        controller.expand_groups,
        lambda: controller.show(Scope().hiding((hub,))),
        lambda: controller.show(Scope()),
        lambda: controller.show(Scope(Neighborhood(frozenset((hub,))))),
        controller.leave_part,
    ):
        await _drawn(shown, step)
        await asyncio.sleep(_PAUSE)


async def _drawn(shown: _Shown, step: Callable[[], None]) -> None:
    """Waits for the frame that shows what a step has changed, with all links routed."""
    drawn: list[bool] = []
    connection = shown.controller.drawn.connect(lambda: drawn.append(True))
    step()
    await until(lambda: bool(drawn) and shown.controller.is_routed)
    shown.controller.drawn.disconnect(connection)
    shown.view.viewport().repaint()


@asynccontextmanager
async def _shown(app: QApplication, folder: Path, tables: int) -> AsyncIterator[_Shown]:
    settings = QSettings(str(folder / "diagram.ini"), QSettings.Format.IniFormat)
    view = DiagramView(Appearance(app, settings))
    GarbageCollector(view)
    view.resize(*_SIZE)
    view.show()
    async with Tasks(_raise) as tasks:
        store = PageStore(lambda _words: None, view)
        local = LocalStore(folder / "schema", f"model {tables}")
        controller = DiagramLayoutController(store, view, tasks, local)
        document = read_document(large_model(tables))
        started = time.perf_counter()
        store.put(PageState(open_head(document, document), may_develop=True))
        await until(lambda: view.has_picture)
        view.viewport().repaint()
        milliseconds = (time.perf_counter() - started) * 1000
        await until(lambda: controller.is_routed)
        view.fit()
        app.sendPostedEvents()
        yield _Shown(view, controller, store, milliseconds)
    view.close()


async def _dragged(shown: _Shown, steps: int, *, drop: bool = True) -> list[float]:
    """Drags a hub with the pointer. Returns milliseconds for each step, with its frame."""
    port, item = shown.view.viewport(), shown.hub
    start = QPointF(shown.view.mapFromScene(item.mapToScene(item.boundingRect().center())))
    QTest.mousePress(port, _LEFT, pos=start.toPoint())
    times = []
    for step in range(1, steps + 1):
        at = start + QPointF(12 + 2 * step, step)
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            QPointF(port.mapToGlobal(at.toPoint())),
            _LEFT,
            _LEFT,
            Qt.KeyboardModifier.NoModifier,
        )
        started = time.process_time()
        QApplication.sendEvent(port, move)
        port.repaint()
        times.append((time.process_time() - started) * 1000)
    if drop:
        QTest.mouseRelease(port, _LEFT)
        await until(lambda: shown.controller.is_routed)
    return times[1:]


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[round(0.95 * (len(times) - 1))]


def _raise(error: Exception) -> None:
    raise error


MEASUREMENTS = (
    Measured("diagram.frame_300_p95_ms", partial(frame, tables=300, goal=8)),
    Measured("diagram.frame_1000_p95_ms", partial(frame, tables=1000, goal=16), is_quick=False),
    Measured("diagram.drag_hub_100_p95_ms", partial(drag, tables=100, goal=16)),
    Measured("diagram.drag_hub_1000_p95_ms", partial(drag, tables=1000, goal=16), is_quick=False),
    Measured("diagram.reroute_100_ms", partial(reroute, tables=100, goal=16)),
    Measured("diagram.reroute_1000_ms", partial(reroute, tables=1000, goal=100), is_quick=False),
    Measured("diagram.edit_100_ms", partial(edit, tables=100, goal=16)),
    Measured("diagram.edit_1000_ms", partial(edit, tables=1000, goal=25), is_quick=False),
    Measured("diagram.first_1000_ms", partial(first_picture, tables=1000, goal=1500), is_quick=False),
    Measured(
        "diagram.arrange_1000_ms",
        partial(elapsed, name="arrange", work=_arrange, clock=time.perf_counter, goal=1000),
        is_quick=False,
    ),
    Measured(
        "diagram.arrange_1000_stall_ms",
        partial(stall, name="arrange", work=_arrange, clock=time.perf_counter, goal=50),
        is_quick=False,
    ),
    Measured(
        "diagram.svg_1000_ms",
        partial(elapsed, name="svg", work=_write_svg, clock=time.process_time, goal=1500),
        is_quick=False,
    ),
    Measured(
        "diagram.svg_1000_stall_ms",
        partial(stall, name="svg", work=_write_svg, clock=time.perf_counter, goal=50),
        is_quick=False,
    ),
    Measured(
        "diagram.scope_1000_stall_ms",
        partial(stall, name="scope", work=_show_others, clock=time.thread_time, goal=50),
        is_quick=False,
    ),
    Measured("diagram.crossing_200_percent", partial(crossing, tables=200, goal=0)),
    Measured("diagram.crossing_1000_percent", partial(crossing, tables=1000, goal=1), is_quick=False),
)
