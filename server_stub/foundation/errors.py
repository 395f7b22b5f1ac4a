"""The error object of the contract (§2.3, §7) as exceptions.

ContractError
├── ApiError      error.api.*     the call itself is wrong: 400 and an English description
├── UserError     error.user.*    the caller may not or cannot: 400 (403, 404 on schema calls) and parameters
└── ServerError   error.server.*  fault of the server: 500, a description, and the uuid of the stored details
"""

import json
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from server_stub.foundation.resources import resource


@cache
def catalogue() -> MappingProxyType[str, dict[str, Any]]:
    """Every code of §7 with realm, status, parameters and texts."""
    text = resource("errors.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text)["errors"])


class ContractError(Exception):
    """An error that the contract names; raising one with an unknown code is a defect and a KeyError."""

    realm: ClassVar[str]

    def __init__(
        self,
        name: str,
        description: str | None = None,
        *,
        status: int | None = None,
        parameters: dict[str, str] | None = None,
    ) -> None:
        self.code = f"error.{self.realm}.{name}"
        entry = catalogue()[self.code]
        self.status: int = status or entry["status"]
        self.description = description
        self.parameters = parameters or {}
        if self.parameters.keys() != set(entry["parameters"]):
            raise KeyError(f"{self.code} takes {entry['parameters']}, not {sorted(self.parameters)}")
        super().__init__(f"{self.code}: {description or self.parameters or entry['en']['title']}")

    def to_object(self, uuid: str | None = None) -> dict[str, object]:
        """The error object of §2.3."""
        answer: dict[str, object] = {"realm": self.realm, "code": self.code}
        if self.parameters:
            answer["parameters"] = self.parameters
        if self.description is not None:
            answer["description"] = self.description
        if uuid is not None:
            answer["uuid"] = uuid
        return answer


class ApiError(ContractError):
    """A malformed call (§7.2)."""

    realm = "api"

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, description)


class UserError(ContractError):
    """A refusal that the user can understand and act on (§7.4 to §7.9)."""

    realm = "user"

    def __init__(self, name: str, /, *, status: int | None = None, **parameters: object) -> None:
        texts = {key: str(value) for key, value in parameters.items()}
        super().__init__(name, status=status, parameters=texts)


class ServerError(ContractError):
    """A fault of the server (§7.3)."""

    realm = "server"

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, description)
