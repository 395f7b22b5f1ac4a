"""Tests of finding the row of an event by its id."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Event
from cdb_desktop.events.row_lookup import find_row
from cdb_desktop.queries.known_values import KnownValues

IDS = [one for one in range(1, 3_000) if one % 3]


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_in_few_steps(descending: bool) -> None:
    """A missing id has the row where it would be; evenly distributed ids take two or three steps."""
    rows = IDS[::-1] if descending else IDS
    probed: list[int] = []

    async def probe(row: int) -> int | None:
        probed.append(row)
        return rows[row] if row < len(rows) else None

    async def row_of(event_id: int) -> int:
        return await find_row(probe, len(rows), event_id, descending=descending)

    assert [await row_of(rows[place]) for place in (0, 777, len(rows) - 1)] == [0, 777, len(rows) - 1]
    assert len(probed) <= 3 * 3
    assert rows[await row_of(1_500)] == (1_499 if descending else 1_501)
    assert await row_of(-1 if descending else 10_000) == len(rows)


@pytest.mark.parametrize("descending", [True, False])
async def test_an_id_is_found_among_unevenly_distributed_ids(descending: bool) -> None:
    """Half of the events are old and half are new, and nearly all ids between are missing."""
    ids = [*range(1, 2_000), *range(900_000, 902_000), 5_000_000, 9_000_000]
    rows = ids[::-1] if descending else ids
    probed: list[int] = []

    async def probe(row: int) -> int | None:
        probed.append(row)
        return rows[row] if row < len(rows) else None

    for place in (0, 1, 1_500, 2_500, len(rows) - 1):
        probed.clear()
        assert await find_row(probe, len(rows), rows[place], descending=descending) == place
        assert len(probed) <= 4 * 12


def test_users_are_known_by_name_after_a_row_has_named_them() -> None:
    """Before that they are known by id; unknown types are offered as well."""
    known = KnownValues()
    assert known.user_name(3) == "#3"
    known.add([Event(id=1, type="PLUGIN_EVENT", basetype="thing", user_id=3, user_displayname="Anna")])
    assert (known.user_name(3), known.users) == ("Anna", [(3, "Anna")])
    assert {"PLUGIN_EVENT", "OBJECT_UPDATE"} <= set(known.types)
    assert {"thing", "user"} <= set(known.base_types)
