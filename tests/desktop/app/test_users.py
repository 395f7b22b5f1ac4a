"""Tests that each user of the demo finds what is allowed, and reads which right is missing for the rest."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from cdb_desktop.app.options import Options
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.patience import until

EVENTS, CHANGE, COMMIT = "system.api.event.get", "system.datamodel.development", "system.datamodel.commit"
# An action of each right, and the right.
ACTIONS = {"filter": EVENTS, "schema_save": CHANGE, "schema_commit": COMMIT}
USERS = {
    "root": {EVENTS, CHANGE, COMMIT},
    "support": {EVENTS},
    "steward": {EVENTS},
    "modeller": {CHANGE},
    "releaser": {CHANGE, COMMIT},
    "viewer": set(),
}


@pytest.mark.parametrize("login", USERS)
async def test_a_user_is_offered_what_the_rights_allow(
    take_seat: Take, reference_server: str, login: str
) -> None:
    """The tooltip of what is not offered names the right (§5.2)."""
    async with take_seat() as seat:
        await _open(seat, reference_server, login)
        actions = seat.window.actions_by_name
        told = {
            name: f"Requires the right {right}." in actions[name].toolTip() for name, right in ACTIONS.items()
        }
        assert told == {name: right not in USERS[login] for name, right in ACTIONS.items()}


async def test_who_may_not_list_events_reads_why(take_seat: Take, reference_server: str) -> None:
    """On the page itself, while the live feed is there for everybody (§5.3)."""
    async with take_seat() as seat:
        await _open(seat, reference_server, "viewer")
        view = seat.opened[0].events_view
        await until(lambda: any(EVENTS in label.text() for label in view.findChildren(QLabel)))
        await until(lambda: seat.window.status.latency.endswith("ms"))


async def _open(seat: Seat, url: str, login: str) -> None:
    password = "admin" if login == "root" else login
    seat.door.begin(Options(server=url, login=login, password=password))
    await until(lambda: seat.opened)
