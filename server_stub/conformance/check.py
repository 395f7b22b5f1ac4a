"""What a check is, its verdict, and the builders of the most frequent kinds of checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from server_stub.conformance.client import Request
from server_stub.conformance.context import Context
from server_stub.conformance.expectations import CallerSession, refuse, succeed


class Verdict(StrEnum):
    """The result of a check."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_TRIED = "not tried"


class Basis(StrEnum):
    """Where an expectation comes from."""

    INTERFACE = "interface"
    OBSERVED = "deployed services"
    # The interface leaves it open; other services may well decide otherwise.
    DECISION = "reference server"


@dataclass(frozen=True)
class ServiceCheck:
    """One expectation. `run` raises DeviationError or NotTriedError, and returns if the service agrees.

    `section` is that of the interface. `right` is needed by the log-in. `writes` marks a check that changes
    what the service stores, and `deletes` one that sends a deletion.
    """

    section: str
    title: str
    run: Callable[[Context], None]
    right: str | None = None
    basis: Basis = Basis.INTERFACE
    writes: bool = False
    deletes: bool = False


class Result(msgspec.Struct, frozen=True):
    """A check and its verdict; `sentence` says what differs or why it was not tried."""

    group: str
    section: str
    title: str
    basis: Basis
    verdict: Verdict
    sentence: str = ""
    milliseconds: float = 0.0


@dataclass(frozen=True)
class Group:
    """The checks of one part of the interface, in the order in which they run."""

    title: str
    checks: Sequence[ServiceCheck]


def refused(
    section: str,
    request: Request,
    *codes: str,
    status: int = 400,
    caller: CallerSession = CallerSession.SIGNED_IN,
    parameters: Mapping[str, str] | None = None,
    **options: Any,
) -> ServiceCheck:
    """A check that a call is refused with one of these codes, or with any of the realm api."""
    wanted = " or ".join(code.removeprefix("error.") for code in codes) or "an error of the realm api"
    who = "" if caller is CallerSession.SIGNED_IN else f" {caller}"

    def run(context: Context) -> None:
        refuse(context.call(request, caller), *codes, status=status, parameters=parameters)

    return ServiceCheck(section, f"{request}{who} is {status} {wanted}", run, **options)


def succeeds(section: str, request: Request, title: str = "", **options: Any) -> ServiceCheck:
    """A check that a call is answered with 200."""

    def run(context: Context) -> None:
        succeed(context.call(request))

    return ServiceCheck(section, title or f"{request} is answered with 200", run, **options)
