"""Tests that run the program as a process, from its start to its exit."""

import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.app.processes import (
    PROGRAM,
    SMOKE,
    add_demo,
    children,
    complaints,
    is_alive,
    program,
)
from tests.desktop.patience import LONGEST, wait_until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the demo data, which all tests share."""
    folder = tmp_path_factory.mktemp("home")
    add_demo(folder)
    return folder


def test_smoke_shows_everything_and_prints_the_times(home: Path) -> None:
    """One line of JSON and nothing on stderr; a stored query without results is left unchanged."""
    file = home / ".config" / "cdb-desktop" / "cdb-desktop.ini"
    queries = QueryHistoryFile(file.with_name("queries-2.json"))
    stored = QueryHistory(Query(types=("NOBODY_DID_THIS",)))
    queries.write(ProfileKey("demo").key, stored)
    with program(home, *PROGRAM, *SMOKE) as process:
        out, err = process.communicate()
    assert (process.returncode, complaints(err)) == (0, "")
    times = json.loads(out)
    assert list(times) == ["window", "first_rows", "live", "diagram"]
    assert 0 < times["window"] < times["first_rows"] < times["diagram"]
    assert queries.read(ProfileKey("demo").key) == stored


def test_ctrl_c_exits_cleanly(home: Path) -> None:
    """It is equivalent to closing the window."""
    with program(home, *PROGRAM) as process:
        wait_until(lambda: _takes_sigterm(process.pid))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out, complaints(err)) == (0, "", "")


def test_a_killed_desktop_leaves_no_server(home: Path) -> None:
    """The server exits when the desktop's end of the pipe is closed."""
    with program(home, *PROGRAM, "--demo") as process:
        wait_until(lambda: children(process.pid))
        (server,) = children(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not is_alive(server))


def test_without_a_service_smoke_fails_with_a_reason(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 and one sentence on stderr, long before the time limit."""
    monkeypatch.setenv("CDB_PASSWORD", "swordfish")
    arguments = ("--smoke", "--server", "http://127.0.0.1:1", "--login", "root")
    with program(home, *PROGRAM, *arguments) as process:
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (1, "")
    assert complaints(err).startswith("cdb-desktop: Nobody answers at this address")
    assert "swordfish" not in err


def test_smoke_names_the_step_that_hangs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service accepts the connection and does not answer."""
    monkeypatch.setenv("CDB_PASSWORD", "swordfish")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        arguments = ("--smoke", "--timeout", "3", "--server", address, "--login", "root")
        with program(home, *PROGRAM, *arguments) as process:
            out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    assert complaints(err).startswith("cdb-desktop: after 3 s this had not ended: ")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed (Debian: xvfb)")
def test_a_lost_display_exits_with_a_sentence(home: Path) -> None:
    """No traceback, settings are saved, and the server exits too."""
    with subprocess.Popen(["Xvfb", "-displayfd", "1"], stdout=subprocess.PIPE, text=True) as screen:
        assert screen.stdout is not None
        screen_of_test = f"DISPLAY=:{screen.stdout.readline().strip()}", "QT_QPA_PLATFORM=xcb"
        with program(home, "env", *screen_of_test, *PROGRAM, "--demo") as process:
            wait_until(lambda: children(process.pid) and _takes_sigterm(process.pid))
            (server,) = children(process.pid)
            screen.kill()
            out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (1, "")
    assert "Traceback" not in err
    assert err.splitlines()[-1].endswith(
        "The connection to the display is lost, so the program ends. "
        "Unsaved edits of the schema are kept and offered at the next start."
    )
    wait_until(lambda: not is_alive(server))


def _takes_sigterm(pid: int) -> bool:
    """Whether the process has its own handler, which it installs for both signals at once."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    caught = next(line.split()[1] for line in lines if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)
