"""The HTTP server that shows deviating services, and the data that they serve."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server_stub.http.services import Services
from tests.contract.transports import Stage
from tests.server_stub.conformance.deviating_service import demo_services


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """An HTTP server on a free port."""
    with Stage().opened() as opened:
        yield opened


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """The services of a reference server on demo data of its own."""
    with demo_services(tmp_path) as made:
        yield made
