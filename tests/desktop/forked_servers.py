"""Forks the servers that the desktop embeds off a process that has loaded their modules."""

import subprocess
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import pytest

from cdb_desktop.embedded import child, server
from tests.server_process import ServerProcess


def _forked(command: Sequence[str], *, env: Mapping[str, str], **_pipes: object) -> ServerProcess:
    return ServerProcess(_arguments(command), subprocess.PIPE, env, "b")


def _finished(
    command: Sequence[str], *, env: Mapping[str, str], **_: object
) -> subprocess.CompletedProcess[bytes]:
    with ServerProcess(_arguments(command), subprocess.PIPE, env) as process:
        out, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode or 0, out.encode(), errors.encode())


def _arguments(command: Sequence[str]) -> Sequence[str]:
    program = child.server_program()
    assert tuple(command[: len(program)]) == program
    return command[len(program) :]


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the place of `subprocess` where they are started; `tests/desktop/embedded` starts real ones."""
    names = {"PIPE": subprocess.PIPE, "TimeoutExpired": subprocess.TimeoutExpired}
    for module in (child, server):
        monkeypatch.setattr(module, "subprocess", SimpleNamespace(Popen=_forked, run=_finished, **names))
