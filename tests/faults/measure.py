"""What a fault does to a real window: the sentence, recovery, requests a second, memory, the longest stall.

    python -m tests.faults.measure            # every fault, a table
    python -m tests.faults.measure "503"      # those whose name contains this

Each fault meets a process of its own, so that the peak of memory is its own.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import keyring
import qasync
from keyring.backends.fail import Keyring
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.connection.controller import ConnectionController
from cdb_desktop.app.connection.passwords import PasswordStore
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.options import Options
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.settings.language import use_locale
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import error_message
from tests.faults import faults
from tests.faults.proxy import Fault, fault_proxy
from tests.performance.stall_watch import StallWatch
from tests.server import serving

_SIGN_IN = "/session/authenticate"
_SECONDS = 12.0


@dataclass(frozen=True)
class Case:
    """A fault and the calls that it affects."""

    fault: Fault
    path: str = "/api/"
    spare: str = ""


CASES = {
    "429, Retry-After 30": Case(faults.status(429, retry_after=30)),
    "500 without an error object": Case(faults.status(500)),
    "500 error object": Case(faults.refusal("server", "generic", 500)),
    "502": Case(faults.status(502)),
    "503": Case(faults.status(503)),
    "503, Retry-After 20": Case(faults.status(503, retry_after=20)),
    "503 for lists": Case(faults.status(503), "/event/list"),
    "500 for lists": Case(faults.refusal("server", "generic", 500), "/event/list"),
    "504": Case(faults.status(504)),
    "401 for all but sign-in": Case(faults.status(401), spare=_SIGN_IN),
    "session_invalid for all but sign-in": Case(faults.refusal("user", "session_invalid"), spare=_SIGN_IN),
    "not_authenticated for all but sign-in": Case(
        faults.refusal("user", "not_authenticated"), spare=_SIGN_IN
    ),
    "403": Case(faults.status(403)),
    "407": Case(faults.status(407)),
    "413": Case(faults.status(413)),
    "web page": Case(faults.web_page()),
    "wrong content type": Case(faults.wrong_type()),
    "latency 3 s": Case(faults.latency(3.0)),
    "connection reset": Case(faults.reset()),
    "half an answer": Case(faults.half()),
    "1 byte/s": Case(faults.drip()),
    "gzip bomb": Case(faults.gzip_bomb()),
    "endless chunks": Case(faults.endless()),
    "200 MB in a poll": Case(faults.huge_events(1000, 200_000), "/event/poll"),
    "200 MB in a list": Case(faults.huge_events(1000, 200_000, listed=True), "/event/list"),
    "nested 985 levels": Case(faults.nested_events(listed=True), "/event/list"),
}


@dataclass
class Seen:
    """The measurements of one fault."""

    name: str
    sentence: str = ""
    rows: str = ""
    recovery: float = 0.0
    busiest_second: int = 0
    per_second: float = 0.0
    sign_ins: int = 0
    megabytes: int = 0
    stall: int = 0


@asynccontextmanager
async def _window(
    app: QApplication, folder: Path
) -> AsyncIterator[tuple[MainWindow, ConnectionSession, ConnectionController]]:
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", "light")
    appearance = Appearance(app, settings)
    window = MainWindow(appearance, settings, PageLoader())

    def report(error: Exception) -> None:
        print("unforeseen:", repr(error)[:300], file=sys.stderr)
        window.notice.show_failure(error_message(error))

    store = ConnectionStore(ConnectionFile(folder / "connections.json"), PasswordStore())
    context = ConnectionContext(appearance, settings, report, folder, store, PageLoader(), folder / "opened")
    async with Tasks(report) as tasks:
        session = ConnectionSession(window, tasks, context)
        controller = ConnectionController(window, session, tasks, context)
        window.show()
        yield window, session, controller
    window.close()
    window.deleteLater()


async def _until(condition: object, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        await asyncio.sleep(0.02)
    return False


async def _measure(app: QApplication, name: str, case: Case, server: str, folder: Path) -> Seen:
    seen = Seen(name)
    with fault_proxy(server) as proxy:
        async with _window(app, folder) as (window, session, controller):
            opened: list[object] = []
            session.opened.connect(opened.append)
            controller.start(Options(server=proxy.url, login="root", password="admin"))
            assert await _until(lambda: opened and opened[0].events_view.has_rows, 20)  # type: ignore[attr-defined]
            workspace = opened[0]
            strip, view = workspace.live_view.strip, workspace.events_view  # type: ignore[attr-defined]
            assert await _until(lambda: strip.words.startswith("Following"), 20)
            await asyncio.sleep(1.5)
            stalls = StallWatch()
            stalls.start()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            proxy.forget()
            proxy.break_with(case.fault, path=case.path, spare=case.spare)
            began = time.monotonic()
            window.actions_by_name["refresh"].trigger()
            view.table.verticalScrollBar().setValue(view.table.verticalScrollBar().maximum())
            await asyncio.sleep(_SECONDS)
            seen.busiest_second = proxy.busiest_second
            # The first second includes requests from before the first failure.
            later = [one for one in proxy.asked if one.at > began + 1]
            seen.per_second = round(len(later) / (_SECONDS - 1), 2)
            seen.sign_ins = proxy.count(_SIGN_IN)
            seen.stall = round(stalls.longest)
            seen.megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
            notice = f"{window.notice.title}. {window.notice.text}" if window.notice.isVisible() else ""
            seen.sentence = " | ".join(part for part in (notice, strip.words, strip.toolTip()) if part)
            seen.rows = view.count.text
            proxy.heal()
            healed = time.monotonic()
            step = strip.findChild(object, "live.step")
            if window.actions_by_name["sign_in"].isEnabled():
                window.actions_by_name["sign_in"].trigger()
            elif step is not None and step.isVisible():
                step.click()
            assert workspace is not None
            if await _until(lambda: strip.words.startswith("Following"), 20):
                seen.recovery = round(time.monotonic() - healed, 2)
            else:
                seen.recovery = -1.0
    return seen


def _one(name: str) -> None:
    logging.disable(logging.ERROR)
    app = QApplication([])
    use_locale("en", QLocale.c())
    keyring.set_keyring(Keyring())  # type: ignore[no-untyped-call]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "demo.sqlite", "--demo", "--demo-events", "5000") as server,
        asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner,
    ):
        seen = runner.run(_measure(app, name, CASES[name], server, Path(folder)))
    print(json.dumps(asdict(seen)))


def main(wanted: str = "") -> None:
    """Measures the faults whose name contains ``wanted`` and prints a line for each."""
    print("fault | sentence | rows | recovery s | busiest second | requests/s | sign-ins | MB | stall ms")
    for name in CASES:
        if wanted not in name:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "tests.faults.measure", "--one", name],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        try:
            print(*json.loads(done.stdout.splitlines()[-1]).values(), sep=" | ", flush=True)
            if "unforeseen" in done.stderr:
                print("   ", done.stderr[:300])
        except (IndexError, ValueError):
            print(name, "| failed:", done.stderr[-600:], flush=True)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if sys.argv[1:2] == ["--one"]:
        _one(sys.argv[2])
    else:
        main(*sys.argv[1:2])
