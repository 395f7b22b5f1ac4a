"""Runs commands that Ctrl+C ends while they read a file, or whose output nobody reads."""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path


def unread(command: Sequence[str]) -> tuple[int, str]:
    """The exit code and stderr of a command whose standard output is closed at its other end."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr


def interrupted(command: Sequence[str], file: Path) -> tuple[int, str, str]:
    """The exit code and output of a command that gets SIGINT while it reads ``file``, a new named pipe."""
    os.mkfifo(file)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        # Waits until the command opens it too.
        writing = os.open(file, os.O_WRONLY)
        try:
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        finally:
            os.close(writing)
    return child.returncode, out, err
