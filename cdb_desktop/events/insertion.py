"""An event that the user writes by hand (§4.4), and the validation of its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

import msgspec

from cdb_desktop.vocabulary.event_types import group_of, known_types

INSERTABLE_TYPES = ("SEARCH", "DETAIL_VIEW")  # what clients may insert (§6 rule 2)
_INSERTABLE_GROUP = "FRONTEND"  # where types belong to groups; those of plug-ins have no names of their own
_MAX_NUMBER = 2**63 - 1

Field = Literal["info", "object_id", "object_version"]
Reason = Literal["json", "object", "value", "number", "range"]


def insertable_types(*, in_groups: bool) -> tuple[str, ...]:
    """The types that clients may insert; ``in_groups``: into a service with groups of types."""
    of_group = (one for one in known_types(in_groups=True) if group_of(one) == _INSERTABLE_GROUP)
    return tuple(dict.fromkeys((*INSERTABLE_TYPES, *(of_group if in_groups else ()))))


class DraftFault(msgspec.Struct, frozen=True):
    """Why a field cannot be sent; ``line`` and ``column`` count from 1 and are 0 if there is no position."""

    reason: Reason
    line: int = 0
    column: int = 0


class EventDraft(msgspec.Struct, frozen=True):
    """The fields as they were typed; empty fields are not sent.

    ``pollable`` is sent only if it is true, since other services than the reference server may refuse it.
    """

    type: str = INSERTABLE_TYPES[0]
    info: str = ""
    objecttype: str = ""
    object_id: str = ""
    object_version: str = ""
    pollable: bool = False

    @property
    def faults(self) -> dict[Field, DraftFault]:
        """The fields that cannot be sent."""
        found: dict[Field, DraftFault | None] = {
            "info": _info_fault(self.info),
            "object_id": _number_fault(self.object_id),
            "object_version": _number_fault(self.object_version),
        }
        return {name: fault for name, fault in found.items() if fault is not None}

    @property
    def attributes(self) -> dict[str, object]:
        """The attributes to be sent, if there are no faults."""
        values: dict[str, object] = {"type": self.type.strip(), "objecttype": self.objecttype.strip()}
        values |= {"object_id": _number(self.object_id), "object_version": _number(self.object_version)}
        values["pollable"] = self.pollable or None
        values["info"] = json.loads(self.info) if self.info.strip() else None
        return {name: value for name, value in values.items() if value not in (None, "")}


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None


def _number_fault(text: str) -> DraftFault | None:
    digits = text.strip()
    if not digits:
        return None
    if not (digits.isascii() and digits.isdecimal()):
        return DraftFault("number")
    return DraftFault("range") if len(digits) > 19 or int(digits) > _MAX_NUMBER else None


def _info_fault(text: str) -> DraftFault | None:
    if not text.strip():
        return None
    try:
        value = json.loads(text, parse_constant=_refuse)
        # What was parsed must be writable too: no infinite number, no lone surrogate.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        return DraftFault("json", error.lineno, error.colno)
    except (ValueError, RecursionError):
        return DraftFault("value")
    return None if isinstance(value, Mapping) else DraftFault("object")


def _refuse(name: str) -> object:
    raise ValueError(name)
