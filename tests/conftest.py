"""Configuration of all tests: long tests on request, generated examples, garbage, the reference server."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler.loadfile import LoadFileScheduling

from tests.chaos import Chaos, chaos_of
from tests.postgresql import Cluster, is_installed
from tests.server import serving

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


# The tests of each of these folders share what takes long to make or to read: one worker runs them.
_TOGETHER = ("tests/architecture/", "tests/journeys/")
# These run first, so that all workers end at about the same time.
_LONGEST = (
    "tests/architecture/",
    "tests/journeys/",
    "tests/server_stub/endurance/",
    "tests/desktop/app/",
    "tests/desktop/ui/live/test_endurance",
)
_TESTS_A_COLLECTION = 100
_COUNT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    # A busy computer is no failure of a test.
    counts = 100 if config.getoption("--long") else 40
    settings.register_profile(
        "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=counts
    )
    settings.load_profile("tests")
    # Automatic collection in a thread, such as that of a server, would destroy Qt objects and crash.
    gc.disable()
    # A background job of a shell ignores SIGINT; so would the programs that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    _collect_all()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Collects garbage in the main thread after each test, sometimes completely.

    Windows are deleted first: if an open one is collected, Qt still calls cleared Python objects.
    """
    _leave_no_window()
    item.session.stash[_COUNT] = item.session.stash.get(_COUNT, 0) + 1
    if item.session.stash[_COUNT] % _TESTS_A_COLLECTION == 0:
        _collect_all()
    else:
        gc.collect(1)


def _leave_no_window() -> None:
    """Deletes all windows, including those of failed tests, which could crash later tests."""
    # The frames of the last failure still refer to its window.
    for last in ("last_type", "last_value", "last_traceback"):
        vars(sys).pop(last, None)
    if (widgets := sys.modules.get("PySide6.QtWidgets")) is None:
        return
    core = sys.modules["PySide6.QtCore"]
    for window in widgets.QApplication.topLevelWidgets():
        # The list of a completer is deleted with it, and a second time would crash.
        is_popup = window.windowType() == core.Qt.WindowType.Popup
        if not (is_popup and isinstance(window, widgets.QAbstractItemView)):
            window.deleteLater()
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)


def pytest_sessionfinish() -> None:
    """Leaves no object of a test on the clipboard, which Qt would delete after Python has ended."""
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        from cdb_desktop.app.process import release_clipboard

        release_clipboard()


def _collect_all() -> None:
    # The remaining objects, mostly of libraries and tests, are excluded from later collections.
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the full counts")
    parser.addoption("--generation", default=5, help="of the service, for tests that work with each")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(_LONGEST))
    if int(config.getoption("--generation")) != 5:
        for item in items:
            if (mark := item.get_closest_marker("generation5")) is not None:
                item.add_marker(pytest.mark.skip(reason=f"only in generation 5: {mark.args[0]}"))
    for item in items:
        if config.getoption("--long"):
            # Limits end what hangs; full counts also run beside other programs.
            mark = item.get_closest_marker("timeout")
            limit = mark.args[0] if mark is not None else float(config.getini("timeout"))
            item.add_marker(pytest.mark.timeout(10 * limit), append=False)
        elif "long" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="full counts run with --long"))


class _Scheduling(LoadFileScheduling):
    """Gives all tests of a file, or of a folder in `_TOGETHER`, to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        folder = next(filter(nodeid.startswith, _TOGETHER), None)
        return folder or super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Returns the scheduler, whichever is chosen."""
    return _Scheduling(config, log)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL cluster, which the tests of one worker share; each takes its own databases."""
    if not is_installed():
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with Cluster.running() as running:
        yield running


@pytest.fixture(scope="session")
def reference_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int], str]]:
    """Returns the base URL of a reference server of a generation with demo data, as its own process.

    Log in as root/admin. Servers of both generations have the same data.
    """
    file = tmp_path_factory.mktemp("reference") / "demo.sqlite"
    options = ("--demo", "--demo-events", "2000", "--chaos", "off", "--generation")
    with ExitStack() as stack:
        yield cache(lambda generation: stack.enter_context(serving(file, *options, str(generation))))


@pytest.fixture(scope="session")
def reference_server(reference_servers: Callable[[int], str]) -> str:
    """The base URL of such a server of generation 5."""
    return reference_servers(5)


@pytest.fixture
def generation(request: pytest.FixtureRequest) -> int:
    """The generation of the service for tests that work with each; `both_generations` repeats a test."""
    return int(request.config.getoption("--generation"))


@pytest.fixture
def chaos(reference_server: str, reference_servers: Callable[[int], str], generation: int) -> Iterator[Chaos]:
    """The faults of the server of the test, none at first; they end with the test."""
    with chaos_of(reference_server if generation == 5 else reference_servers(generation)) as chaos:
        yield chaos
