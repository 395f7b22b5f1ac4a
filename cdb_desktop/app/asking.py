"""Brings the sheet of a connection together with what is remembered; opens no connection itself."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.app.connect import probe
from cdb_desktop.app.memory import Memory
from cdb_desktop.client import AnswerError, LoginRefusedError, SlowAnswerError, UnreachableError
from cdb_desktop.ui.connection.connection_sheet import ConnectionSheet
from cdb_desktop.ui.connection.entry import Entry, Filled
from cdb_desktop.ui.connection.phrases import answer_of
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Words

_TEST, _LOOK, _FORGET = "asking.test", "asking.look", "asking.forget"
_OF_ADDRESS = (UnreachableError, SlowAnswerError, AnswerError)


class Asking(QObject):
    """Signals: ``filled`` with a Filled that is to be connected · ``given_up`` when that is to end ·
    ``forgotten`` when an entry is remembered no longer.
    """

    filled = Signal(object)
    given_up = Signal()
    forgotten = Signal()

    def __init__(self, sheet: ConnectionSheet, memory: Memory, tasks: Tasks, words: Words) -> None:
        super().__init__(sheet)
        self._sheet = sheet
        self._memory = memory
        self._tasks = tasks
        self._words = words
        sheet.connect_requested.connect(self._connect)
        sheet.test_requested.connect(self._test)
        sheet.chosen.connect(self.ask)
        sheet.forgotten.connect(self.forget)
        sheet.given_up.connect(self._give_up)

    @property
    def is_open(self) -> bool:
        """Whether the sheet is there to take what went wrong."""
        return self._sheet.isVisible()

    def begin(self) -> None:
        """Asks for a connection that is not known yet."""
        self.ask(Entry(""))

    def ask(self, entry: Entry) -> None:
        """Asks for what is missing to open ``entry``, and for its password unless that is remembered."""
        self._open(entry)
        self._tasks.start(_LOOK, self._look(entry))

    def refuse(self, entry: Entry, error: Exception) -> None:
        """Says at its field why ``entry`` could not be opened."""
        if not self.is_open:
            self._open(entry)
        self._sheet.show_failure(place_of(error), self._words(error))

    def finish(self) -> None:
        """The connection is there."""
        self._sheet.hide()

    def forget(self, entry: Entry) -> None:
        """Remembers an entry no longer."""
        self._memory.known.forget(entry)
        self._tasks.start(f"{_FORGET}.{entry.key}", self._memory.secrets.forget(entry.key))
        self._sheet.show_entries(self._memory.known.entries)
        self.forgotten.emit()

    def _open(self, entry: Entry) -> None:
        if not self.is_open:
            self._sheet.show_entries(self._memory.known.entries)
        self._sheet.ask(entry)

    async def _look(self, entry: Entry) -> None:
        form, secrets = self._sheet.form, self._memory.secrets
        form.show_keyring(lasting=await secrets.are_lasting())
        kept = bool(entry.login and await secrets.password(entry.key))
        if form.filled.entry.key == entry.key:
            form.show_kept(kept=kept)

    def _connect(self, filled: Filled) -> None:
        told = QCoreApplication.translate("Connection", "Signing in at %1…")
        self._sheet.show_busy(told.replace("%1", filled.entry.address))
        self.filled.emit(filled)

    def _test(self, filled: Filled) -> None:
        self._sheet.show_busy(QCoreApplication.translate("Connection", "Testing the connection…"))
        failed = partial(self.refuse, filled.entry)
        self._tasks.start(_TEST, self._probe(filled), on_error=failed)

    async def _probe(self, filled: Filled) -> None:
        password = filled.password or await self._memory.secrets.password(filled.entry.key)
        self._sheet.show_outcome(answer_of(await probe(filled.entry, password)))

    def _give_up(self) -> None:
        self._tasks.cancel(_TEST)
        self.given_up.emit()


def place_of(error: Exception) -> str:
    """The field that an error is about: ``address``, ``password`` or none."""
    if isinstance(error, LoginRefusedError):
        return "password"
    return "address" if isinstance(error, _OF_ADDRESS) else ""
