"""A problem of a document as a value: how bad, where, what, in words. Knows no rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import ElementRef


class Severity(Enum):
    """Whether the service refuses the document."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; ``code`` names the rule, for quick fixes and tests."""

    severity: Severity
    ref: ElementRef
    code: str
    message: Message


def error(ref: ElementRef, code: str, text: str, /, **values: object) -> Problem:
    """A problem for which the service refuses the document."""
    return Problem(Severity.ERROR, ref, code, Message(text, values))


def warning(ref: ElementRef, code: str, text: str, /, **values: object) -> Problem:
    """A problem with which the document can be saved."""
    return Problem(Severity.WARNING, ref, code, Message(text, values))
