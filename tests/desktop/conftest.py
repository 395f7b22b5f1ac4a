"""Fixtures of the desktop's tests: Qt's event loop for tests with a window, appearance and settings."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtWidgets import QApplication

from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.shell.settings.language import use_locale
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.times import choose_zone

_WITH_QT = {"qapp", "qtbot"}

SetLanguage = Callable[[Language], None]
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Returns Qt's loop for coroutines that use Qt, and asyncio's own loop for all others."""
    if _WITH_QT & set(getattr(item, "fixturenames", ())):
        return {"qasync": lambda: qasync.QEventLoop(QApplication.instance() or QApplication([]))}
    return {"asyncio": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _plain_numbers() -> Iterator[None]:
    """Resets the formats of numbers and times, which a test or the machine may have changed."""
    use_locale("en", QLocale.c())
    yield
    use_locale("en", QLocale.c())


@pytest.fixture
def utc() -> Iterator[None]:
    """Shows times in UTC."""
    choose_zone("utc")
    yield
    choose_zone("local")


@pytest.fixture
def set_language() -> SetLanguage:
    """Sets the language for what is created afterwards, until the end of the test."""
    return lambda chosen: use_locale(chosen, QLocale(chosen))


@pytest.fixture
def reports() -> Iterator[list[Report]]:
    """The reports of damaged files in a test."""
    found: list[Report] = []
    end = on_report(found.append)
    found.clear()
    yield found
    end()


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    """Settings for one test."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def appearance(qapp: QApplication, settings: QSettings) -> Iterator[Appearance]:
    """The colors of the light theme."""
    settings.setValue("appearance", "light")
    made = Appearance(qapp, settings)
    yield made
    # Otherwise every later test would also do its work: rings around the focus, changes of colors.
    made.deleteLater()
