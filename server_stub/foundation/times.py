"""Times as the interface writes them (wire §1), to whole epoch seconds and back; the clocks of the server."""

import re
import time
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Every event has a time: formatting its second anew takes longer than the rest of its record.
_SECONDS = tuple(f"{second:02}+00:00" for second in range(60))

# A blank replaces "+" if a caller did not encode the sign of the offset in the query.
_WIRE = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<clock>\d{2}:\d{2}(?::\d{2}(?P<fraction>\.\d{1,9})?)?)"
    r"(?P<zone>Z|[+\- ]\d{2}:?[0-5]\d)?)?"
)


def to_wire(second: int) -> str:
    """ISO 8601 with seconds and offset, in the server's zone, UTC: `2019-03-13T10:41:05+00:00`."""
    return _minute(second // 60) + _SECONDS[second % 60]


@lru_cache(maxsize=1024)
def _minute(number: int) -> str:
    return (EPOCH + timedelta(minutes=number)).isoformat()[:17]


def lower_bound(text: str) -> int:
    """First whole second not before the time given (`date_from`, §4.3); ValueError when it is no time."""
    second, has_fraction, _ = _parse(text)
    return second + has_fraction


def upper_bound(text: str) -> int:
    """Last whole second not after the time given; a bare day means its end (`date_to`, wire §1)."""
    second, _, is_day = _parse(text)
    return second + (86_399 if is_day else 0)


def _parse(text: str) -> tuple[int, bool, bool]:
    """The whole second, whether a fraction follows it, and whether a bare day was given."""
    match = _WIRE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a date or a date with a time: {text!r}")
    clock = match["clock"] or "00:00"
    if match["fraction"]:
        clock = clock[: -len(match["fraction"])]
    try:
        moment = datetime.fromisoformat(f"{match['date']}T{clock}").replace(tzinfo=_zone(match["zone"]))
        second = (moment - EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"no such date or time: {text!r}") from error
    return second, bool((match["fraction"] or "").strip(".0")), match["clock"] is None


def _zone(text: str | None) -> timezone:
    if not text or text == "Z":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def wall_clock() -> int:
    """Whole epoch seconds, as people see them: the times of events and versions."""
    return int(time.time())


class SteadyClock:
    """Whole epoch seconds that advance evenly, from those of the wall clock when this was made.

    It measures how long something lasts, such as a session: setting the computer's clock has no effect.
    """

    def __init__(self) -> None:
        self._began = time.time() - _passed()

    def __call__(self) -> int:
        """The time now."""
        return int(self._began + _passed())


def _passed() -> float:
    # On Linux the usual clock stands still while the computer sleeps.
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)
