"""Decides for each request whether a fault is injected: an ASGI application around the server's own."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from random import Random

import msgspec
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from server_stub.accounts import ROOT
from server_stub.foundation.errors import ApiError
from server_stub.http.chaos.catalogue import FAULTS, POLL_GAP, STREAM_DROPPED, Fault, FaultParameter
from server_stub.http.chaos.configuration import (
    ChaosConfiguration,
    ConfigurationError,
    Rule,
    calls_of,
    read_configuration,
)
from server_stub.http.chaos.exchange import Exchange, WithheldEvents
from server_stub.http.dialect import Dialect
from server_stub.http.endpoint import Body, Call, Endpoint, Origin, json_of
from server_stub.http.parameters import shape_of
from server_stub.http.responses import Answer, json_answer
from server_stub.http.services import Services

log = logging.getLogger(__name__)

# The code with which a service closes the streams before it starts again.
_RESTART = 1012


class FaultInjector:
    """Injects faults at the calls of the interface; other requests, and those of /chaos, are passed on.

    Each injected fault is logged, and its response has the header `x-cdb-chaos` with the name. The server
    must leave the header `Date` to this class, since a fault may change it.
    """

    def __init__(
        self, application: ASGIApp, services: Services, dialect: Dialect, selector: FaultSelector
    ) -> None:
        self._application = application
        self._dialect = dialect
        self._calls = [(compile_path(endpoint.path)[0], endpoint) for endpoint in dialect.endpoints]
        self._services = services
        self._selector = selector
        self._withheld: dict[str, WithheldEvents] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request, or the lifespan of the application."""
        if scope["type"] == "websocket":
            await self._stream(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start" and b"date" not in dict(message["headers"]):
                date = (b"date", formatdate(usegmt=True).encode())
                message = {**message, "headers": [date, *message["headers"]]}
            await send(message)

        is_quiet = not (self._selector.counts.configuration.is_active or self._withheld)
        path = _path(scope)
        endpoint = None if is_quiet else self._endpoint(scope["method"], path)
        if endpoint is None:
            await self._application(scope, receive, dated)
            return
        connection = (scope, receive, dated)
        exchange = Exchange(
            self._application, self._services, self._dialect, endpoint, connection, self._withheld
        )
        if exchange.token in self._withheld and endpoint.path.startswith("/event/poll"):
            # Goes on with a gap of an earlier poll, which has been counted.
            await self._inject(exchange, Selection(FAULTS[POLL_GAP]))
        elif (selection := self._selector.select(endpoint, path, exchange.query)) is None:
            await exchange.pass_on()
        elif await self._inject(exchange, selection):
            fields = {"fault": selection.fault.name, "method": scope["method"], "path": scope["path"]}
            log.info("fault injected", extra={"fields": fields})
        else:
            self._selector.take_back(selection)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Drops a stream after some frames if a rule says so; other faults are for requests only."""
        path = _path(scope)
        endpoint = self._endpoint("GET", path) if self._selector.counts.configuration.is_active else None
        selection = None if endpoint is None else self._selector.select(endpoint, path)
        if selection is not None and selection.fault.name != STREAM_DROPPED:
            self._selector.take_back(selection)
            selection = None
        if selection is None:
            await self._application(scope, receive, send)
            return
        frames = _parameters(selection)["frames"]

        async def limited(message: Message) -> None:
            nonlocal frames
            if message["type"] == "websocket.send":
                frames -= 1
                if frames < 0:
                    await send({"type": "websocket.close", "code": _RESTART})
                    raise WebSocketDisconnect(_RESTART)
            await send(message)

        await self._application(scope, receive, limited)

    def _endpoint(self, method: str, path: str) -> Endpoint | None:
        method = "GET" if method == "HEAD" else method
        matching = (endpoint for pattern, endpoint in self._calls if pattern.match(path))
        return next((endpoint for endpoint in matching if endpoint.method == method), None)

    async def _inject(self, exchange: Exchange, selection: Selection) -> bool:
        exchange.parameters = _parameters(selection)
        exchange.mark = selection.fault.name
        await selection.fault.inject(exchange)
        return exchange.mark != ""


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix("/api").removeprefix("/v1")


@dataclass(frozen=True)
class Selection:
    """A fault to inject, with the rule that chose it; a random fault has no rule."""

    fault: Fault
    rule: int | None = None
    parameters: dict[str, float] = field(default_factory=dict)


def _parameters(selection: Selection) -> dict[str, float]:
    defaults = {name: known.default for name, known in selection.fault.parameters.items()}
    return defaults | selection.parameters


class FaultCounts:
    """A configuration in force, and what has been counted since it was set."""

    def __init__(self, configuration: ChaosConfiguration) -> None:
        self.configuration = configuration
        self.requests = 0
        self.injected: Counter[str] = Counter()
        # By the place of the rule: the requests at which its fault applied, and the faults injected.
        self.rule_requests: Counter[int] = Counter()
        self.rule_faults: Counter[int] = Counter()
        # By call: the draws of the random faults. Calls do not influence one another, so that parallel
        # requests give the same faults in whichever order they arrive.
        self.draws: Counter[str] = Counter()


class FaultSelector:
    """Chooses faults by a configuration; on the event loop, but `configure` may be called from any thread."""

    def __init__(self, configuration: ChaosConfiguration) -> None:
        self.counts = FaultCounts(configuration)

    def configure(self, configuration: ChaosConfiguration) -> None:
        """Replaces the configuration and begins to count anew."""
        self.counts = FaultCounts(configuration)

    def select(
        self, endpoint: Endpoint, path: str, query: Mapping[str, str] | None = None
    ) -> Selection | None:
        """Returns the fault for a request of a call; `path` has no prefix."""
        counts = self.counts
        counts.requests += 1
        for place, rule in enumerate(counts.configuration.rules):
            fault = FAULTS[rule.fault]
            if fault.applies(endpoint) and rule.matches(endpoint.method, path, query):
                counts.rule_requests[place] += 1
                if _chooses(rule, place, counts):
                    return self._selected(Selection(fault, place, rule.parameters))
        chosen = _random_fault(endpoint, counts)
        return None if chosen is None else self._selected(Selection(chosen))

    def _selected(self, selection: Selection) -> Selection:
        self._add(selection, 1)
        return selection

    def take_back(self, selection: Selection) -> None:
        """Notes that a selected fault could not be injected: the answer had nothing to change."""
        self._add(selection, -1)

    def _add(self, selection: Selection, number: int) -> None:
        self.counts.injected[selection.fault.name] += number
        if selection.rule is not None:
            self.counts.rule_faults[selection.rule] += number


def _chooses(rule: Rule, place: int, counts: FaultCounts) -> bool:
    number = counts.rule_requests[place] - rule.after
    if number < 1 or (number - 1) % rule.every:
        return False
    if rule.times is not None and counts.rule_faults[place] >= rule.times:
        return False
    return _draw(counts, f"rule {place}", number).random() < rule.probability


def _random_fault(endpoint: Endpoint, counts: FaultCounts) -> Fault | None:
    configuration = counts.configuration
    if not configuration.rate:
        return None
    call = f"{endpoint.method} {endpoint.path}"
    counts.draws[call] += 1
    draw = _draw(counts, call, counts.draws[call])
    if draw.random() >= configuration.rate:
        return None
    names = FAULTS if configuration.faults is None else configuration.faults
    candidates = [fault for name, fault in FAULTS.items() if name in names and fault.applies(endpoint)]
    return draw.choice(candidates) if candidates else None


def _draw(counts: FaultCounts, what: str, number: int) -> Random:
    # Not for secrets, and the same on every machine.
    return Random(f"{counts.configuration.seed} {what} {number}")  # noqa: S311


class _KnownFault(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    meaning: str
    calls: list[str]
    parameters: Mapping[str, FaultParameter]
    injected: int


class _State(msgspec.Struct, forbid_unknown_fields=True):
    active: bool
    configuration: ChaosConfiguration
    requests: int
    injected: int
    injected_by_rule: list[int]
    faults: list[_KnownFault]


def _state(selector: FaultSelector, dialect: Dialect) -> Answer:
    counts = selector.counts
    configuration = counts.configuration
    by_calls = ((fault, calls_of(fault, dialect.endpoints)) for fault in FAULTS.values())
    return json_answer(
        _State(
            configuration.is_active,
            configuration,
            counts.requests,
            counts.injected.total(),
            [counts.rule_faults[place] for place in range(len(configuration.rules))],
            [
                _KnownFault(fault.name, fault.meaning, calls, fault.parameters, counts.injected[fault.name])
                for fault, calls in by_calls
                if calls
            ],
        )
    )


def chaos_endpoints(selector: FaultSelector, dialect: Dialect) -> tuple[Endpoint, ...]:
    """The calls for the faults of one server; they require the right of the system administrator."""

    def show(_: Call) -> Answer:
        """GET chaos: the faults, the rules in force, and how often each fault has been injected."""
        return _state(selector, dialect)

    def change(call: Call) -> Answer:
        """PUT chaos: replaces the rules; an empty object injects no more faults."""
        try:
            configuration = read_configuration(call.request.json_object(), dialect.endpoints)
        except ConfigurationError as error:
            raise ApiError("invalid_value", str(error)) from error
        selector.configure(configuration)
        return _state(selector, dialect)

    shown = Endpoint(
        "GET",
        "/chaos",
        show,
        "1",
        right=ROOT,
        answers=json_of(shape_of(_State)),
        user_errors=(),
        origin=Origin.OURS,
    )
    return shown, replace(
        shown, method="PUT", handler=change, body=Body(json_of(shape_of(ChaosConfiguration)))
    )
