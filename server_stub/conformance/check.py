"""What a check is, its verdict, and groups of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from server_stub.conformance.context import Context


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

    `section` is that of the interface. The log-in needs `rights`. `writes` marks a check that changes what
    the service stores, and `deletes` one that sends a deletion.
    """

    section: str
    title: str
    run: Callable[[Context], None]
    rights: Sequence[str] = ()
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


@dataclass
class Group:
    """The checks of one part of the interface, in the order in which they run; the log-in needs `rights`."""

    title: str
    rights: Sequence[str] = ()
    checks: list[ServiceCheck] = field(default_factory=list)

    def check(
        self,
        section: str,
        title: str,
        basis: Basis = Basis.INTERFACE,
        cases: Iterable[tuple[Any, ...]] = ((),),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Adds a function as a check, once for each case: the arguments after the context.

        The title may have the arguments in it: `{0}`.
        """

        def added(run: Callable[..., None]) -> Callable[..., None]:
            for case in cases:
                tried = partial(_with_case, run, case)
                self.checks.append(ServiceCheck(section, title.format(*case), tried, self.rights, basis))
            return run

        return added


def _with_case(run: Callable[..., None], case: tuple[Any, ...], context: Context) -> None:
    run(context, *case)
