"""Tests of the schema page against the reference server."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.sentences import sentence
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance) -> SchemaView:
    """The page, on the screen."""
    view = SchemaView(appearance, Actions(appearance))
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    return view


async def test_the_diagram_of_the_working_version_is_drawn(view: SchemaView, sign_in: SignIn) -> None:
    """It is asked for once and stays."""
    async with sign_in() as client, Tasks(_raise) as tasks:
        controller = SchemaController(view, client, tasks, sentence)
        controller.load_once()
        assert [work.title for work in tasks.running] == ["Drawing the schema"]
        await until(lambda: view.diagram.has_picture)
        assert view.diagram.isVisible()
        controller.load_once()
        assert tasks.running == ()


def _raise(error: Exception) -> None:
    raise error
