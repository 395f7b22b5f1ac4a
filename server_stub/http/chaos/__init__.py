"""Fault injection: answers calls as a broken service, network or database would, on request.

It exists only in a server that was started with ``--chaos``. `FaultInjector` wraps the application: for each
request `FaultSelector` decides by the `ChaosConfiguration` whether one of the FAULTS is injected, and the
fault then works on the `Exchange` of this request.
"""

from server_stub.http.chaos.catalogue import FAULTS, Fault
from server_stub.http.chaos.configuration import (
    ChaosConfiguration,
    ConfigurationError,
    Rule,
    parse_json,
    random_faults,
)
from server_stub.http.chaos.injector import FaultInjector, FaultSelector, chaos_endpoints

__all__ = [
    "FAULTS",
    "ChaosConfiguration",
    "ConfigurationError",
    "Fault",
    "FaultInjector",
    "FaultSelector",
    "Rule",
    "chaos_endpoints",
    "parse_json",
    "random_faults",
]
