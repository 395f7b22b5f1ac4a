"""Tests that tests run in the event loop that they need."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import qasync
from pytestqt.qtbot import QtBot


async def test_a_test_with_qt_runs_in_qts_loop(qtbot: QtBot) -> None:
    """A test that uses qtbot runs in Qt's loop."""
    assert isinstance(asyncio.get_running_loop(), qasync.QEventLoop)


async def test_a_test_without_qt_runs_in_a_plain_loop() -> None:
    """Other tests are not slowed down by Qt's loop."""
    assert not isinstance(asyncio.get_running_loop(), qasync.QEventLoop)


def test_no_coroutine_runs_a_nested_loop() -> None:
    """qtbot's wait functions never return in a coroutine, since they run the loop that is waiting."""
    spinning = [
        f"{path.name}:{node.lineno}"
        for path in Path(__file__).parent.rglob("*.py")
        for coroutine in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(coroutine, ast.AsyncFunctionDef)
        for node in ast.walk(coroutine)
        if isinstance(node, ast.Attribute) and node.attr in {"waitUntil", "wait_until", "exec", "wait"}
        if isinstance(node.value, ast.Name) and node.value.id == "qtbot"
    ]
    assert spinning == []
