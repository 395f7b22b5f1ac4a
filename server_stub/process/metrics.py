"""Metrics in the format of Prometheus, on a port of their own, for this machine or who knows a token.

The counters of worker processes are files in a folder, which the library adds up.
"""

from __future__ import annotations

import hmac
import os
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import prometheus_client
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server_stub.http.application import HostNames
from server_stub.http.services import Services
from server_stub.process.composition import CannotServeError

# Where the library looks, when it is loaded, for the folder of the counters of several processes.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# How long a database is waited for that does not answer.
_STATE_SECONDS = 0.5


class Measured:
    """An application whose calls are counted by path, method and status, and by how long they take."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._seconds = prometheus_client.Histogram(
            "cdb_call_seconds", "Until an answer is sent, by call.", ("method", "path", "status")
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), "none"

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            # The router says which path fits. A path of nobody's is not named: there is no end to them.
            path = getattr(scope.get("route"), "path", None)
            method = "none" if path is None else scope["method"]
            labels = self._seconds.labels(method, path or "none", status)
            labels.observe(time.perf_counter() - began)


class _State(Collector):
    """What is true when somebody asks."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterable[Metric]:
        """The state of the database and its disk."""
        database = self._services.database
        answers, newest = database.answers(_STATE_SECONDS), None
        try:
            if answers:
                with database.reader() as reader:
                    newest = self._services.log.newest_id(reader)
        except SQLAlchemyError:
            answers = False
        yield GaugeMetricFamily("cdb_database_up", "Whether the database answers.", value=float(answers))
        if newest is not None:
            yield GaugeMetricFamily("cdb_newest_event_id", "Id of the newest event.", value=newest)
        if database.disk_space is not None:
            free = database.disk_space.state().free_bytes
            yield GaugeMetricFamily("cdb_disk_free_bytes", "Space for the database.", value=free)


@contextmanager
def served(services: Services, options: Namespace) -> Iterator[str]:
    """A block in which metrics are served; has their address. Raises CannotServeError if they cannot be."""
    host, port = options.metrics
    token = _token(options.metrics_token_file)
    with TemporaryDirectory(prefix="cdb-server-") as folder:
        registry = prometheus_client.REGISTRY
        if options.workers > 1:
            os.environ[_FOLDER] = folder
            registry = prometheus_client.CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        state = _State(services)
        registry.register(state)
        try:
            server, thread = prometheus_client.start_http_server(port, host, registry)
        except OSError as error:
            raise CannotServeError(f"--metrics: {host}:{port} cannot be used: {error.strerror}.") from error
        server.set_app(_guarded(prometheus_client.make_wsgi_app(registry), token))
        shown = f"[{host}]" if ":" in host else host
        try:
            yield f"http://{shown}:{server.server_port}/metrics"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
            registry.unregister(state)


def _token(file: Path | None) -> str | None:
    """The token in a file. Raises CannotServeError."""
    try:
        token = None if file is None else file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotServeError(f"--metrics-token-file cannot be read: {error}.") from None
    if token == "":
        raise CannotServeError(f"--metrics-token-file: {file} is empty.")
    return token


def _guarded(app: Callable[..., Any], token: str | None) -> Callable[..., Any]:
    """The application for those who know the token, or without one for those who name this machine."""
    names = HostNames()

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if token is not None:
            given = environ.get("HTTP_AUTHORIZATION", "").encode()
            if hmac.compare_digest(given, f"Bearer {token}".encode()):
                return app(environ, start_response)
            start_response(
                "401 Unauthorized", [("Content-Type", "text/plain"), ("WWW-Authenticate", "Bearer")]
            )
            return [b"Metrics need the token of --metrics-token-file."]
        # Else a web page could give this address its own name (DNS rebinding).
        if names.refusal([environ.get("HTTP_HOST", "")], "1.1") is None:
            return app(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain")])
        return [b"Metrics are for this machine only, as 127.0.0.1 or localhost."]

    return answer
