"""A window without a connection on the X server, and a pointer for coroutines."""

from tests.desktop.app.conftest import demo, keys, open_app
from tests.desktop.conftest import appearance, pytest_asyncio_loop_factories, settings
from tests.pointer.events.conftest import async_pointer

__all__ = [
    "appearance",
    "async_pointer",
    "demo",
    "keys",
    "open_app",
    "pytest_asyncio_loop_factories",
    "settings",
]
