"""Tests of exports of the diagram that are cancelled, replaced by another one, or cannot be written."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtPrintSupport import QPrinter, QPrinterInfo

from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.files.file_access import ask_save_path
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.output.source import DiagramSource, OutputOptions
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.patience import until
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.test_large_model import large_model
from tests.durations import shortest

_TASK = "schema.export"
_OLD = b"what was there before"


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "dot"])
async def test_a_cancelled_export_keeps_the_file(bench: Bench, tmp_path: Path, form: str) -> None:
    """At any moment: the file is as before, nothing is beside it, and the notice says so."""
    async with bench.with_museum() as controller:
        target = tmp_path / "out" / f"museum.{form}"
        target.parent.mkdir()
        target.write_bytes(_OLD)
        options = OutputOptions(format=form)  # type: ignore[arg-type]
        for turns in (0, 1, 2, 3):
            bench.view.notice.hide()
            _output(bench).write(target, options)
            for _ in range(turns):
                await asyncio.sleep(0)
            if not controller._tasks.is_running(f"{_TASK} {target}"):
                break
            controller._tasks.give_up(f"{_TASK} {target}")
            if "too late" in bench.view.notice.text:
                break
            assert bench.view.notice.text == f"Cancelled: {target.name} was not written."
            await asyncio.sleep(0.05)
            assert _content(target) == _OLD
            assert _names(target.parent) == [target.name]


async def test_a_newer_export_to_a_file_replaces_the_older_one(bench: Bench, tmp_path: Path) -> None:
    """Only the newer one is written."""
    async with bench.with_museum() as controller:
        target = tmp_path / "museum.svg"
        for has_legend in (True, False):
            _output(bench).write(target, OutputOptions(format="svg", legend=has_legend))
            await asyncio.sleep(0)
        assert controller._tasks.is_running(f"{_TASK} {target}")
        await until(lambda: str(target) in bench.view.notice.text)
        assert b"any number of rows<" not in _content(target)


async def test_faults_of_the_disk_name_the_next_step(bench: Bench, tmp_path: Path) -> None:
    """In words instead of the system's; nothing is left beside the file that was there."""
    async with bench.with_museum():
        old = tmp_path / "old.svg"
        old.write_bytes(_OLD)
        with _small_disk():
            text, remedy = await _fault(bench, old)
        assert (text, "Make room there" in remedy) == ("The disk is full.", True)
        assert _content(old) == _OLD
        text, remedy = await _fault(bench, tmp_path / "gone" / "new.svg")
        assert text == f"The folder {tmp_path / 'gone'} does not exist."
        assert remedy == "Choose another folder. What you see here is kept."
        text, remedy = await _fault(bench, tmp_path / f"{'n' * 300}.svg")
        assert remedy.startswith("Choose a shorter name.")
        text, remedy = await _fault(bench, Path("/dev/full"))
        assert "such as a folder or a device" in text
        assert _is_device(Path("/dev/full"))
        assert _names(tmp_path) == ["old.svg", "settings.ini"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_without_permission(bench: Bench, tmp_path: Path) -> None:
    """It is named."""
    async with bench.with_museum():
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        text, _ = await _fault(bench, folder / "new.svg")
        assert text == f"You may not write to the folder {folder}."


async def test_names_with_odd_characters(bench: Bench, tmp_path: Path) -> None:
    """They are shown as they are; names such as v1.2 get a suffix."""
    async with bench.with_museum():
        target = tmp_path / "<b>Übersicht & 100 %\n'\"; $(x).svg"
        _output(bench).write(target, OutputOptions(format="svg"))
        await until(lambda: str(target) in bench.view.notice.text)
        assert _content(target).startswith(b"<?xml")
        chosen: list[Path] = []
        for name in ("v1.2", "v1.svg", "V1.SVG"):
            dialog = ask_save_path(bench.view, "Export", "x", {"Drawing (*.svg)": ".svg"}, chosen.append)
            dialog.fileSelected.emit(str(tmp_path / name))
            dialog.close()
        assert [path.name for path in chosen] == ["v1.2.svg", "v1.svg", "V1.SVG"]


@pytest.mark.qt_log_ignore("QPainter::begin", "This plugin does not support")
@pytest.mark.skipif(bool(QPrinterInfo.availablePrinterNames()), reason="would print")
async def test_printing_without_a_printer(bench: Bench) -> None:
    """The notice names the next step; nothing is said to be printed."""
    async with bench.with_museum() as controller:
        bench.view.notice.hide()
        source = DiagramSource.of_page(bench.view, controller.store.page, "")
        _output(bench)._print_on(QPrinter(), source, OutputOptions(format="paper", pages="fit"))
        await until(lambda: bench.view.notice.title == "The diagram could not be printed")
        assert "choose PDF" in bench.view.notice.text


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        OutputOptions(format="svg"),
        OutputOptions(format="png", scale=40),
        OutputOptions(format="pdf", pages="tiles", paper="A3", paper_scale=60),
    ],
)
async def test_a_large_export_is_cancelled(bench: Bench, tmp_path: Path, options: OutputOptions) -> None:
    """Of 1,000 tables: progress is shown, and no step takes much longer than reading the model."""
    document = read_document(large_model())
    reading = shortest(lambda: read_document(large_model()))
    async with bench.with_museum() as controller:
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        await until(lambda: len(bench.view.diagram.diagram_scene.tables) > 15)
        bench.actions["groups_expand"].trigger()
        await until(lambda: len(bench.view.diagram.diagram_scene.tables) == 1000)
        await until(lambda: not controller._tasks.is_running("schema.arrange"))
        await asyncio.sleep(1)
        target = tmp_path / f"large.{options.format}"
        target.write_bytes(_OLD)
        tasks = controller._tasks
        shown: list[object] = []
        tasks.running_changed.connect(shown.append)
        for after in (0.1, 0.4, 0.7):
            with _longest_stall() as stall:
                shown.clear()
                _output(bench).write(target, options)
                await until(lambda: len(shown) > 1)
                await asyncio.sleep(after)
                if not tasks.is_running(f"{_TASK} {target}"):
                    continue
                tasks.give_up(f"{_TASK} {target}")
                await asyncio.sleep(0.3)
            assert stall[0] < 2 * reading
            assert _content(target) == _OLD
            assert _names(tmp_path) == [target.name, "settings.ini"]


async def _fault(bench: Bench, target: Path) -> tuple[str, str]:
    """The text and the next step of the notice."""
    bench.view.notice.hide()
    _output(bench).write(target, OutputOptions(format="svg"))
    await until(lambda: bench.view.notice.title == f"{target.name} cannot be written")
    text, _, remedy = bench.view.notice.text.partition(". ")
    return f"{text}.", remedy


@contextmanager
def _small_disk() -> Iterator[None]:
    """Files of this process may not become larger than 10 kB meanwhile, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def _longest_stall() -> Iterator[list[float]]:
    """The longest processor time between two turns of the event loop, in seconds."""
    longest, last = [0.0], [time.thread_time()]
    timer = QTimer()

    def turn() -> None:
        now = time.thread_time()
        longest[0] = max(longest[0], now - last[0])
        last[0] = now

    timer.timeout.connect(turn)
    timer.start(0)
    yield longest
    timer.stop()


def _output(bench: Bench) -> DiagramOutputController:
    found = bench.view.findChild(DiagramOutputController)
    assert isinstance(found, DiagramOutputController)
    return found


def _is_device(path: Path) -> bool:
    return path.is_char_device()


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _content(path: Path) -> bytes:
    return path.read_bytes()
