"""Expectations of answers: error objects, patterns of JSON, members, callers, rights."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from server_stub.conformance.client import DeviationError, Reply, cleaned
from server_stub.foundation.resources import resource

EVENT_GET = "system.api.event.get"
EVENT_DELETE = "system.api.event.delete"
NOT_ACCEPTED = "error.api.attribute_not_accepted"
NOT_FOUND = "error.user.instance_not_found"


class NotTriedError(Exception):
    """A check cannot be made with this service or this log-in. The message is the reason, a sentence."""


def expect(condition: object, sentence: str) -> None:
    """Raises DeviationError with a sentence unless a condition holds."""
    if not condition:
        raise DeviationError(sentence)


def succeed(reply: Reply) -> Reply:
    """The reply, which must be 200."""
    expect(reply.status == 200, f"{reply.request}: expected 200, the answer is {reply}.")
    return reply


def member(found: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    """A member of a JSON object. Raises DeviationError if it is missing or has another type."""
    expect(name in found, f"{where}: {name} is missing.")
    value = found[name]
    expect(type(value) is kind, f"{where}: {name} is {shown(value)}, expected {_KINDS[kind]}.")
    return value


_KINDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def shown(value: object) -> str:
    """A value of the service as JSON, short."""
    try:
        return cleaned(msgspec.json.encode(value).decode()[:2000])
    except (TypeError, ValueError, OverflowError, RecursionError):
        return "a value that cannot be shown"


def parse_time(text: str, where: str) -> datetime:
    """A time with its offset. Raises DeviationError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise DeviationError(f"{where}: {text[:40]!r} is not a time in ISO 8601.") from None
    expect(found.tzinfo is not None, f"{where}: the time {text!r} has no offset.")
    return found


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """The error codes of §7 and the vendor's other spellings of them."""
    found = msgspec.json.decode(resource("errors.json").read_bytes())
    errors: dict[str, Mapping[str, Any]] = found["errors"]
    return errors | {alias: errors[code] for alias, code in found["aliases"].items()}


def refuse(reply: Reply, *codes: str, status: int = 400) -> dict[str, Any]:
    """The error object of a reply (§2.3), which must have one of the codes, or else one of the realm api."""
    wanted = f"{status} {' or '.join(codes) if codes else 'an error of the realm api'}"
    expected = f"{reply.request}: expected {wanted}, the answer is {reply}."
    expect(reply.status == status, expected)
    error = reply.object()
    code = error.get("code")
    expect(isinstance(code, str) and (code in codes if codes else code.startswith("error.api.")), expected)
    entry = catalogue().get(str(code))
    if entry is None:
        raise DeviationError(f"{reply.request}: §7 has no code {shown(code)}.")
    expect(
        error.get("realm") == entry["realm"], f"{reply.request}: the realm does not fit the code: {reply}."
    )
    return error


# Patterns (the head of resources/contract.txt describes them)

Variables = MutableMapping[str, Any]
_MISSING = object()
_VARIABLE = re.compile(r"\$([a-z]\w*(?:\.\w+)*)(\+1)?")
_TYPES: dict[str, Callable[[Any], bool]] = {
    "<any>": lambda value: value is not _MISSING,
    "<none>": lambda value: value is _MISSING,
    "<text>": lambda value: isinstance(value, str),
    "<number>": lambda value: type(value) is int,
    "<bool>": lambda value: isinstance(value, bool),
    "<object>": lambda value: isinstance(value, dict),
    "<list>": lambda value: isinstance(value, list),
    "<time>": lambda value: isinstance(value, str) and parse_time(value, "the answer") is not None,
}


def variable(name: str, variables: Mapping[str, Any]) -> Any:
    """The value of a variable, or of a member in it: `a.event._id`, `a+1`."""
    name, _, more = name.removeprefix("$").partition("+")
    first, *rest = name.split(".")
    if first not in variables:
        raise NotTriedError(f"The service does not tell {first}.")
    value = variables[first]
    for part in rest:
        value = value[part]
    return value + 1 if more else value


def substituted(text: str, variables: Mapping[str, Any], written: Callable[[Any], str] = str) -> str:
    """A text with the values of its variables, each as `written` writes it."""
    return _VARIABLE.sub(lambda found: written(variable(found[0], variables)), text)


