"""Tests of the table of actions."""

from __future__ import annotations

from collections import Counter

import pytest

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """All actions."""
    return Actions(appearance)


def test_no_two_actions_have_the_same_key(actions: Actions) -> None:
    """A key that means two things means nothing."""
    keys = Counter(each.shortcut().toString() for listed in actions.menus().values() for each in listed)
    del keys[""]
    assert keys.most_common(1)[0][1] == 1


def test_tooltips_name_the_key(actions: Actions) -> None:
    """Whoever points at a button learns the faster way."""
    assert actions["refresh"].toolTip() == "Refresh (F5)"


def test_an_action_is_offered_only_with_its_right(actions: Actions) -> None:
    """The schema is for those who may see it (§5.2), and nothing is offered that was not named."""
    actions.offer({"events", "schema"}, lambda _right: False)
    assert actions["events"].isEnabled()
    assert not actions["schema"].isEnabled()
    actions.offer({"schema"}, lambda right: right == "system.datamodel.current")
    assert actions["schema"].isEnabled()
    assert not actions["events"].isEnabled()
