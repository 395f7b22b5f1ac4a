"""Runs blocking functions on threads that do not delay the end of the program.

For calls that may block without limit, such as a keyring, ``dot`` or a certificate's host. Work that must be
complete before the program ends, such as writing a file, uses `asyncio.to_thread`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


async def run_in_thread(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Calls ``function`` on a new daemon thread. Returns its result, or raises its exception.

    ``function`` must not use QObjects such as widgets. It runs to its end even if the awaiting task is
    cancelled; at the end of the program it is abandoned.
    """
    future: Future[Result] = Future()
    # The awaiting task may be cancelled; the thread resolves the future all the same.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # raised again in the awaiting task
            future.set_exception(error)

    threading.Thread(target=run, name="run_in_thread", daemon=True).start()
    return await asyncio.wrap_future(future)
