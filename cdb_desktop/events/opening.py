"""Opens files in a thread without losing one to whoever gives up meanwhile. Knows no content."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import IO


async def opened(open_it: Callable[[], IO[bytes]]) -> IO[bytes]:
    """What ``open_it`` opens. Raises OSError; whoever is cancelled leaves no open file behind."""
    opening = asyncio.ensure_future(asyncio.to_thread(open_it))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        with suppress(OSError):
            (await opening).close()
        raise
