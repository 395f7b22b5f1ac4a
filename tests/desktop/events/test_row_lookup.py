"""Tests of finding the row of an event by its id."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Event
from cdb_desktop.events.known_values import KnownValues
from cdb_desktop.events.row_lookup import find_row

IDS = [one for one in range(1, 3_000) if one % 3]


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_in_few_steps(descending: bool) -> None:
    """Also where it would stand when it is not there; where ids lie evenly, two or three are enough."""
    rows = IDS[::-1] if descending else IDS
    asked: list[int] = []

    async def probe(row: int) -> int | None:
        asked.append(row)
        return rows[row] if row < len(rows) else None

    async def row_of(wanted: int) -> int:
        return await find_row(probe, len(rows), wanted, descending=descending)

    assert [await row_of(rows[place]) for place in (0, 777, len(rows) - 1)] == [0, 777, len(rows) - 1]
    assert len(asked) <= 3 * 3
    assert rows[await row_of(1_500)] == (1_499 if descending else 1_501)
    assert await row_of(-1 if descending else 10_000) == len(rows)


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_where_ids_say_nothing_about_rows(descending: bool) -> None:
    """As many events are old as are new, and nearly all ids in between are missing."""
    ids = [*range(1, 2_000), *range(900_000, 902_000), 5_000_000, 9_000_000]
    rows = ids[::-1] if descending else ids
    asked: list[int] = []

    async def probe(row: int) -> int | None:
        asked.append(row)
        return rows[row] if row < len(rows) else None

    for place in (0, 1, 1_500, 2_500, len(rows) - 1):
        asked.clear()
        assert await find_row(probe, len(rows), rows[place], descending=descending) == place
        assert len(asked) <= 4 * 12


def test_users_are_known_by_name_as_soon_as_a_row_has_named_them() -> None:
    """Until then by number; types that nobody knew are offered as well."""
    seen = KnownValues()
    assert seen.user_name(3) == "#3"
    seen.add([Event(id=1, type="PLUGIN_EVENT", basetype="thing", user_id=3, user_displayname="Anna")])
    assert (seen.user_name(3), seen.users) == ("Anna", [(3, "Anna")])
    assert {"PLUGIN_EVENT", "OBJECT_UPDATE"} <= set(seen.types)
    assert {"thing", "user"} <= set(seen.base_types)
