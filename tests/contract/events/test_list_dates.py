"""§4.3: the filters of a list, rule 1, and the forms of dates (wire §1)."""

from __future__ import annotations

from tests.contract.builders import NOW, Store, event, listed
from tests.contract.caller import Caller

# Seconds around the day of 2025-06-15 (UTC, the server's zone), each an event's letter.
MOMENTS = {
    "p": NOW - 54_401,  # 2025-06-14T23:59:59
    "q": NOW - 54_400,  # 2025-06-15T00:00:00
    "r": NOW - 1,  # 2025-06-15T15:06:39
    "s": NOW,  # 2025-06-15T15:06:40
    "t": NOW + 31_999,  # 2025-06-15T23:59:59
    "u": NOW + 32_000,  # 2025-06-16T00:00:00
}

# wire §1, times in: (date_from, date_to) → events left.
DATES = {
    # A date only: from its beginning, to its end; both bounds inclusive.
    ("2025-06-15", None): "qrstu",
    (None, "2025-06-15"): "pqrst",
    ("2025-06-15", "2025-06-15"): "qrst",
    ("2025-06-14", "2025-06-14"): "p",
    ("2025-06-16", "2025-06-15"): "",
    # Date and time, T or blank between them; seconds optional.
    ("2025-06-15T15:06:40", None): "stu",
    (None, "2025-06-15T15:06:40"): "pqrs",
    ("2025-06-15T15:06:40", "2025-06-15T15:06:40"): "s",
    ("2025-06-15 15:06:40", "2025-06-15 15:06:40"): "s",
    ("2025-06-15T00:00", "2025-06-15T15:07"): "qrs",
    ("2025-06-15 15:07", "2025-06-16 00:00"): "tu",
    # A fraction is optional; a bound without one covers its whole second.
    ("2025-06-15T15:06:39.5", None): "stu",
    (None, "2025-06-15T15:06:39.5"): "pqr",
    (None, "2025-06-15T15:06:39.999"): "pqr",
    (None, "2025-06-15T15:06:39.999999999"): "pqr",
    ("2025-06-15T15:06:39.000000001", None): "stu",
    ("2025-06-15T15:06:40.000", "2025-06-15T15:06:40.000"): "s",
    # Z, an offset, or none, which means the server's zone.
    ("2025-06-15T15:06:40Z", "2025-06-15T15:06:40Z"): "s",
    ("2025-06-15T17:06:40+02:00", "2025-06-15T17:06:40+02:00"): "s",
    ("2025-06-15T10:06:40-05:00", "2025-06-15 10:06:40-05:00"): "s",
    ("2025-06-15T20:36:40.25+05:30", None): "tu",
    ("2025-06-16T00:00:00+09:00", "2025-06-15T15:06:39+00:00"): "r",
}


def test_dates(caller: Caller, store: Store) -> None:
    """Every form of a bound is accepted, and both bounds are inclusive."""
    stored = store(*(event("SEARCH", timestamp=second) for second in MOMENTS.values()))
    letters = dict(zip(stored, MOMENTS, strict=True))
    support = caller.signed_in("support")
    found = {}
    for since, until in DATES:
        bounds = {"date_from": since, "date_to": until}
        params = {name: bound for name, bound in bounds.items() if bound is not None}
        answer = support.get("event/list", type="SEARCH", sort="_id", **params)
        found[since, until] = "".join(letters[id_] for id_ in listed(answer))
    assert found == DATES
