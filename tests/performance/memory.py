"""Private memory of a process, without pages of mapped files."""

import os
import re
import threading
from pathlib import Path

_ANONYMOUS = re.compile(r"^RssAnon:\s+(\d+) kB", re.MULTILINE)
_SAMPLE_SECONDS = 0.1


class Memory:
    """Watches a process and records the maximum of its private memory in MB."""

    def __init__(self, process: int | None = None) -> None:
        """``process`` is a process id, by default that of this process."""
        self._process = os.getpid() if process is None else process
        self._stopped = threading.Event()
        self.most = 0.0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Stops watching; returns the maximum."""
        self._stopped.set()
        self._thread.join()
        return self.most

    def _watch(self) -> None:
        while True:
            self.most = max(self.most, own_memory(self._process))
            if self._stopped.wait(_SAMPLE_SECONDS):
                return


def own_memory(process: int | None = None) -> float:
    """The private memory of a process in MB, 0 if it has ended; ``process`` as above."""
    status = Path(f"/proc/{os.getpid() if process is None else process}/status")
    found = _ANONYMOUS.search(status.read_text("utf-8"))
    return int(found[1]) / 1024 if found else 0.0
