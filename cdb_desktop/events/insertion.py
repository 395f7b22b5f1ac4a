"""An event that somebody writes by hand (§4.4): what is typed, and whether it can be sent. No I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

import msgspec

INSERTABLE_TYPES = ("SEARCH", "DETAIL_VIEW")  # what clients may insert (§6 rule 2)
_LARGEST = 2**63 - 1

Field = Literal["info", "object_id", "object_version"]
Reason = Literal["json", "object", "value", "number", "range"]


class DraftFault(msgspec.Struct, frozen=True):
    """Why a field cannot be sent; the place counts from 1, and is 0 where there is none."""

    reason: Reason
    line: int = 0
    column: int = 0


class EventDraft(msgspec.Struct, frozen=True):
    """What is typed; empty fields are left out."""

    type: str = INSERTABLE_TYPES[0]
    info: str = ""
    objecttype: str = ""
    object_id: str = ""
    object_version: str = ""

    @property
    def faults(self) -> dict[Field, DraftFault]:
        """The fields that cannot be sent."""
        found: dict[Field, DraftFault | None] = {
            "info": _fault_of_info(self.info),
            "object_id": _fault_of_number(self.object_id),
            "object_version": _fault_of_number(self.object_version),
        }
        return {name: fault for name, fault in found.items() if fault is not None}

    @property
    def attributes(self) -> dict[str, object]:
        """What is sent, once there are no faults."""
        told: dict[str, object] = {"type": self.type, "objecttype": self.objecttype.strip()}
        told |= {"object_id": _number(self.object_id), "object_version": _number(self.object_version)}
        told["info"] = json.loads(self.info) if self.info.strip() else None
        return {name: value for name, value in told.items() if value not in (None, "")}


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None


def _fault_of_number(text: str) -> DraftFault | None:
    digits = text.strip()
    if not digits:
        return None
    if not (digits.isascii() and digits.isdecimal()):
        return DraftFault("number")
    return DraftFault("range") if len(digits) > 19 or int(digits) > _LARGEST else None


def _fault_of_info(text: str) -> DraftFault | None:
    if not text.strip():
        return None
    try:
        value = json.loads(text, parse_constant=_refused)
        # What was read must be such that it can be written: no endless number, no half of a character.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        return DraftFault("json", error.lineno, error.colno)
    except (ValueError, RecursionError):
        return DraftFault("value")
    return None if isinstance(value, Mapping) else DraftFault("object")


def _refused(name: str) -> object:
    raise ValueError(name)
