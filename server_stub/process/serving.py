"""Runs the server as a process: socket, signals, worker processes, simulated activity."""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import STARTUP_FAILURE
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from server_stub.accounts.users import EVENT_GET
from server_stub.database import Database, DatabaseUnusableError, check_address, open_database
from server_stub.demo import Activity
from server_stub.foundation.masking import mask_secrets
from server_stub.foundation.memory import keep_freed_memory
from server_stub.http.application import HostNames, create_app, is_loopback
from server_stub.http.chaos import (
    ChaosConfiguration,
    ConfigurationError,
    FaultInjector,
    FaultSelector,
    chaos_endpoints,
    parse_json,
    random_faults,
)
from server_stub.http.chaos.exchange import CONNECTION
from server_stub.http.dialect import Dialect
from server_stub.http.requests import request_id
from server_stub.http.routes import DIALECTS
from server_stub.http.services import Services
from server_stub.process import connection_limits
from server_stub.process.composition import (
    CannotServeError,
    Login,
    admit_embedded_user,
    compose,
    create_demo_file,
    demo_services,
    log_server_event,
    prepare,
    read_login,
    when_input_closes,
)
from server_stub.process.connection_limits import (
    SILENT_SECONDS,
    LimitedProtocol,
    backlog,
    raise_file_limit,
    refusals,
)

log = logging.getLogger(__name__)

_WORKER_VARIABLE = "CDB_SERVER_WORKER"
# Until a worker that does not answer its supervisor is replaced, and until one that starts is: it loads its
# modules first, which takes long where other programs use the processors.
_SILENT_WORKER_SECONDS = 4
_STARTING_WORKER_SECONDS = 30
# The same for one that shall replace another: nobody waits for it.
_SUCCESSOR_SECONDS = 120
# A supervisor that looks later than this was frozen itself, perhaps with its workers.
_LATE_SECONDS = 2
# From the end of a killed supervisor, with which its workers end, to the end of their calls.
_ORPHAN_SECONDS = 0.7
# Between two attempts of a worker to open the database.
_WAIT_SECONDS = 0.5
# Bytes of a message on a WebSocket: what clients say there is dropped.
_MOST_FROM_CLIENT = 64 << 10
# Uvicorn imports it where there are streams.
_STREAM = "server_stub.process.stream_limits:LimitedStream"
# How long a running call may take after the signal to end.
_GRACE_SECONDS = 30

_UNPROTECTED = (
    "Warning: other machines can reach this server, and passwords and events cross the network unencrypted. "
    "Give it a certificate with --tls-cert and --tls-key, or let it listen on 127.0.0.1 only."
)
_FAULTY = "Warning: this server injects faults on purpose (--chaos)."


def serve(options: argparse.Namespace, url: str) -> None:
    """Serves the database at an address, as the options of `cdb-server` say, until a signal ends it.

    Raises CannotServeError, ChaosUnusableError or DatabaseUnusableError when it cannot begin.
    """
    if options.chaos is not None:
        check_chaos(options.host, options.workers)
    dialect = DIALECTS[options.generation]
    chaos = None if options.chaos is None else read_chaos(options.chaos, dialect)
    if chaos is not None and chaos.is_active:
        print(_FAULTY, file=sys.stderr, flush=True)
    check_address(url)
    raise_file_limit()
    if options.tls_cert is not None:
        _check_certificate(options.tls_cert, options.tls_key)
    login = read_login() if options.login_from_stdin else None
    with bind(options.host, options.port) as bound:
        keep_freed_memory()
        if options.demo:
            create_demo_file(url, options.demo_events)
        _serve_at(bound, options, url, login, chaos)


def _serve_at(
    bound: socket.socket,
    options: argparse.Namespace,
    url: str,
    login: Login | None,
    chaos: ChaosConfiguration | None,
) -> None:
    with closing(open_database(url, options.replica, processes=options.workers)) as database:
        services = compose(database, demo=options.demo, archive=options.archive)
        _warn_of_database(database)
        if login is not None and options.archive:
            # The only user: whoever starts the server to read an archive shall not be able to change it.
            admit_embedded_user(services, login, [EVENT_GET])
        with _unless_unwritable(database, "The settings are"):
            demo_events = options.demo_events if options.demo else None
            prepare(services, dict(options.set), demo_events=demo_events)
        if login is not None and not options.archive:
            with _unless_unwritable(database, "The log-in of the starting program is"):
                admit_embedded_user(services, login)
        with _unless_unwritable(database, "The start of the server is"):
            log_server_event(services, "SERVER_START")
        try:
            with _activity(services, options.activity), _metrics(services, options):
                if options.workers == 1:
                    # Names are checked if only this machine can call: see HostNames.
                    hosts = HostNames(options.allow_host) if is_loopback(options.host) else None
                    dialect = DIALECTS[options.generation]
                    app: ASGIApp
                    if chaos is None:
                        app = create_app(services, hosts, dialect)
                    else:
                        app = chaotic_app(services, hosts, dialect, chaos)
                    if options.metrics is not None:
                        app = _measured(app)
                    _serve_here(behind_proxies(app, options.trusted_proxy), bound, options)
                else:
                    _serve_with_workers(bound, options, url)
        finally:
            if database.disk_space is not None:
                database.disk_space.release()
            _log_end(services)


