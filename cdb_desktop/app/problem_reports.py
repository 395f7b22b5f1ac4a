"""Opens problem reports and collects their facts from the whole program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QLocale, QObject, qVersion
from PySide6.QtGui import QGuiApplication

from cdb_desktop.app.connection.connect import Connection
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.log_files import CRASHES, KEPT, LOG
from cdb_desktop.client import Session
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from cdb_desktop.events.request_log import RequestLog
    from cdb_desktop.ui.shell.report import contents as report_contents
    from cdb_desktop.ui.shell.report import controller as report_controller
    from cdb_desktop.ui.shell.report.contents import LogFile, ReportFacts, ServiceFacts
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    # Compiling its patterns takes as long as creating a page, and few users ever report a problem.
    report_contents = lazy("cdb_desktop.ui.shell.report.contents")
    report_controller = lazy("cdb_desktop.ui.shell.report.controller")

_ENVIRONMENT = ("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "LANG")


class ProblemReports(QObject):
    """Controller of the action ``report``. The last connection is reported after its end too."""

    def __init__(
        self,
        window: MainWindow,
        session: ConnectionSession,
        tasks: Tasks,
        context: ConnectionContext,
        folders: UserFolders,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._tasks = tasks
        self._context = context
        self._folders = folders
        self._controller: report_controller.ReportController | None = None
        self._exchanges: RequestLog | None = None
        self._last: tuple[ConnectionProfile, Session] | None = None
        window.actions_by_name["report"].triggered.connect(self.open)
        session.opened.connect(self._remember)

    def open(self) -> None:
        """Opens the dialog."""
        if self._controller is None:
            context = self._context
            self._controller = report_controller.ReportController(
                self._window,
                self._window.notice,
                context.appearance,
                context.settings,
                self._tasks,
                run_in_thread,
            )
        self._controller.open(self.facts())

    def facts(self) -> ReportFacts:
        """The facts at this moment, without reading files."""
        settings, connection = self._context.settings, self._session.connection
        server = None if connection is None else connection.server
        service = report_contents.ServiceFacts()
        if connection is not None:
            session = connection.client.session or connection.session
            service = _service_facts(connection.profile, session, "open")
        elif self._last is not None:
            service = _service_facts(*self._last, "ended")
        return report_contents.ReportFacts(
            program=self._program(),
            service=service,
            database=None if server is None else server.folder.database,
            settings={key: settings.value(key) for key in settings.allKeys()},
            connections=tuple(msgspec.to_builtins(one) for one in self._context.store.file.profiles),
            requests=() if self._exchanges is None else tuple(self._exchanges.entries(polls=True)),
            logs=self._logs(connection),
        )

    def _remember(self, pages: Workspace) -> None:
        self._exchanges = pages.exchanges
        connection = self._session.connection
        if connection is not None:
            self._last = connection.profile, msgspec.structs.replace(connection.session, token="")

    def _logs(self, connection: Connection | None) -> tuple[LogFile, ...]:
        logs = self._folders.logs
        rotated = (logs / f"{LOG}.{number}" for number in range(KEPT, 0, -1))
        server = None if connection is None else connection.server
        folder = self._folders.demo if server is None else server.folder.path
        return (
            report_contents.LogFile(report_contents.LOG, (*rotated, logs / LOG)),
            report_contents.LogFile(report_contents.CRASHES, (logs / CRASHES,)),
            report_contents.LogFile(
                report_contents.SERVER_LOG, (folder / "server.log.1", folder / "server.log")
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
            ("log folder", str(self._folders.logs)),
        )


def _service_facts(profile: ConnectionProfile, session: Session, state: str) -> ServiceFacts:
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
    return report_contents.ServiceFacts(
        state,
        profile.address,
        profile.login,
        user.displayname if user else "",
        instance.name,
        instance.db_name,
        details,
    )
