"""A window without a connection on the X server, and a hand that works while the loop goes on."""

from __future__ import annotations

from tests.desktop.app.conftest import demo, keys, open_app
from tests.desktop.conftest import appearance, pytest_asyncio_loop_factories, settings
from tests.pointer.events.conftest import hand

__all__ = ["appearance", "demo", "hand", "keys", "open_app", "pytest_asyncio_loop_factories", "settings"]