def _log_end(services: Services) -> None:
    try:
        log_server_event(services, "SERVER_SHUTDOWN")
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        print(f"Warning: SERVER_SHUTDOWN could not be logged: {reason}.", file=sys.stderr, flush=True)


def _warn_of_database(database: Database) -> None:
    """Reserves space on the disk, and says so if data may be lost, or cannot be written for long."""
    warning = database.obstacle or database.risk_of_loss()
    if database.disk_space is not None:
        warning = database.disk_space.reserve()
    if warning is not None:
        print(f"Warning: {warning}", file=sys.stderr, flush=True)


@contextmanager
def _unless_unwritable(database: Database, what: str) -> Iterator[None]:
    """Goes on with a warning if the database can only be read."""
    try:
        yield
    except DBAPIError as error:
        if (reason := database.write_obstacle(error)) is None:
            raise
        print(f"Warning: {what} not stored. {reason}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class _WorkerOptions:
    """What a worker process is given, as JSON in an environment variable: Windows has no empty variables."""

    database: str = field(repr=False)
    replicas: Sequence[str] = field(repr=False)
    log_level: str
    workers: int
    allowed_hosts: Sequence[str] | None  # None allows all
    trusted_proxies: Sequence[str]
    measured: bool
    generation: int


def worker_app() -> ASGIApp:
    """Returns the application of a worker process, which uvicorn calls by name."""
    _end_with_supervisor()
    if sys.platform != "win32":
        signal.signal(signal.SIGUSR1, _retire)
    keep_freed_memory()
    given = _WorkerOptions(**json.loads(os.environ[_WORKER_VARIABLE]))
    start_logging(given.log_level)
    names = None if given.allowed_hosts is None else HostNames(given.allowed_hosts)
    services = _services_of_worker(given.database, given.replicas, given.workers)
    app: ASGIApp = create_app(services, names, DIALECTS[given.generation])
    return behind_proxies(_measured(app) if given.measured else app, given.trusted_proxies)


# One of the addresses in `Forwarded` (RFC 7239).
_FORWARDED_FOR = re.compile(r'(?:^|[;,])\s*for="?([^;,"\s]+)', re.IGNORECASE)


def behind_proxies(app: ASGIApp, proxies: Sequence[str]) -> ASGIApp:
    """The application where a call through one of the proxies has the address of the client.

    A proxy names it in `X-Forwarded-For` or in `Forwarded`. Where both are there and differ, one of them may
    be the client's own, so that the address of the proxy stays.
    """
    if not proxies:
        return app
    trusting: Any = ProxyHeadersMiddleware(app, list(proxies))  # type: ignore[arg-type]

    async def forwarded(scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers", ())
        own = ",".join(value.decode("latin-1") for name, value in headers if name == b"forwarded")
        found = ", ".join(_FORWARDED_FOR.findall(own)).encode("latin-1")
        others = {value for name, value in headers if name == b"x-forwarded-for"}
        if not found:
            await trusting(scope, receive, send)
        elif others <= {found}:
            headers = [*headers, (b"x-forwarded-for", found)] if not others else headers
            await trusting({**scope, "headers": headers}, receive, send)
        else:
            await app(scope, receive, send)

    return forwarded


def _services_of_worker(url: str, replicas: Sequence[str], processes: int) -> Services:
    """The services of a database; waits for one that is away, since the supervisor would start it again."""
    while True:
        try:
            return compose(open_database(url, replicas, processes=processes))
        except (DatabaseUnusableError, DBAPIError) as error:
            reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
            log.warning("A worker waits for the database: %s", reason)
        time.sleep(_WAIT_SECONDS)


def _end_with_supervisor() -> None:
    """Ends this worker process with its supervisor, which could not signal its workers if it was killed."""
    supervisor = parent_process()
    if supervisor is None:
        return

    def wait() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_ORPHAN_SECONDS)
        os._exit(1)

    threading.Thread(target=wait, name="supervisor", daemon=True).start()


def _retire(*_: object) -> None:
    """Ends this worker process without a failed call."""
    connection_limits.keep_until_answered()
    signal.raise_signal(signal.SIGTERM)


def _config(app: ASGIApp | str, options: argparse.Namespace) -> uvicorn.Config:
    dialect = DIALECTS[options.generation]
    connection = LimitedProtocol if options.chaos is None else ExposedConnection
    protocol: Any = partial(connection, refusals(dialect))
    # No access log: the query of every call holds the token.
    return uvicorn.Config(
        app,
        http=protocol,
        # The faults send it themselves, since one changes it.
        date_header=options.chaos is None,
        factory=isinstance(app, str),
        workers=options.workers,
        timeout_worker_healthcheck=_STARTING_WORKER_SECONDS,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none" if dialect.stream is None else _STREAM,
        ws_max_size=_MOST_FROM_CLIENT,
        ws_per_message_deflate=False,
        timeout_keep_alive=SILENT_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        backlog=backlog(),
        proxy_headers=False,  # See `behind_proxies`.
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
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


def _serve_here(app: ASGIApp, bound: socket.socket, options: argparse.Namespace) -> None:
    server = _Server(_config(app, options), bound, options.host)
    if options.exit_with_stdin:
        when_input_closes(lambda: setattr(server, "should_exit", True))
    server.run(sockets=[bound])


class _Supervisor(Multiprocess):
    """Uvicorn's supervisor of workers, which soon notices if one has ended or is frozen.

    SIGHUP replaces the workers one after the other, and no call fails: a worker ends when its successor
    serves, its calls are finished, and its clients have let go of their connections.
    """

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._looked = time.monotonic()
        self._served = False
        # Until when a worker, by its process id, has to answer.
        self._due: dict[int | None, float] = {}
        # The workers that are still to be replaced, the one that starts, and those that finish their calls.
        self._outdated: list[Process] = []
        self._successor: Process | None = None
        self._successor_due = 0.0
        self._retired: list[Process] = []

    def restart_all(self) -> None:
        """Begins to replace all workers; uvicorn would neither watch them nor take signals meanwhile."""
        self._outdated = [*self.processes, *filter(None, [self._successor])]

    def terminate_all(self) -> None:
        """Ends those of a restart, too."""
        self.processes += [*self._retired, *filter(None, [self._successor])]
        super().terminate_all()

    def _go_on_with_restart(self) -> None:
        self._retired = [each for each in self._retired if each.process.is_alive()]
        # Without those that have ended by themselves: they are replaced already.
        self._outdated = [each for each in self._outdated if each in (*self.processes, self._successor)]
        successor = self._successor
        if successor is None:
            if self._outdated:
                self._successor = Process(self.config, self.sockets)
                self._successor.start()
                self._successor_due = self._looked + _SUCCESSOR_SECONDS
        elif self._has_served(successor):
            self._successor = None
            old = self._outdated.pop(0) if self._outdated else successor
            self._retire(old)
            self.processes = [successor if each is old else each for each in self.processes]
        elif self._looked > self._successor_due or not successor.process.is_alive():
            log.error("A new worker does not start. Those that run go on serving.")
            successor.kill()
            self._successor = None
            self._outdated.clear()

    def _retire(self, worker: Process) -> None:
        self._retired.append(worker)
        if sys.platform != "win32" and worker.pid is not None and worker.process.is_alive():
            os.kill(worker.pid, signal.SIGUSR1)

    def keep_subprocess_alive(self) -> None:
        now = time.monotonic()
        late, self._looked = now - self._looked, now
        if late > _LATE_SECONDS:
            self._due = {pid: due + late for pid, due in self._due.items()}
        for worker in self.processes:
            # The worker's end of the pipe: open in this process too, it would hide that the worker has ended.
            worker.child_conn.close()
            if self._has_served(worker):
                self._served = True
                self._due[worker.pid] = now + _SILENT_WORKER_SECONDS
            elif now > self._due.setdefault(worker.pid, now + _STARTING_WORKER_SECONDS):
                worker.process.kill()
                worker.process.join()
        self._due = {worker.pid: self._due[worker.pid] for worker in self.processes}
        self._go_on_with_restart()
        for index, worker in enumerate(self.processes):
            # Such as one that started while the database failed. Uvicorn would end the whole server.
            if self._served and worker.process.exitcode == STARTUP_FAILURE:
                log.error("A worker has not started. Another one is started.")
                self.processes[index] = Process(self.config, self.sockets)
                self.processes[index].start()
        if not all(worker.process.is_alive() for worker in self.processes):
            super().keep_subprocess_alive()

    def _has_served(self, worker: Process) -> bool:
        """Asks a worker; returns whether it has answered since the last time and is serving."""
        found = False
        # A worker that has ended is found out by its process.
        with suppress(OSError, EOFError):
            while worker.parent_conn.poll():
                found |= worker.parent_conn.recv()
            worker.parent_conn.send(b"ping")
        return found


def _serve_with_workers(bound: socket.socket, options: argparse.Namespace, url: str) -> None:
    given = _WorkerOptions(
        database=url,
        replicas=options.replica,
        log_level=options.log_level,
        workers=options.workers,
        allowed_hosts=options.allow_host if is_loopback(options.host) else None,
        trusted_proxies=options.trusted_proxy,
        measured=options.metrics is not None,
        generation=options.generation,
    )
    os.environ[_WORKER_VARIABLE] = json.dumps(asdict(given))
    config = _config("server_stub.process.serving:worker_app", options)
    supervisor = _Supervisor(config, [bound])
    if options.exit_with_stdin:
        when_input_closes(supervisor.should_exit.set)
    announce(bound, options.host, encrypted=config.is_ssl)
    supervisor.run()


# Few want metrics, and loading their library takes as long as a third of a start.
_METRICS = "server_stub.process.metrics"


def _measured(app: ASGIApp) -> ASGIApp:
    measured: ASGIApp = import_module(_METRICS).Measured(app)
    return measured


@contextmanager
def _metrics(services: Services, options: argparse.Namespace) -> Iterator[None]:
    if options.metrics is None:
        yield
        return
    metrics = import_module(_METRICS)
    with metrics.served(services, options) as address:
        print(f"Metrics on {address}", file=sys.stderr, flush=True)
        yield


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
        bound.listen(backlog())
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


def _check_certificate(file: str, key: str) -> None:
    """Raises CannotServeError when a PEM file cannot be read, or the two do not fit.

    `file` has a certificate, followed by those that lead to its root; `key` its private key.
    """
    for path in (file, key):
        try:
            with Path(path).open("rb") as opened:
                opened.read(1)
        except OSError as error:
            raise CannotServeError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(file, key, _no_passphrase)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise CannotServeError(f"The key {key} is not the key of the certificate {file}.") from None
        raise CannotServeError(
            f"The certificate {file} with the key {key} cannot be used: {error.reason}."
        ) from None
    except _EncryptedKeyError:
        raise CannotServeError(
            f"The key {key} is protected by a passphrase; the server takes one without."
        ) from None


class _EncryptedKeyError(Exception):
    """Instead of a question on the terminal."""


def _no_passphrase() -> str:
    raise _EncryptedKeyError


LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
# They log every statement with its rows, or what is misleading here.
_TOO_TALKATIVE = ("sqlalchemy", "alembic", "asyncio")


def start_logging(level: str) -> None:
    """Logs from a level up, one of LEVELS, replacing the previous configuration."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _TOO_TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    # At DEBUG it writes the head of a WebSocket's request, with the token.
    logging.getLogger("uvicorn.error").setLevel(max(logging.INFO, logging.getLogger().level))


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; `extra={"fields": …}` adds members to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without the line's end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if (name := request_id.get()) is not None:
            line["request"] = name
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode({name: _clean(value) for name, value in line.items()}).decode()


def _clean(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_secrets(str(value))


_OFF = "off"
_SEED = re.compile(r"[+-]?\d{1,18}", re.ASCII)


class ChaosUnusableError(Exception):
    """Faults cannot be injected as `--chaos` says; the message is for the person at the command line."""


def check_chaos(host: str, workers: int) -> None:
    """Refuses faults that could hit others, and several processes, which would each count on their own.

    Raises ChaosUnusableError.
    """
    if not is_loopback(host):
        raise ChaosUnusableError(
            f"--chaos injects faults, so the server must listen on this machine only, not on {host}. "
            "Leave out --host."
        )
    if workers != 1:
        raise ChaosUnusableError(
            "--chaos counts requests in one process. Leave out --workers, or set it to 1."
        )


def read_chaos(value: str, dialect: Dialect) -> ChaosConfiguration:
    """Reads the value of the option: a seed, "off", or a file. Raises ChaosUnusableError."""
    if value == _OFF:
        return ChaosConfiguration()
    if _SEED.fullmatch(value):
        return random_faults(int(value))
    try:
        return parse_json(Path(value).read_bytes(), dialect.endpoints)
    except OSError as error:
        raise ChaosUnusableError(
            f"--chaos: the file {value} cannot be read: {error.strerror}. "
            "Give a whole number, a JSON file, or off."
        ) from error
    except ConfigurationError as error:
        raise ChaosUnusableError(f"--chaos: {value}: {error}") from error


def chaotic_app(
    services: Services, hosts: HostNames | None, dialect: Dialect, configuration: ChaosConfiguration
) -> FaultInjector:
    """Returns the application with injected faults and the calls that change them."""
    selector = FaultSelector(configuration)
    application = create_app(services, hosts, dialect.with_calls(chaos_endpoints(selector, dialect)))
    return FaultInjector(application, services, dialect, selector)


class ExposedConnection(LimitedProtocol):
    """Shows the application its connection, so that faults can close it."""

    def on_message_begin(self) -> None:
        """Adds the transport to the extensions of the request's scope."""
        super().on_message_begin()
        self.scope["extensions"] = {CONNECTION: {"transport": self.transport}}
