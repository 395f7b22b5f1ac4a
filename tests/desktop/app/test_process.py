"""Tests that every exception is reported."""

import asyncio
import sys
from collections.abc import Iterator

import pytest

from cdb_desktop.app.process import report_unhandled
from tests.desktop.failures import raise_error


@pytest.fixture(autouse=True)
def _hook_of_its_own() -> Iterator[None]:
    before = sys.excepthook
    yield
    sys.excepthook = before


async def test_exceptions_of_slots_and_callbacks_are_reported() -> None:
    """Qt passes a slot's exception to the interpreter's hook, asyncio a callback's to the loop."""
    reported: list[Exception] = []
    report_unhandled(reported.append)
    slot, callback = ValueError("in a slot"), ValueError("in a callback")
    sys.excepthook(ValueError, slot, None)
    asyncio.get_running_loop().call_soon(raise_error, callback)
    await asyncio.sleep(0.01)
    assert reported == [slot, callback]


async def test_an_interrupt_is_not_reported_as_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """It is left to the interpreter."""
    reported: list[Exception] = []
    report_unhandled(reported.append)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert reported == []
    assert "KeyboardInterrupt" in capsys.readouterr().err
