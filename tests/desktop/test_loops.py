"""Tests that tests run in the loop that they are meant to run in."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import qasync
from pytestqt.qtbot import QtBot


async def test_a_test_with_qt_runs_in_qts_loop(qtbot: QtBot) -> None:
    """Whoever asks for Qt gets a loop in which Qt lives."""
    assert isinstance(asyncio.get_running_loop(), qasync.QEventLoop)


async def test_a_test_without_qt_runs_in_a_plain_loop() -> None:
    """Whoever does not is not slowed down by it."""
    assert not isinstance(asyncio.get_running_loop(), qasync.QEventLoop)


def test_no_coroutine_spins_its_own_loop() -> None:
    """qtbot's waiting never comes back in a coroutine: the loop that it spins is the one that waits."""
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
