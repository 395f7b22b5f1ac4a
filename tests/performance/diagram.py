"""Measurements of the diagram: frames, drags of a hub by a scripted pointer, and routes.

Times are of the processor, since frames are shorter than what other programs take from them.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.schema.document.json_format import read_document
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
_FRAMES, _STEPS, _DRAGS = 60, 60, 7
_LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class _Shown:
    """A diagram that has been arranged and routed."""

    view: DiagramView
    controller: DiagramLayoutController

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


def arrange(context: Context, tables: int, goal: float) -> Row:
    """From the request to the frame in which all boxes and groups are at their new positions."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            started = time.perf_counter()
            await _arranged(shown)
            return (time.perf_counter() - started) * 1000

    return Row(f"diagram.arrange_{tables}_ms", round(run(measure)), "ms", goal=goal)


def arrange_stall(context: Context, tables: int, goal: float) -> Row:
    """For how long the window does not react at most while Graphviz arranges all."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            gc.collect()  # what the first arrangement has left
            watch = StallWatch()
            watch.start()
            await _arranged(shown)
            return watch.longest

    return Row(f"diagram.arrange_{tables}_stall_ms", round(run(measure), 1), "ms", goal=goal)


async def _arranged(shown: _Shown) -> None:
    drawn: list[bool] = []
    shown.controller.drawn.connect(lambda: drawn.append(True))
    shown.controller.arrange()
    await until(lambda: bool(drawn))
    shown.view.viewport().repaint()


def svg(context: Context, tables: int, goal: float) -> Row:
    """The whole diagram as SVG, with heading and legend."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            started = time.process_time()
            await _written(shown)
            return (time.process_time() - started) * 1000

    return Row(f"diagram.svg_{tables}_ms", round(run(measure)), "ms", goal=goal)


def svg_stall(context: Context, tables: int, goal: float) -> Row:
    """For how long the window does not react at most while it is written."""

    async def measure(app: QApplication) -> float:
        async with _shown(app, context.folder, tables) as shown:
            gc.collect()  # what the row before has left
            watch = StallWatch()
            watch.start()
            await _written(shown)
            return watch.longest

    return Row(f"diagram.svg_{tables}_stall_ms", round(run(measure), 1), "ms", goal=goal)


async def _written(shown: _Shown) -> bytes:
    scene = shown.view.diagram_scene
    picture = DiagramPicture(
        scene.diagram, file_style(scene, LIGHT), heading=Heading("model", "1,000 tables")
    )
    return await svg_file(picture, shown.view.logicalDpiX(), lambda _done: None)


@asynccontextmanager
async def _shown(app: QApplication, folder: Path, tables: int) -> AsyncIterator[_Shown]:
    settings = QSettings(str(folder / "diagram.ini"), QSettings.Format.IniFormat)
    view = DiagramView(Appearance(app, settings))
    view.resize(*_SIZE)
    view.show()
    async with Tasks(_raise) as tasks:
        store = PageStore(lambda _words: None, view)
        local = LocalStore(folder / "schema", f"model {tables}")
        controller = DiagramLayoutController(store, view, tasks, local)
        document = read_document(large_model(tables))
        store.put(PageState(open_head(document, document), may_develop=True))
        await until(lambda: view.has_picture and controller.is_routed)
        view.fit()
        app.processEvents()
        yield _Shown(view, controller)
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
    Measured("diagram.arrange_1000_ms", partial(arrange, tables=1000, goal=1000), is_quick=False),
    Measured("diagram.arrange_1000_stall_ms", partial(arrange_stall, tables=1000, goal=50), is_quick=False),
    Measured("diagram.svg_1000_ms", partial(svg, tables=1000, goal=1500), is_quick=False),
    Measured("diagram.svg_1000_stall_ms", partial(svg_stall, tables=1000, goal=50), is_quick=False),
    Measured("diagram.crossing_200_percent", partial(crossing, tables=200, goal=0)),
    Measured("diagram.crossing_1000_percent", partial(crossing, tables=1000, goal=1), is_quick=False),
)
