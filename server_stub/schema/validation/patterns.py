"""Regular expressions of documents (wire §5), matched by RE2: no pattern and no text can hold the server up.

RE2 takes what JavaScript and Python have in common but for look-around and back-references, which no engine
matches in a time that is known before.
"""

from __future__ import annotations

from functools import lru_cache

import re2

# Steps of the slowest way through a pattern: about two seconds.
_MOST_STEPS = 300_000_000


class PatternError(ValueError):
    """The pattern does not compile; the message says why."""


class UndecidedError(Exception):
    """The text is too long for a pattern of this size."""


class Pattern:
    """A compiled pattern."""

    def __init__(self, text: str, *, ignore_case: bool) -> None:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not ignore_case
        try:
            self._compiled = re2.compile(text, options)  # type: ignore[no-untyped-call]
        except re2.error as error:
            raise PatternError(_message(error)) from error
        self._size: int = max(self._compiled.programsize, 1)

    def is_found_in(self, text: str) -> bool:
        """Whether the pattern occurs in a text; UndecidedError where that could take seconds."""
        if self._size * len(text) > _MOST_STEPS:
            raise UndecidedError
        return self._compiled.search(text) is not None


@lru_cache(maxsize=256)
def compiled(text: str, flags: str) -> Pattern:
    """A pattern with the flags of a document: "" or "i"; PatternError."""
    return Pattern(text, ignore_case="i" in flags)


def _message(error: re2.error) -> str:
    found = error.args[0] if error.args else ""
    return found.decode(errors="replace") if isinstance(found, bytes) else str(found)
