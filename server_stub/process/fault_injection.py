"""The option `--chaos`: its value, where it is allowed, and the connection that faults may close."""

from __future__ import annotations

import re
from pathlib import Path

from server_stub.http.application import create_app
from server_stub.http.calls import Services
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
from server_stub.http.host_check import HostNames, is_loopback
from server_stub.process.connection_limits import LimitedProtocol

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


def read_chaos(value: str) -> ChaosConfiguration:
    """Reads the value of the option: a seed, "off", or a file. Raises ChaosUnusableError."""
    if value == _OFF:
        return ChaosConfiguration()
    if _SEED.fullmatch(value):
        return random_faults(int(value))
    try:
        return parse_json(Path(value).read_bytes())
    except OSError as error:
        raise ChaosUnusableError(
            f"--chaos: the file {value} cannot be read: {error.strerror}. "
            "Give a whole number, a JSON file, or off."
        ) from error
    except ConfigurationError as error:
        raise ChaosUnusableError(f"--chaos: {value}: {error}") from error


def chaotic_app(
    services: Services, hosts: HostNames | None, configuration: ChaosConfiguration
) -> FaultInjector:
    """Returns the application with injected faults and the calls that change them."""
    selector = FaultSelector(configuration)
    return FaultInjector(create_app(services, hosts, chaos_endpoints(selector)), services, selector)


class ExposedConnection(LimitedProtocol):
    """Shows the application its connection, so that faults can close it."""

    def on_message_begin(self) -> None:
        """Adds the transport to the extensions of the request's scope."""
        super().on_message_begin()
        self.scope["extensions"] = {CONNECTION: {"transport": self.transport}}
