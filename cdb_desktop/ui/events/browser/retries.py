"""Repeats calls of the event browser that failed in a way that may pass.

How long to wait between two tries is decided by the back-off of the connection (cdb_desktop.client.backoff):
a call that is repeated waits in it. A client without a back-off is asked once a second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    ServerError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
)
from cdb_desktop.client.backoff import may_pass

PASSING = (UnreachableError, SlowAnswerError, ServerError)  # the service is away or fails for the moment
REPEATED = (*PASSING, AnswerError)  # also the page of a portal or gateway in place of an answer
_AWAY = (UnreachableError, SlowAnswerError)

_PAUSE = 1.0  # seconds between two tries where the connection has no back-off
_TRIES, _PATIENCE = 7, 30.0  # a call is given up after so many tries and seconds, whichever comes later

Answer = TypeVar("Answer")


def no_words() -> None:
    """Tells nobody that the service is waited for."""


async def patiently(
    client: Client,
    ask: Callable[[], Awaitable[Answer]],
    waits: Callable[[], None] = no_words,
    *,
    endless: bool = False,
) -> Answer:
    """Returns what ``ask`` returns and repeats it while the service fails. Raises ClientError.

    Only for calls that may be repeated. ``waits`` is called after each failure. ``endless``: as long as the
    service is away; one that answers with errors of its own is given up like any other.
    """
    started, tries = time.monotonic(), 0
    while True:
        try:
            return await ask()
        except REPEATED as error:
            tries += 1
            is_over = tries >= _TRIES and time.monotonic() - started >= _PATIENCE
            if not _is_passing(error) or (is_over and not (endless and _is_away(error))):
                raise
        waits()
        await pause(client)


def is_repeatable(error: ClientError) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, TooLargeError):
        return False  # the connection backs off, but the same rows would be as large again
    return isinstance(error, SlowAnswerError) or may_pass(error)


def _is_passing(error: ClientError) -> bool:
    """Whether the call is to be repeated before anybody is told: an answer of the service itself is told."""
    return is_repeatable(error) and (not isinstance(error, AnswerError) or error.is_web_page)


def _is_away(error: ClientError) -> bool:
    """Whether the service was not reached: nothing has answered, or the page of a portal or gateway has."""
    return isinstance(error, _AWAY) or (isinstance(error, AnswerError) and error.is_web_page)


async def pause(client: Client) -> None:
    """Waits where the connection has no back-off that the next call waits in."""
    await asyncio.sleep(0 if client.pause else _PAUSE)
