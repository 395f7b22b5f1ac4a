"""Opens the problem report, and knows what goes into it from all over the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QLocale, QObject, qVersion
from PySide6.QtGui import QGuiApplication

from cdb_desktop.app.aside import aside
from cdb_desktop.app.connect import Connection
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.logs import CRASHES, KEPT, LOG
from cdb_desktop.app.options import PASSWORD
from cdb_desktop.app.places import Places
from cdb_desktop.client import Session
from cdb_desktop.lazy import lazy
from cdb_desktop.ui.connection.entry import Entry
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.panes import Panes

if TYPE_CHECKING:
    from cdb_desktop import problem_report
    from cdb_desktop.events.exchanges import Exchanges
    from cdb_desktop.problem_report import Facts, LogFile, ServiceFacts
    from cdb_desktop.ui.report.controller import ReportController
else:
    # Its patterns take as long to be made as a page, and few ever report a problem.
    problem_report = lazy("cdb_desktop.problem_report")

_ENVIRONMENT = ("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "LANG")


class ProblemReports(QObject):
    """Serves the action ``report``; what was asked of the last connection is reported after its end too."""

    def __init__(
        self, window: MainWindow, desk: Desk, tasks: Tasks, setting: Setting, places: Places
    ) -> None:
        super().__init__(window)
        self._window = window
        self._desk = desk
        self._tasks = tasks
        self._setting = setting
        self._places = places
        self._controller: ReportController | None = None
        self._exchanges: Exchanges | None = None
        self._last: tuple[Entry, Session] | None = None
        window.actions_by_name["report"].triggered.connect(self.open)
        desk.opened.connect(self._meet)

    def open(self) -> None:
        """Opens the sheet."""
        if self._controller is None:
            setting = self._setting
            self._controller = setting.pages.report_controller()(
                self._window,
                self._window.notice,
                setting.appearance,
                setting.settings,
                self._tasks,
                setting.words,
                aside,
            )
        self._controller.open(self.facts())

    def facts(self) -> Facts:
        """What is known at this moment; nothing is read from files."""
        settings, connection = self._setting.settings, self._desk.connection
        server = None if connection is None else connection.server
        service = problem_report.ServiceFacts()
        if connection is not None:
            session = connection.client.session or connection.session
            service = _service_facts(connection.entry, session, "open")
        elif self._last is not None:
            service = _service_facts(*self._last, "ended")
        return problem_report.Facts(
            program=self._program(),
            service=service,
            database=None if server is None else server.folder.database,
            settings={key: settings.value(key) for key in settings.allKeys()},
            connections=tuple(msgspec.to_builtins(one) for one in self._setting.memory.known.entries),
            requests=() if self._exchanges is None else tuple(self._exchanges.listed(polls=True)),
            logs=self._logs(connection),
            secrets=tuple(filter(None, (os.environ.get(PASSWORD, ""),))),
        )

    def _meet(self, panes: Panes) -> None:
        self._exchanges = panes.exchanges
        connection = self._desk.connection
        if connection is not None:
            self._last = connection.entry, msgspec.structs.replace(connection.session, token="")

    def _logs(self, connection: Connection | None) -> tuple[LogFile, ...]:
        logs = self._places.logs
        rotated = (logs / f"{LOG}.{number}" for number in range(KEPT, 0, -1))
        server = None if connection is None else connection.server
        folder = self._places.demo if server is None else server.folder.path
        return (
            problem_report.LogFile(problem_report.LOG, (*rotated, logs / LOG)),
            problem_report.LogFile(problem_report.CRASHES, (logs / CRASHES,)),
            problem_report.LogFile(
                problem_report.SERVER_LOG, (folder / "server.log.1", folder / "server.log")
            ),
        )

    def _program(self) -> tuple[tuple[str, str], ...]:
        screens = (
            f"{one.size().width()}×{one.size().height()} at {one.devicePixelRatio():g}"
            for one in QGuiApplication.screens()
        )
        environment = (f"{name}={os.environ[name]}" for name in _ENVIRONMENT if name in os.environ)
        return (
            ("Qt", f"{qVersion()}, platform {QGuiApplication.platformName()}"),
            ("language", f"{QLocale().name()}, of the system {QLocale.system().name()}"),
            ("screens", ", ".join(screens)),
            ("page", self._window.actions_by_name.page),
            ("environment", ", ".join(environment)),
            ("log folder", str(self._places.logs)),
        )


def _service_facts(entry: Entry, session: Session, state: str) -> ServiceFacts:
    instance, user = session.instance, session.user
    details = (
        ("server version", instance.server_version),
        ("API", instance.api),
        ("solution", instance.solution),
        ("user schema", "" if instance.user_schema is None else str(instance.user_schema)),
        ("signed in", "yes" if session.authenticated else "no"),
        ("method", session.method),
        ("user type", user.type if user else ""),
    )
    return problem_report.ServiceFacts(
        state,
        entry.address,
        entry.login,
        user.displayname if user else "",
        instance.name,
        instance.db_name,
        details,
    )
