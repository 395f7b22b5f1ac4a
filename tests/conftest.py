"""What all tests share: the long counts on request, and the reference server as a process."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest

from tests.server import serving

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


# First, so that in the end no worker goes on alone.
_LONGEST = (
    "tests/journeys/",
    "tests/server_stub/endurance/",
    "tests/server_stub/schema/commit/test_killed",
    "tests/desktop/app/",
    "tests/desktop/ui/live/test_endurance",
)
_TESTS_A_COLLECTION = 100
_COUNT = pytest.StashKey[int]()


def pytest_configure() -> None:
    # Servers in threads allocate too: where the collector ran there and met Qt's objects, the process died.
    gc.disable()


def pytest_collection_finish() -> None:
    _collect_all()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Collects what tests leave in the main thread, all of it now and then.

    Windows go before: of one that is collected while it is open, Qt still calls what Python has cleared.
    """
    _leave_no_window()
    item.session.stash[_COUNT] = item.session.stash.get(_COUNT, 0) + 1
    if item.session.stash[_COUNT] % _TESTS_A_COLLECTION == 0:
        _collect_all()
    else:
        gc.collect(1)


def _leave_no_window() -> None:
    """Not even that of a test that failed, which would go on beside the next ones until one of them dies."""
    # Through the frames of the last failure its window lives on.
    for last in ("last_type", "last_value", "last_traceback"):
        vars(sys).pop(last, None)
    if (widgets := sys.modules.get("PySide6.QtWidgets")) is None:
        return
    for window in widgets.QApplication.topLevelWidgets():
        window.deleteLater()
    core = sys.modules["PySide6.QtCore"]
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)


def _collect_all() -> None:
    # What is left then, libraries and the tests themselves above all, stays: it is not looked through again.
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the full counts")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(_LONGEST))
    if config.getoption("--long"):
        return
    for item in items:
        if "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="full counts run with --long"))


@pytest.fixture(scope="session")
def reference_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a reference server with demo data, as its own process; log in as root/admin."""
    file = tmp_path_factory.mktemp("reference") / "demo.sqlite"
    with serving(file, "--demo", "--demo-events", "2000") as url:
        yield url
