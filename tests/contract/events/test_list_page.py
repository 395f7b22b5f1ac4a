"""§4.3 `limit`, `offset`, `skip_count` and their limits of §8; the answer's shape is wire §3."""

from __future__ import annotations

from tests.contract.builders import Store, event, listed
from tests.contract.caller import Caller

# §8: limit as given → events returned, where there are 1004.
LIMITS = {None: 1000, "1": 1, "25": 25, "1000": 1000, "1001": 1000, "50000": 1000}


def test_limit(caller: Caller, store: Store) -> None:
    """A page has the newest events, at most 1000; the count includes all matching events."""
    stored = store(*[event("SEARCH")] * 1004, event("SERVER_NOTE"))[:1004]
    support = caller.signed_in("support")
    for limit, returned in LIMITS.items():
        params = {} if limit is None else {"limit": limit}
        answer = support.get("event/list", type="SEARCH", **params)
        assert listed(answer) == stored[::-1][:returned], f"limit={limit}"
        members = {key: value for key, value in answer.json().items() if key != "objects"}
        assert members == {"count": 1004, "limit": returned, "offset": 0}


def test_offset(caller: Caller, store: Store) -> None:
    """`offset` skips events of the result, so that consecutive pages contain the whole result."""
    stored = store(*[event("SEARCH")] * 7)
    support = caller.signed_in("support")
    pages = [support.get("event/list", type="SEARCH", sort="_id", limit=3, offset=o) for o in (0, 3, 6, 7)]
    assert [id_ for page in pages for id_ in listed(page)] == stored
    assert [page.json()["offset"] for page in pages] == [0, 3, 6, 7]
    assert [page.json()["count"] for page in pages] == [7, 7, 7, 7]
    assert listed(support.get("event/list", type="SEARCH", offset=2)) == stored[::-1][2:]


def test_skip_count(caller: Caller, store: Store) -> None:
    """With `skip_count` only the count is missing; the default is false."""
    store(*[event("SEARCH")] * 3)
    support = caller.signed_in("support")
    whole = support.get("event/list").json()
    assert whole.keys() == {"count", "limit", "offset", "objects"}
    for truth in ("true", "1"):
        quick = support.get("event/list", skip_count=truth).json()
        assert quick == {key: value for key, value in whole.items() if key != "count"}
    for truth in ("false", "0"):
        assert support.get("event/list", skip_count=truth).json() == whole
