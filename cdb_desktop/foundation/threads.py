"""Runs blocking functions on threads that do not delay the end of the program.

For calls that may block without limit, such as a keyring, ``dot`` or a certificate's host. Work that must be
complete before the program ends, such as writing a file, uses `asyncio.to_thread`.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import ParamSpec, Protocol, TypeVar

_PROGRESS_INTERVAL = 0.1  # seconds between two reports
_running: set[threading.Thread] = set()


class Closable(Protocol):
    """What is to be closed, such as a file."""

    def close(self) -> object: ...


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Opened = TypeVar("Opened", bound=Closable)


class _WorkCancelledError(Exception):
    """The call that this work belongs to has been cancelled."""


class Permit:
    """For a step of a thread that cannot be undone: either the thread takes it, or the user withdraws it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_taken = self._is_withdrawn = False

    def take(self) -> None:
        """Called by the thread before the step; raises an exception if the permit was withdrawn."""
        with self._lock:
            if self._is_withdrawn:
                raise _WorkCancelledError
            self._is_taken = True

    def withdraw(self) -> bool:
        """Returns whether that was in time: then the step is not taken."""
        with self._lock:
            self._is_withdrawn = not self._is_taken
            return self._is_withdrawn


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
        finally:
            _running.discard(thread)

    thread = threading.Thread(target=run, name="run_in_thread", daemon=True)
    _running.add(thread)
    thread.start()
    return await asyncio.wrap_future(future)


def wait_for_threads(seconds: float) -> bool:
    """Waits at most ``seconds`` for all threads of `run_in_thread`, and returns whether they have ended."""
    end = time.monotonic() + seconds
    for thread in tuple(_running):
        thread.join(max(0.0, end - time.monotonic()))
    return not any(thread.is_alive() for thread in tuple(_running))


async def run_with_progress(
    work: Callable[[Callable[[float], None]], Result], on_progress: Callable[[float], None]
) -> Result:
    """Calls ``work`` like `run_in_thread`, with a function that takes the part that is done, from 0 to 1.

    ``on_progress`` gets these values in the event loop, at most ten in a second. Once this call is cancelled,
    the function raises an exception, so that ``work`` ends.
    """
    loop = asyncio.get_running_loop()
    is_cancelled = threading.Event()
    reported = 0.0

    def report(done: float) -> None:
        nonlocal reported
        if is_cancelled.is_set():
            raise _WorkCancelledError
        now = time.monotonic()
        if now - reported >= _PROGRESS_INTERVAL:
            reported = now
            loop.call_soon_threadsafe(on_progress, min(done, 1.0))

    try:
        return await run_in_thread(work, report)
    finally:
        is_cancelled.set()


async def open_in_thread(open_it: Callable[[], Opened]) -> Opened:
    """Calls ``open_it`` with `asyncio.to_thread`, and returns what it has opened. Raises OSError.

    If this call is cancelled meanwhile, it waits for the thread and closes what that has opened.
    """
    opening = asyncio.ensure_future(asyncio.to_thread(open_it))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        with suppress(OSError):
            await asyncio.to_thread((await opening).close)
        raise
