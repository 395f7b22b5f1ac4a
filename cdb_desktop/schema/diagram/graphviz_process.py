"""Runs Graphviz as a child process that ends when its task is cancelled."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from cdb_desktop.foundation.bundle import helper_command
from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_values import ReasonError

TIME_LIMIT = 10.0  # seconds
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows opens one for every child otherwise
# Said by a `dot` of systems that package the layouts apart, such as Debian 14: `nop2` belongs to neato's.
_NO_LAYOUT = "Missing layout plugins"
_HELPER = "cdb_desktop.schema.diagram.graphviz_helper"


class GraphvizError(ReasonError):
    """Graphviz failed; ``message`` is the reason."""


@dataclass(frozen=True, slots=True)
class Graphviz:
    """A program that takes Graphviz's arguments, DOT on its standard input, and answers on the output.

    Where it lacks a layout, the Graphviz inside pygraphviz takes over.
    """

    command: tuple[str, ...]

    async def run(self, arguments: Sequence[str], source: str, seconds: float | None = None) -> bytes:
        """The output for DOT ``source``. Raises GraphvizError, also after ``seconds``, else `TIME_LIMIT`."""
        limit = TIME_LIMIT if seconds is None else seconds
        try:
            async with asyncio.timeout(limit):
                return await self._run(arguments, source)
        except TimeoutError as error:
            raise GraphvizError(
                message("Graphviz took more than {seconds} seconds.", seconds=int(limit))
            ) from error
        except OSError as error:
            reason = message("Graphviz could not be started: {reason}.", reason=str(error))
            raise GraphvizError(reason) from error

    async def _run(self, arguments: Sequence[str], source: str) -> bytes:
        pipe = asyncio.subprocess.PIPE
        child = await asyncio.create_subprocess_exec(
            *self.command,
            *arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            creationflags=_NO_CONSOLE,
            start_new_session=True,
        )
        try:
            output, complaints = await child.communicate(source.encode())
        finally:
            if child.returncode is None:
                _kill(child)
                await child.wait()
        if child.returncode != 0 or not output:
            last = complaints.decode(errors="replace").strip().splitlines()[-1:]
            text = " ".join(last) or str(child.returncode)
            inside = Graphviz(helper_command(_HELPER))
            if _NO_LAYOUT in text and self != inside:
                return await inside._run(arguments, source)
            raise GraphvizError(message("Graphviz failed: {reason}.", reason=text))
        return output


def _kill(child: asyncio.subprocess.Process) -> None:
    """Kills a child with its own children: `dot` may be a script, and what it runs would keep the pipes."""
    if sys.platform == "win32":
        child.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def find_graphviz(dot: str | None = None) -> Graphviz:
    """The program ``dot``, else the ``dot`` of the system, else the Graphviz inside pygraphviz."""
    program = dot or shutil.which("dot")
    if program is not None:
        return Graphviz((program,))
    return built_in_graphviz()


def built_in_graphviz() -> Graphviz:
    """The Graphviz inside pygraphviz."""
    return Graphviz(helper_command(_HELPER))