def fit(value: Any, pattern: Any, variables: Variables, where: str) -> None:
    """Compares a value of the service with a pattern. Raises DeviationError."""
    if isinstance(pattern, dict):
        _fit_object(value, pattern, variables, where)
    elif isinstance(pattern, list) and pattern[:1] in (["each"], ["some"], ["no"]):
        _fit_elements(value, pattern[0], pattern[1], variables, where)
    elif isinstance(pattern, list):
        expect(isinstance(value, list), f"{where} is {_told(value)}, expected a list.")
        expect(len(value) == len(pattern), f"{where} is {_told(value)}, expected {len(pattern)} elements.")
        for one, other in zip(value, pattern, strict=True):
            fit(one, other, variables, f"an element of {where}")
    elif isinstance(pattern, str):
        _fit_text(value, pattern, variables, where)
    else:
        expect(_same(value, pattern), f"{where} is {_told(value)}, expected {shown(pattern)}.")


def _told(value: Any) -> str:
    return "missing" if value is _MISSING else shown(value)


def _same(value: Any, other: Any) -> bool:
    """Whether two values are equal; to Python, 1 is also true."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _fit_object(value: Any, pattern: dict[str, Any], variables: Variables, where: str) -> None:
    expect(isinstance(value, dict), f"{where} is {_told(value)}, expected an object.")
    if "" in pattern:
        added = value.keys() - pattern.keys()
        expect(not added, f"{where} also has {', '.join(sorted(added))}: {shown(value)}.")
    for name, wanted in pattern.items():
        if name == "":
            continue
        found = value.get(substituted(name.removesuffix("?"), variables), _MISSING)
        if found is _MISSING and name.startswith("user"):
            found = value.get("_user", _MISSING)  # deployed services (wire §3)
        if found is not _MISSING or not name.endswith("?"):
            fit(found, wanted, variables, f"{name} of {where}")


def _fit_elements(value: Any, which: str, pattern: Any, variables: Variables, where: str) -> None:
    if value is _MISSING and which == "no":
        return
    elements = list(value.values()) if isinstance(value, dict) else value
    expect(isinstance(elements, list), f"{where} is {_told(value)}, expected a list or an object.")
    if which == "each":
        for element in elements:
            fit(element, pattern, variables, f"an element of {where}")
        return
    fitting = [element for element in elements if _fits(element, pattern, variables, where)]
    if which == "no":
        expect(not fitting, f"{where} has {shown(fitting[:1])}.")
    else:
        expect(fitting, f"{where} has no element {shown(pattern)}.")


def _fits(value: Any, pattern: Any, variables: Variables, where: str) -> bool:
    try:
        fit(value, pattern, variables, where)
    except DeviationError:
        return False
    return True


def _fit_text(value: Any, pattern: str, variables: Variables, where: str) -> None:
    name = pattern.removeprefix("$").removesuffix("...")
    if pattern in _TYPES:
        fits = _TYPES[pattern](value)
    elif pattern.startswith("~"):
        expression = substituted(pattern[1:], variables, lambda found: re.escape(str(found)))
        fits = isinstance(value, str) and re.fullmatch(expression, value) is not None
    elif pattern.startswith("!"):
        fits = value != _meant(pattern[1:], variables)
    elif pattern.startswith(">"):
        fits = type(value) is int and value > _meant(pattern[1:], variables)
    elif pattern.startswith("$") and name.isidentifier() and name not in variables:
        expect(value is not _MISSING, f"{where} is missing.")
        if value in ([], {}, ""):
            raise NotTriedError(f"There is nothing to compare: {where} is empty.")
        variables[name] = value
        return
    elif pattern.endswith("..."):
        kept = variables[name]
        fits = isinstance(value, list) and value[: len(kept)] == kept
    else:
        fits = _same(value, _meant(pattern, variables))
    expect(fits, f"{where} is {_told(value)}, expected {cleaned(pattern)}.")


def _meant(pattern: str, variables: Mapping[str, Any]) -> Any:
    """What a text of a pattern stands for: a variable's value, or a text that may have variables in it."""
    return variable(pattern, variables) if _VARIABLE.fullmatch(pattern) else substituted(pattern, variables)
