"""Tests of modules that are loaded when they are first used."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cdb_desktop.foundation.lazy import lazy

NAME = "slow_to_load"
SOURCE = "answer = 42\n"


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that has not been loaded."""
    tmp_path.joinpath(f"{NAME}.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield lazy(NAME)
    del sys.modules[NAME]


def test_it_is_loaded_on_first_use(slow: ModuleType) -> None:
    """Until then it is only registered; an import elsewhere returns the same module."""
    assert sys.modules[NAME] is slow
    assert type(slow) is not ModuleType
    assert slow.answer == 42
    assert type(slow) is ModuleType
    assert lazy(NAME) is slow


def test_a_missing_module_is_reported_at_once() -> None:
    """The import fails, not the first use."""
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        lazy("no_such_module")
