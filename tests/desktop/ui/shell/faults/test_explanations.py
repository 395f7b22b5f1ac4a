"""Every fault of the reference server has a name and an explanation in both languages."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from cdb_desktop.client import Fault
from cdb_desktop.ui.shell.faults.explanations import FAULT_TEXTS, fault_text
from cdb_desktop.ui.shell.settings.language import use_locale
from server_stub.http.chaos import FAULTS


def test_all_faults_are_explained() -> None:
    """There are texts for exactly the faults of the server, in its order."""
    assert list(FAULT_TEXTS) == list(FAULTS)


def test_texts_differ_and_are_translated() -> None:
    """No two faults have the same title; the German texts are others."""
    english = [fault_text(Fault(name=name)) for name in FAULTS]
    use_locale("de", QLocale("de_DE"))
    german = [fault_text(Fault(name=name)) for name in FAULTS]
    for texts in (english, german):
        assert len({title for title, _ in texts}) == len(FAULTS)
        assert all(text.endswith(".") and not title.endswith(".") for title, text in texts)
    assert not set(english) & set(german)


def test_a_fault_of_a_newer_server() -> None:
    """It is shown in the server's own words."""
    assert fault_text(Fault(name="new-fault", meaning="Something new.")) == ("new-fault", "Something new.")
