"""Errors of this program with a specific message."""


class FaultError(Exception):
    """An error whose message is the entry ``fault`` of ``faults.json``, filled with ``parameters``."""

    def __init__(self, fault: str, **parameters: str) -> None:
        named = ", ".join(f"{name}={value}" for name, value in parameters.items())
        super().__init__(f"{fault} ({named})" if named else fault)
        self.fault = fault
        self.parameters = parameters
