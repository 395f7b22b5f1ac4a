"""Runs the server as a process: socket, signals, worker processes, simulated activity."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import parent_process

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from server_stub.accounts.configuration import Value
from server_stub.database import WrongDatabaseError, check_address, is_sqlite, open_database
from server_stub.demo import Activity
from server_stub.foundation.memory import keep_freed_memory
from server_stub.http.application import create_app
from server_stub.http.calls import Services
from server_stub.http.host_check import HostNames, is_loopback
from server_stub.process.composition import (
    admit_embedded_user,
    compose,
    create_demo_file,
    demo_services,
    log_server_event,
    prepare,
)
from server_stub.process.connection_limits import SILENT_SECONDS, LimitedProtocol
from server_stub.process.logs import start_logging
from server_stub.process.standard_input import Login, LoginMissingError, read_login, when_input_closes
from server_stub.process.tls import Certificate

_DATABASE_VARIABLE = "CDB_SERVER_WORKER_DATABASE"
_LOG_LEVEL_VARIABLE = "CDB_SERVER_WORKER_LOG_LEVEL"
_HOSTS_VARIABLE = "CDB_SERVER_WORKER_HOSTS"
# How long a running call may take after the signal to end.
_GRACE_SECONDS = 30

_UNPROTECTED = (
    "Warning: other machines can reach this server, and passwords and events cross the network unencrypted. "
    "Give it a certificate with --tls-cert and --tls-key, or let it listen on 127.0.0.1 only."
)


class CannotServeError(Exception):
    """The server cannot start; the message is for the administrator."""


@dataclass(frozen=True)
class Options:
    """The options of `cdb-server`; `database` may hold a password."""

    database: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8040
    workers: int = 1
    demo_events: int | None = None
    activity: float = 0.0
    settings: Mapping[str, Value] = field(default_factory=dict)
    allowed_hosts: tuple[str, ...] = ()
    exit_with_stdin: bool = False
    login_from_stdin: bool = False
    certificate: Certificate | None = None
    log_level: str = "WARNING"


def serve(options: Options) -> None:
    """Serves until a signal ends it.

    Raises CannotServeError, CertificateUnusableError or DatabaseUnusableError when it cannot begin.
    """
    if options.workers > 1 and not is_sqlite(options.database):
        raise WrongDatabaseError(
            "--workers above 1 needs an SQLite database: with any other, writers of several processes do not "
            "wait for one another yet, and a commit of the schema could meet another one half-way."
        )
    check_address(options.database)
    if options.certificate is not None:
        options.certificate.check()
    login = _login_from_stdin() if options.login_from_stdin else None
    with bind(options.host, options.port) as bound:
        keep_freed_memory()
        if options.demo_events is not None:
            create_demo_file(options.database, options.demo_events)
        _serve_at(bound, options, login)


def _serve_at(bound: socket.socket, options: Options, login: Login | None) -> None:
    database = open_database(options.database)
    services = compose(database, demo=options.demo_events is not None)
    prepare(services, options.settings, demo_events=options.demo_events)
    if login is not None:
        admit_embedded_user(services, login)
    log_server_event(services, "SERVER_START")
    try:
        with _activity(services, options.activity):
            if options.workers == 1:
                _serve_here(create_app(services, _host_names(options)), bound, options)
            else:
                _serve_with_workers(bound, options)
    finally:
        log_server_event(services, "SERVER_SHUTDOWN")
        database.close()


def worker_app() -> ASGIApp:
    """Returns the application of a worker process, which uvicorn calls by name."""
    _end_with_supervisor()
    keep_freed_memory()
    start_logging(os.environ[_LOG_LEVEL_VARIABLE])
    hosts = os.environ.get(_HOSTS_VARIABLE)
    names = None if hosts is None else HostNames(hosts.split())
    return create_app(compose(open_database(os.environ[_DATABASE_VARIABLE])), names)


def _end_with_supervisor() -> None:
    """Ends this worker process with its supervisor, which could not signal its workers if it was killed."""
    supervisor = parent_process()
    if supervisor is None:
        return

    def wait() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="supervisor", daemon=True).start()


def _host_names(options: Options) -> HostNames | None:
    """Returns the names to check if only this machine can call: see HostNames."""
    return HostNames(options.allowed_hosts) if is_loopback(options.host) else None


def _login_from_stdin() -> Login:
    try:
        return read_login()
    except LoginMissingError as error:
        raise CannotServeError(str(error)) from None


def _config(app: ASGIApp | str, options: Options) -> uvicorn.Config:
    certificate = options.certificate
    # No access log: the query of every call holds the token.
    return uvicorn.Config(
        app,
        http=LimitedProtocol,
        factory=isinstance(app, str),
        workers=options.workers,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=SILENT_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        # A caller could name another address than its own, or what is no address.
        proxy_headers=False,
        ssl_certfile=certificate.file if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )


class _Server(uvicorn.Server):
    """Uvicorn's server that exits with code 0 on a signal, and reports when it is ready."""

    def __init__(self, config: uvicorn.Config, bound: socket.socket, host: str) -> None:
        super().__init__(config)
        self._bound = bound
        self._host = host

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            announce(self._bound, self._host, encrypted=self.config.is_ssl)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _serve_here(app: ASGIApp, bound: socket.socket, options: Options) -> None:
    server = _Server(_config(app, options), bound, options.host)
    if options.exit_with_stdin:
        when_input_closes(lambda: setattr(server, "should_exit", True))
    server.run(sockets=[bound])


def _serve_with_workers(bound: socket.socket, options: Options) -> None:
    os.environ |= {_DATABASE_VARIABLE: options.database, _LOG_LEVEL_VARIABLE: options.log_level}
    os.environ.pop(_HOSTS_VARIABLE, None)
    if is_loopback(options.host):
        os.environ[_HOSTS_VARIABLE] = " ".join(options.allowed_hosts)
    config = _config("server_stub.process.serving:worker_app", options)
    supervisor = Multiprocess(config, [bound])
    if options.exit_with_stdin:
        when_input_closes(supervisor.should_exit.set)
    announce(bound, options.host, encrypted=config.is_ssl)
    supervisor.run()


@contextmanager
def _activity(services: Services, per_minute: float) -> Iterator[None]:
    if per_minute <= 0:
        yield
        return
    activity, stop = Activity(demo_services(services), per_minute=per_minute), threading.Event()
    worker = threading.Thread(target=activity.run, args=(stop,), name="activity", daemon=True)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join(2)


def bind(host: str, port: int) -> socket.socket:
    """Returns a listening socket. Raises CannotServeError if the address is taken or not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    try:
        # Allows a port in TIME_WAIT after a restart, but not one on which another program listens.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(os.name == "posix"))
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise CannotServeError(
            f"The server cannot listen on {host}, port {port}: {error.strerror}. "
            "Choose another port with --port, or --port 0 for any free one."
        ) from error
    return bound


def announce(bound: socket.socket, host: str, *, encrypted: bool) -> None:
    """Prints the one line on standard output, after a warning if others could listen in."""
    if not encrypted and not is_loopback(host):
        print(_UNPROTECTED, file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    print(f"Listening on http{'s' * encrypted}://{shown}:{bound.getsockname()[1]}", flush=True)
