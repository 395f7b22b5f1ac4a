"""Ends a worker process whose supervisor is gone; knows neither of them."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import parent_process


def end_with_the_supervisor() -> None:
    """From now on; one that was killed could not tell its workers, and they would hold the port for ever."""
    supervisor = parent_process()
    if supervisor is None:
        return

    def wait() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="supervisor", daemon=True).start()
