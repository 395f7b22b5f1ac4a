"""Tests of when modules are loaded: the window needs few, the first rows some more, all others later."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.desktop.app.processes import SMOKE, STRICT_PYTHON, add_demo, complaints, program

# Runs the program and writes the modules that are loaded when a part of it is first shown. A module that is
# registered, to be loaded when it is used, has another type.
_TELLING = """
import json, sys, threading
from pathlib import Path
from types import ModuleType
from cdb_desktop.__main__ import main
import cdb_desktop.app.smoke_check as milestones

target = Path(sys.argv.pop(1))
imported = {"main": [], "other": []}

def note(event, given):
    if event == "import":
        is_main = threading.current_thread() is threading.main_thread()
        imported["main" if is_main else "other"].append(given[0])

sys.addaudithook(note)

class Telling(milestones.Milestones):
    def __init__(self, *given):
        super().__init__(*given)
        self.reached.connect(self.tell)

    def watch_pages(self, pages):
        # On a busy machine the schema would be loaded before the rows have come.
        sys.modules[type(pages).__module__]._PATIENCE = 100
        super().watch_pages(pages)

    def tell(self, part):
        loaded = sorted(name for name, module in sys.modules.items() if type(module) is ModuleType)
        target.joinpath(part).write_text(json.dumps(loaded))
        target.joinpath("threads").write_text(json.dumps(imported))

milestones.Milestones = Telling
sys.exit(main())
"""
PROGRAM = (*STRICT_PYTHON, "-c", _TELLING)
PARTS = ("window", "first_rows", "live", "diagram")
# Where a library has a light outer module, a heavy inner one represents it.
NEVER = (
    "pandas",
    "numpy",
    "keyring",
    "importlib.metadata",
    "httpx._main",
    "rich",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "server_stub",
)
DIALOGS = ("dialog", "dialogs")
QT = {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which one run of the program has written its imported modules."""
    folder = tmp_path_factory.mktemp("loaded")
    home = tmp_path_factory.mktemp("home")
    add_demo(home)
    with program(home, *PROGRAM, str(folder), *SMOKE) as process:
        out, err = process.communicate()
    assert (process.returncode, complaints(err)) == (0, "")
    assert list(json.loads(out)) == list(PARTS)
    return folder


@pytest.fixture(scope="module")
def loaded(written: Path) -> dict[str, set[str]]:
    """The names of the loaded modules when each part of the program was first shown."""
    return {part: set(json.loads((written / part).read_text("utf-8"))) for part in PARTS}


def test_threads_import_nothing_that_uses_qt(written: Path) -> None:
    """PySide6 crashes if two threads create QObject classes at the same time."""
    imported = json.loads((written / "threads").read_text("utf-8"))
    assert "cdb_desktop.ui.events.view" in imported["main"]
    assert "httpx._client" in imported["other"]
    ours = ("cdb_desktop.ui", "cdb_desktop.app", "PySide6", "shiboken6")
    assert [name for name in imported["other"] if name.startswith(ours)] == []


@pytest.mark.parametrize("part", PARTS)
def test_unneeded_modules_are_not_loaded(loaded: dict[str, set[str]], part: str) -> None:
    """Large libraries, the keyring if no password is needed, and the server's modules are not loaded."""
    assert sorted(loaded[part].intersection(NEVER)) == []


def test_the_window_loads_neither_panes_nor_client(loaded: dict[str, set[str]]) -> None:
    """The window needs neither HTTP nor Graphviz, nor any page but the first."""
    libraries = {"httpx._client", "httpcore", "truststore._api", "anyio", "graphviz", "pygraphviz"}
    pages = ("events.view", "live.view", "schema.view", "shell.errors", "shell.settings.view")
    dialogs = ("shell.palette.palette", *(f"connection.{name}" for name in DIALOGS))
    late = {f"cdb_desktop.ui.{name}" for name in (*pages, *dialogs)}
    assert sorted(loaded["window"].intersection(libraries)) == []
    assert sorted(loaded["window"].intersection(late | {"urllib.request"})) == []
    assert all(find_spec(name) for name in late)


@pytest.mark.parametrize(
    "name", ["cdb_desktop.ui.schema.view", "cdb_desktop.schema.document.model", "graphviz"]
)
def test_the_first_rows_load_nothing_of_the_schema(loaded: dict[str, set[str]], name: str) -> None:
    """The diagram loads it when it is opened, which shows that this test can detect it."""
    assert "httpx._client" in loaded["first_rows"]
    assert name not in loaded["first_rows"]
    assert name in loaded["diagram"]


def test_only_the_used_modules_of_qt_are_loaded(loaded: dict[str, set[str]]) -> None:
    """Network, printing and OpenGL are loaded by their users, the widgets of the panes after the window."""
    found = {
        part: {name for name in names if name.startswith("PySide6.Qt")} for part, names in loaded.items()
    }
    assert found["window"] == QT
    assert found["diagram"] == QT | {"PySide6.QtSvgWidgets"}
