"""A server of its own for each test, with a copy of one museum."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from tests.chaos import Chaos, chaos_of
from tests.desktop.ui.schema.service import Service, service


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a museum, created once."""
    file = tmp_path_factory.mktemp("museum") / "demo.sqlite"
    with service(file, "--demo", "--demo-events", "10"):
        return file


@pytest.fixture
def own(museum: Path, tmp_path: Path) -> Iterator[Service]:
    """A server with its own copy of the museum."""
    file = tmp_path / "museum.sqlite"
    for part in museum.parent.glob("demo.sqlite*"):
        copyfile(part, tmp_path / part.name.replace("demo", "museum"))
    with service(file, "--chaos", "off") as running:
        yield running


@pytest.fixture
def own_chaos(own: Service) -> Iterator[Chaos]:
    """The faults of that server."""
    with chaos_of(own.url) as chaos:
        yield chaos
