"""What a program that starts the server writes to its standard input: a log-in; its end stops the server."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

import msgspec

_LONGEST_LINE = 4096


class LoginMissingError(Exception):
    """The first line of standard input is no log-in; the text never quotes it."""


class Login(msgspec.Struct, frozen=True):
    """A name with its password, good for as long as the program that made them up runs."""

    login: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.login!r})"


def read_login() -> Login:
    """Reads the log-in on the first line, ``{"login": …, "password": …}``. Raises LoginMissingError."""
    try:
        given = msgspec.json.decode(sys.stdin.buffer.readline(_LONGEST_LINE), type=Login)
    except msgspec.DecodeError:
        given = Login("", "")
    if not (given.login and given.password):
        # From None, like the text: the cause would quote what was given.
        raise LoginMissingError(
            'The first line of standard input is no log-in; expected is {"login": "…", "password": "…"}.'
        )
    return given


def when_input_closes(act: Callable[[], object]) -> None:
    """Calls ``act`` in a separate thread as soon as standard input ends."""

    source = sys.stdin.fileno()

    def wait() -> None:
        # Not through the buffer, whose lock this thread would hold when the process ends.
        while os.read(source, 4096):
            pass
        act()

    threading.Thread(target=wait, name="stdin", daemon=True).start()
