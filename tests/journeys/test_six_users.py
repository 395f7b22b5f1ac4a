"""Story: users of the demo have the actions of their rights, and disabled ones name the missing right."""

import pytest

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import parse_options
from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.desktop.patience import until
from tests.journeys.steps import rows_are_loaded
from tests.journeys.visit import Visit, visiting

SEE, DELETE = "system.api.event.get", "system.api.event.delete"
DEVELOP, COMMIT = "system.datamodel.development", "system.datamodel.commit"
# The rights that actions require (§5.2); commit includes development (wire §2).
MAY = {
    "root": {SEE, DELETE, DEVELOP, COMMIT},
    "steward": {SEE, DELETE},
    "modeller": {DEVELOP},
    "viewer": set(),
}


@pytest.mark.parametrize("login", MAY)
async def test_disabled_actions_name_the_missing_right(
    folders: UserFolders, reference_server: str, login: str
) -> None:
    """On both pages; an empty page names it too."""
    environment = {"CDB_PASSWORD": "admin" if login == "root" else login}
    given = parse_options(["--server", reference_server, "--login", login], environment)
    async with visiting(folders, given) as visit:
        visit.act("events")
        await _look_at_events(visit, may_see=SEE in MAY[login])
        _look_at_actions(visit, MAY[login])
        visit.act("schema")
        await until(lambda: visit.schema.diagram.has_picture)
        assert (DEVELOP in visit.schema.header.note) == (DEVELOP not in MAY[login])
        _look_at_actions(visit, MAY[login])
        await until(lambda: visit.live.is_following)


async def _look_at_events(visit: Visit, *, may_see: bool) -> None:
    view = visit.events
    add = view.filter_bar.chip(QueryPart.TYPE)
    assert add.isEnabled() == may_see
    assert (SEE in add.toolTip()) != may_see
    if may_see:
        await until(lambda: view.has_rows and rows_are_loaded(visit))
        # Groups come from the session; rows do not contain them.
        assert any(not name.startswith("#") for _number, name in view.seen.groups)
        return
    await until(view.empty_page.isVisible)
    picture = view.empty_page.findChild(EmptyState)
    assert isinstance(picture, EmptyState)
    assert SEE in picture.text


def _look_at_actions(visit: Visit, may: set[str]) -> None:
    actions = visit.window.actions_by_name
    guarded = {name: actions.spec(name).right for name in actions if actions.spec(name).right}
    assert set(guarded.values()) == {SEE, DELETE, DEVELOP, COMMIT}
    for name, right in guarded.items():
        assert (f"Requires the right {right}." in actions[name].toolTip()) == (right not in may), name
        assert right in may or not actions[name].isEnabled(), name
