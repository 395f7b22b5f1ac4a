"""Tests of a real window while something other than the service answers its requests."""

from cdb_desktop.app.options import Options
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.chaos import Chaos
from tests.desktop.app.conftest import OpenApp
from tests.desktop.patience import until


async def test_rows_stay_while_a_web_page_answers(
    open_app: OpenApp, reference_server: str, chaos: Chaos
) -> None:
    """Every part of the window shows the error, and continues when the service is back."""
    async with open_app() as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened and app.opened[0].events_view.has_rows)
        view, actions = app.opened[0].events_view, app.window.actions_by_name
        live = app.opened[0].live_view
        chaos.inject({"fault": "web-page"})

        def is_not_understood() -> bool:
            # After failures the connection waits for up to half a minute, which this ends.
            live.signals.retry_requested.emit()
            return "not understood" in live.strip.status

        await until(is_not_understood)
        actions["refresh"].trigger()
        await until(lambda: view.count.text.startswith("Not refreshed: Answer not understood"))
        assert view.has_rows
        actions["schema"].setChecked(True)
        page = app.opened[0].schema.view
        picture = page.findChild(EmptyState)
        assert isinstance(picture, EmptyState)
        await until(lambda: "a web page instead of JSON" in picture.text)
        assert picture.step == "Try again"
        chaos.end()
        await until(lambda: page.diagram.has_picture, 30)
        await until(lambda: live.is_following, 30)
