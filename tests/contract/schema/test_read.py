"""§4.6, §2.4, §3 and wire §5: reading versions of the schema in four forms."""

from __future__ import annotations

from tests.contract.caller import Caller
from tests.contract.documents import column, museum, named


def test_committed_versions_stay(caller: Caller) -> None:
    """A committed version remains readable under its number (wire §5)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    root.post("schema/commit")
    first = root.get("schema/user/1", format="json").json()
    head = root.get("schema/user/HEAD", format="json").json()
    named(head, "place")["columns"].append(column("code"))
    assert root.post("schema/user/HEAD", head).status_code == 200
    assert root.get("schema/user/CURRENT", format="json").json() == first
    root.post("schema/commit")
    second = root.get("schema/user/CURRENT", format="json").json()
    assert second["version"] == 2
    assert root.get("schema/user/2", format="json").json() == second
    assert root.get("schema/user/1", format="json").json() == first


def test_no_tables(caller: Caller) -> None:
    """A schema without tables is valid and can be drawn."""
    root = caller.signed_in("root")
    assert root.post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []}).status_code == 200
    for form in ("xml", "json", "svg", "png"):
        assert root.get("schema/user/HEAD", format=form).status_code == 200
