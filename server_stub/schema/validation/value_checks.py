"""Whether a stored value fulfils its column's check (wire §5)."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache

import msgspec
import re2

from server_stub.schema.document.model import DATES, NUMBERS, Bound, Check, Column, Family

# One @, no blanks, a dot in the domain; mail servers may be stricter.
_EMAIL = re.compile(r"[^\s@]+@[^\s@.]+(\.[^\s@.]+)+")


def broken_check(column: Column, value: object) -> str | None:
    """The name of the check that a value violates, None if it fulfils all of them.

    Raises UndecidedError if a text is too long for its regular expression.
    """
    check, texts = column.check, list(_texts(column, value))
    if check.kind is not None and not _CHECKS[check.kind](column, value, texts):
        return check.kind
    if not all(_has_length(check, text) for text in texts):
        return "length"
    return None


def _texts(column: Column, value: object) -> Iterator[str]:
    """The plain texts of a value: one for each language, the ends of a range, the text itself."""
    parts = parse_json_object(value) if column.family in (Family.LOCALIZED, Family.DATE_RANGE) else None
    if parts is None:
        yield str(value)
    else:
        yield from (str(part) for part in parts.values() if part is not None)


def parse_json_object(value: object) -> dict[str, object] | None:
    """The JSON object that a text column holds, None if it holds something else."""
    try:
        return msgspec.json.decode(str(value), type=dict[str, object])
    except msgspec.DecodeError:
        return None


def _is_filled(_column: Column, _value: object, texts: list[str]) -> bool:
    return any(text.strip() for text in texts)


def _is_email(_column: Column, _value: object, texts: list[str]) -> bool:
    return all(_EMAIL.fullmatch(text) for text in texts)


def _matches(column: Column, _value: object, texts: list[str]) -> bool:
    pattern = compiled_pattern(column.check.regexp or "", column.check.flags)
    return all(pattern.is_found_in(text) for text in texts)


def _is_in_range(column: Column, value: object, texts: list[str]) -> bool:
    if column.family in DATES:
        return all(_dates_in_order(column.check, text) for text in texts)
    return column.family in NUMBERS and _numbers_in_order(column.check, value)


def _numbers_in_order(check: Check, value: object) -> bool:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return False
    return all(
        low < high or (low == high and not bound.is_open)
        for bound, low, high in (
            *((bound, Decimal(str(bound.value)), number) for bound in _given(check.lower)),
            *((bound, number, Decimal(str(bound.value))) for bound in _given(check.upper)),
        )
    )


def _dates_in_order(check: Check, text: str) -> bool:
    return all(_reaches(str(bound.value), text, bound) for bound in _given(check.lower)) and all(
        _reaches(text, str(bound.value), bound) for bound in _given(check.upper)
    )


def _given(bound: Bound | None) -> tuple[Bound, ...]:
    return () if bound is None else (bound,)


def _reaches(early: str, late: str, bound: Bound) -> bool:
    """Whether `early` is not after `late`; ISO texts sort by time, and the coarser precision counts."""
    if early.startswith(late) or late.startswith(early):
        return not bound.is_open
    return early < late


def _has_length(check: Check, text: str) -> bool:
    lowest = check.length_min or 0
    return lowest <= len(text) and (check.length_max is None or len(text) <= check.length_max)


_CHECKS: Mapping[str, Callable[[Column, object, list[str]], bool]] = {
    "not_empty": _is_filled,
    "email": _is_email,
    "regexp": _matches,
    "range": _is_in_range,
}


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
