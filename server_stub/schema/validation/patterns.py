"""Regular expressions of documents (wire §5), matched by RE2 in linear time.

RE2 supports what JavaScript and Python have in common, except look-around and back-references, which no
engine matches in bounded time.
"""

from __future__ import annotations

from functools import lru_cache

import re2

# Program size times text length: about two seconds in the slowest case.
_MOST_STEPS = 300_000_000


class PatternError(ValueError):
    """The pattern does not compile; the message contains the reason."""


class UndecidedError(Exception):
    """The text is too long to be matched with a pattern of this size in acceptable time."""


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
        """Whether the pattern occurs in a text; raises UndecidedError if that could take seconds."""
        if self._size * len(text) > _MOST_STEPS:
            raise UndecidedError
        return self._compiled.search(text) is not None


@lru_cache(maxsize=256)
def compiled_pattern(text: str, flags: str) -> Pattern:
    """The pattern compiled with the flags of a document ("" or "i"), cached; raises PatternError."""
    return Pattern(text, ignore_case="i" in flags)


def _message(error: re2.error) -> str:
    found = error.args[0] if error.args else ""
    return found.decode(errors="replace") if isinstance(found, bytes) else str(found)
