"""Runs the examples of the client's documentation against the reference server."""

import asyncio
import doctest
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from cdb_desktop.client import Client, EventFilter
from tests.server import both_generations

_ROOT = Path(__file__).resolve().parents[3]


@both_generations
def test_documented_example(reference_servers: Callable[[int], str], generation: int) -> None:
    """The example in the documentation of Client works as documented."""
    names = {
        "Client": Client,
        "EventFilter": EventFilter,
        "asyncio": asyncio,
        "date": date,
        "url": reference_servers(generation),
    }
    (example,) = doctest.DocTestFinder(recurse=False).find(Client, "Client", globs=names)
    outcome = doctest.DocTestRunner().run(example)
    assert (outcome.attempted, outcome.failed) == (2, 0)


def test_example_of_the_readme(reference_server: str) -> None:
    """The program in the desktop's README prints the three newest events."""
    text = (_ROOT / "cdb_desktop" / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    adapted, number = re.subn(r'"http://[\d.]+:\d+"', repr(reference_server), program)
    assert number == 1
    command = [sys.executable, "-c", adapted]
    output = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"(?:\d+ \d{4}-\d\d-\d\d .+ [A-Z_]+ .+\n){3}", output)
