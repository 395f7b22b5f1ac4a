"""Which faults are injected: rules for certain calls, and random faults at a rate."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Annotated

import msgspec
from starlette.routing import compile_path

from server_stub.http.chaos.catalogue import FAULTS, Fault
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes import GENERATION_5

# The random faults of `--chaos SEED`: one request in twenty.
DEFAULT_RATE = 0.05

_AT = re.compile(r"(?P<problem>.*?) - at `\$\.?(?P<field>.*)`", re.DOTALL)
_FIELDS = {
    "": "Fields are seed, rate, faults and rules.",
    "rules": "Fields of a rule are fault, call, query, after, every, times, probability and parameters.",
}

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_Positive = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_FaultName = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(FAULTS)})]
_Seed = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class ConfigurationError(Exception):
    """The configuration is wrong; the message names the field, the problem and the remedy."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Injects one fault at certain calls.

    `call` is a method and a path without prefix, such as ``GET /event/list``; ``*`` stands for any
    characters, and alone for all calls. Of the requests at which the fault applies, the first `after` are
    left alone; then every `every`-th one is chosen with `probability`, at most `times` times. `query`
    restricts the rule to requests with these parameters.
    """

    fault: _FaultName
    call: str = "*"
    query: dict[str, str] = {}
    after: _Count = 0
    every: _Positive = 1
    times: _Positive | None = None
    probability: _Share = 1.0
    parameters: dict[str, float] = {}

    def matches(self, method: str, path: str, query: Mapping[str, str] | None = None) -> bool:
        """Whether the rule is meant for a request; `path` has no prefix."""
        return fnmatchcase(f"{method} {path}", self._pattern) and self.query.items() <= (query or {}).items()

    @property
    def _pattern(self) -> str:
        return "* *" if self.call == "*" else self.call

    def may_match(self, endpoint: Endpoint) -> bool:
        """Whether some request of a call could match."""
        method, _, path = self._pattern.partition(" ")
        if not fnmatchcase(endpoint.method, method):
            return False
        return fnmatchcase(endpoint.path, path) or bool(compile_path(endpoint.path)[0].match(path))


class ChaosConfiguration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules, of which the first that chooses a request counts, and random faults for the other requests.

    `rate` is the share of requests that get a random fault, `faults` are the names of those to choose from,
    None for all. The same `seed` and sequence of requests give the same faults.
    """

    seed: _Seed = 0
    rate: _Share = 0.0
    faults: tuple[_FaultName, ...] | None = None
    rules: tuple[Rule, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether any fault can be injected."""
        return bool(self.rules) or (self.rate > 0 and self.faults != ())


def random_faults(seed: int) -> ChaosConfiguration:
    """All faults at the default rate."""
    return ChaosConfiguration(seed=seed, rate=DEFAULT_RATE)


def parse_json(text: str | bytes, calls: Iterable[Endpoint] = GENERATION_5.endpoints) -> ChaosConfiguration:
    """Reads a configuration for a server with some calls. Raises ConfigurationError."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"line {error.lineno}, column {error.colno}: {error.msg}. "
            "The configuration must be a JSON object."
        ) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError("no JSON. The configuration must be a JSON object in UTF-8.") from error
    return read_configuration(value, calls)


def read_configuration(value: object, calls: Iterable[Endpoint]) -> ChaosConfiguration:
    """Converts and checks decoded JSON. Raises ConfigurationError."""
    try:
        found = msgspec.convert(value, ChaosConfiguration)
    except msgspec.ValidationError as error:
        raise ConfigurationError(_located(str(error))) from error
    for place, name in enumerate(found.faults or ()):
        _fault(name, f"faults[{place}]")
    for place, rule in enumerate(found.rules):
        _check(rule, f"rules[{place}]", calls)
    return found


def _located(text: str) -> str:
    parts = _AT.fullmatch(text)
    field, problem = (parts["field"], parts["problem"]) if parts else ("", text)
    known = _FIELDS["rules" if field.startswith("rules[") else ""]
    return f"{field or 'the configuration'}: {problem.replace('`', '')}. {known}"


def _fault(name: str, field: str) -> Fault:
    found = FAULTS.get(name)
    if found is None:
        close = get_close_matches(name, FAULTS, 1)
        hint = f"Is {close[0]} meant?" if close else f"Faults are {', '.join(FAULTS)}."
        raise ConfigurationError(f"{field}: there is no fault {name!r}. {hint}")
    return found


def _check(rule: Rule, field: str, calls: Iterable[Endpoint]) -> None:
    fault = _fault(rule.fault, f"{field}.fault")
    meant = [endpoint for endpoint in calls if rule.may_match(endpoint)]
    if not meant:
        raise ConfigurationError(
            f"{field}.call: no call matches {rule.call!r}. Write a method and a path without /api/v1, such "
            "as GET /event/list, with * for any characters."
        )
    if not any(fault.applies(endpoint) for endpoint in meant):
        raise ConfigurationError(
            f"{field}.call: {fault.name} cannot be injected at {rule.call!r}, only at "
            f"{', '.join(calls_of(fault, calls))}. Leave the field out for all of these."
        )
    for name, number in rule.parameters.items():
        known = fault.parameters.get(name)
        if known is None:
            names = ", ".join(fault.parameters) or "none"
            raise ConfigurationError(
                f"{field}.parameters: {fault.name} has no parameter {name!r}. Its parameters: {names}."
            )
        if not known.minimum <= number <= known.maximum:
            raise ConfigurationError(
                f"{field}.parameters.{name}: {number:g} is not between {known.minimum:g} and "
                f"{known.maximum:g}. Leave it out for {known.default:g}."
            )


def calls_of(fault: Fault, endpoints: Iterable[Endpoint]) -> list[str]:
    """The calls at which a fault may be injected."""
    return [f"{endpoint.method} {endpoint.path}" for endpoint in endpoints if fault.applies(endpoint)]
