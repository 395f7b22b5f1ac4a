"""Tests of a real window while something other than the service answers its requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from cdb_desktop.app.options import Options
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.desktop.app.conftest import OpenApp
from tests.desktop.app.services import service
from tests.desktop.patience import until

_PAGE = b"<html><body>Welcome to the guests' network</body></html>"


class _Portal(BaseHTTPRequestHandler):
    """Answers every request with a web page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Writes nothing."""


async def test_rows_stay_while_a_web_page_answers(open_app: OpenApp, tmp_path: Path) -> None:
    """Every part of the window shows the error, and continues when the service is back."""
    with service(tmp_path) as running:
        async with open_app() as app:
            app.controller.start(Options(server=running.url, login="root", password="admin"))
            await until(lambda: app.opened and app.opened[0].events_view.has_rows)
            view, actions = app.opened[0].events_view, app.window.actions_by_name
            running.stop()
            with _portal(running.url):
                live = app.opened[0].live_view

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
            running.start()
            await until(lambda: page.diagram.has_picture, 30)
            assert app.opened[0].live_view.is_following


@contextmanager
def _portal(url: str) -> Iterator[None]:
    port = urlsplit(url).port
    assert port is not None
    server = ThreadingHTTPServer(("127.0.0.1", port), _Portal)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
