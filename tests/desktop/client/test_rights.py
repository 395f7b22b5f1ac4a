"""Tests of reading system rights."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cdb_desktop.client import has_right

DATAMODEL = "system.datamodel."


@pytest.mark.parametrize(
    ("granted", "right", "held"),
    [
        ({}, "system.api.event.get", False),
        ({"system.api.event.get": {}}, "system.api.event.get", True),
        ({"system.api.event.get": {}}, "system.api.event.delete", False),
        ({"system.api.event.get": None}, "system.api.event.get", False),
        ({"system.api.event.get": False}, "system.api.event.get", False),
        ({"system.root": {}}, "system.api.event.delete", True),
        ({"system.root": {}}, DATAMODEL + "commit", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "development", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "commit", True),
        ({"system.datamodel": {"level": "development"}}, DATAMODEL + "commit", False),
        ({"system.datamodel": {"level": "development"}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": ["current"]}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": "current"}}, DATAMODEL + "development", False),
        ({"system.datamodel": {}}, DATAMODEL + "current", False),
        ({"system.datamodel.commit": {}}, DATAMODEL + "development", True),
        ({"system.datamodel.current": {}}, DATAMODEL + "development", False),
        ({"system.api.event": {"level": "get"}}, "system.api.event.get", True),
    ],
)
def test_has_right(granted: Mapping[str, object], right: str, held: bool) -> None:
    """Root, the dotted name, or the base name with a level; commit > development > current (wire §2)."""
    assert has_right(granted, right) is held
