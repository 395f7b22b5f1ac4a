"""Finds out why an answer does not come: it is held until something happens, or nobody is there. No Qt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from cdb_desktop.client import AnswerError, Client, ClientError, SlowAnswerError, UnreachableError

_HELD = 2.0  # seconds after which an answer counts as late
_PATIENCE = 5.0  # seconds for the other call


class Probe:
    """A block within which an answer is awaited.

    A service that holds a request answers other calls meanwhile; one that stands still answers none.
    """

    def __init__(
        self, client: Client, held: Callable[[], None], silent: Callable[[ClientError], None]
    ) -> None:
        self._client = client
        self._held = held
        self._silent = silent
        self._late: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._late = asyncio.get_running_loop().call_later(_HELD, self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._late is not None:
            self._late.cancel()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
            self._asking = None

    def _begin(self) -> None:
        self._asking = asyncio.get_running_loop().create_task(self._ask(), name="live.probe")

    async def _ask(self) -> None:
        try:
            # It takes no session, so that an expired one is not renewed on the way.
            async with asyncio.timeout(_PATIENCE):
                await self._client.settings()
        except (TimeoutError, SlowAnswerError, UnreachableError):
            self._silent(SlowAnswerError(_HELD + _PATIENCE))
        except AnswerError:
            pass  # it is not the service that answers, or not in a way that tells anything
        except ClientError:
            self._held()  # a refusal is an answer
        else:
            self._held()


def is_late(seconds: float) -> bool:
    """Whether an answer that took so long was held, or came late."""
    return seconds >= _HELD
