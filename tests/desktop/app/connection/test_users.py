"""Tests that the demo users can use the allowed actions, and that tooltips name missing rights."""

import pytest
from PySide6.QtWidgets import QLabel

from cdb_desktop.app.options import Options
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until

EVENTS, CHANGE, COMMIT = "system.api.event.get", "system.datamodel.development", "system.datamodel.commit"
# An action for each right.
ACTIONS = {"filter": EVENTS, "schema_save": CHANGE, "schema_commit": COMMIT}
USERS = {
    "support": {EVENTS},
    "modeller": {CHANGE},
    "releaser": {CHANGE, COMMIT},
    "viewer": set(),
}


@pytest.mark.parametrize("login", USERS)
async def test_the_rights_of_a_user_determine_the_enabled_actions(
    open_app: OpenApp, reference_server: str, login: str
) -> None:
    """The tooltip of a disabled action names the missing right (§5.2)."""
    async with open_app() as app:
        await _open(app, reference_server, login)
        actions = app.window.actions_by_name
        named = {
            name: f"Requires the right {right}." in actions[name].toolTip() for name, right in ACTIONS.items()
        }
        assert named == {name: right not in USERS[login] for name, right in ACTIONS.items()}


async def test_the_page_shows_which_right_is_missing(open_app: OpenApp, reference_server: str) -> None:
    """The reason is on the page; the live feed is available without the right (§5.3)."""
    async with open_app() as app:
        await _open(app, reference_server, "viewer")
        view = app.opened[0].events_view
        await until(lambda: any(EVENTS in label.text() for label in view.findChildren(QLabel)))
        await until(lambda: app.window.status.latency.endswith("ms"))


async def _open(app: AppWindow, url: str, login: str) -> None:
    app.controller.start(Options(server=url, login=login, password=login))
    await until(lambda: app.opened)
