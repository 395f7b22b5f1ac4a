"""Has a narrative told by a process of its own, so that telling and writing share the work; knows no part.

Parts come through a pipe. What is not written yet waits in the narrator, which holds no more than a few.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from os import _exit
from queue import Queue
from threading import Thread

from server_stub.demo.narrative import Commission, Ending, Part, narrative

# A day of a million events is told at once and then written, while the next one is told.
_WAITING_PARTS = 16


class NarratorLostError(Exception):
    """The process that tells the narrative ended before its end."""


@contextmanager
def narrated_apart(commission: Commission) -> Iterator[Iterator[Part]]:
    """The parts of the narrative; its process ends with the block, and by itself when this one is killed.

    Taking the next part may raise NarratorLostError.
    """
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    narrator = context.Process(target=_narrate, args=(commission, sender), name="narrator", daemon=True)
    with receiver:
        with sender, _deaf_to_interrupts():
            narrator.start()
        try:
            yield _parts(receiver, narrator)
        finally:
            narrator.kill()
            narrator.join()


def _parts(receiver: Connection, narrator: BaseProcess) -> Iterator[Part]:
    part: Part | None = None
    while not isinstance(part, Ending):
        try:
            part = receiver.recv()
        except (EOFError, OSError):  # Between two parts, or within one.
            narrator.join()
            raise NarratorLostError(
                f"The demo was not made: the process that tells its history ended with {narrator.exitcode}."
            ) from None
        yield part


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process that begins meanwhile never hears of Ctrl+C, which its parent alone answers."""
    if sys.platform == "win32":
        yield
        return
    # It is started with the first process, and would have the signals heard again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _narrate(commission: Commission, sender: Connection) -> None:
    """The narrator's whole life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What it makes refers to nothing that refers back, so that searching for circles is in vain.
    gc.disable()
    waiting: Queue[bytes | None] = Queue(_WAITING_PARTS)
    sending = Thread(target=_send, args=(waiting, sender), name="sending")
    sending.start()
    try:
        for part in narrative(commission):
            waiting.put(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))
    finally:
        waiting.put(None)
        sending.join()


def _send(waiting: Queue[bytes | None], sender: Connection) -> None:
    try:
        while (part := waiting.get()) is not None:
            sender.send_bytes(part)
    except OSError:
        # Nobody listens any more, and there is nothing here to be kept.
        _exit(0)
