"""Runs the example of the client's documentation against the reference server."""

from __future__ import annotations

import asyncio
import doctest
from datetime import date

from cdb_desktop.client import Client, EventFilter


def test_documented_example(reference_server: str) -> None:
    """What the documentation of Client shows is what happens."""
    names = {
        "Client": Client,
        "EventFilter": EventFilter,
        "asyncio": asyncio,
        "date": date,
        "url": reference_server,
    }
    (example,) = doctest.DocTestFinder(recurse=False).find(Client, "Client", globs=names)
    outcome = doctest.DocTestRunner().run(example)
    assert (outcome.attempted, outcome.failed) == (2, 0)
