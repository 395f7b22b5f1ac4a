"""Signs in again when the session of a connection has gone: by itself where the password is known, else by a
sheet. All calls that are waiting for a session wait for the same sign-in. Knows no pane."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connect import Connection
from cdb_desktop.app.secrets import Secrets
from cdb_desktop.client import LoginRefusedError, SessionLostError
from cdb_desktop.ui.connection.sign_in_sheet import SignInSheet
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_RENEWAL = "renewal"


class Renewal(QObject):
    """What a client awaits that has lost its session.

    Signals: ``asked`` when the sheet is opened · ``renewed`` with the new Session · ``declined`` when the
    user has closed the sheet · ``resumed`` when somebody is signed in after that · ``left`` when the user
    would rather have no connection.
    """

    asked = Signal()
    renewed = Signal(object)
    declined = Signal()
    resumed = Signal()
    left = Signal()

    def __init__(
        self,
        connection: Connection,
        sheet: SignInSheet,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
        secrets: Secrets,
    ) -> None:
        super().__init__(sheet)
        self._connection = connection
        self._sheet = sheet
        self._tasks = tasks
        self._words = words
        self._secrets = secrets
        self._pending: asyncio.Future[None] | None = None
        self._was_declined = False
        sheet.filled.connect(self._take)
        sheet.declined.connect(self._decline)
        sheet.disconnect_requested.connect(self.left)

    async def __call__(self) -> None:
        """Comes back when somebody is signed in again. Raises SessionLostError, ClientError."""
        if self._was_declined and (self._pending is None or self._pending.done()):
            # Whoever has put it off is not asked by each further call: ``start`` is the way back.
            raise _lost()
        await self._renewed()

    def start(self) -> None:
        """Signs in again although no call waits for it."""
        if self._sheet.isVisible():
            self._sheet.activateWindow()
        else:
            self._tasks.start(f"{_RENEWAL}.asked", self._renewed(), on_error=lambda _error: None)

    async def _renewed(self) -> None:
        if self._pending is None or self._pending.done():
            self._pending = asyncio.get_running_loop().create_future()
            self._tasks.start(_RENEWAL, self._try_remembered(), on_error=self._fail)
        # One call that is given up must not take the sign-in away from the others.
        await asyncio.shield(self._pending)

    async def _try_remembered(self) -> None:
        password = await self._connection.remembered()
        if not password:
            await self._ask()
            return
        try:
            await self._sign_in(password)
        except LoginRefusedError as error:
            await self._ask(self._words(error))

    async def _ask(self, said: Sentence | None = None) -> None:
        self._sheet.ask(said)
        self.asked.emit()
        self._sheet.show_keyring(lasting=await self._secrets.are_lasting())

    def _take(self, password: str, remember: bool) -> None:
        self._sheet.show_busy()
        self._tasks.start(_RENEWAL, self._take_in(password, remember=remember), on_error=self._refuse)

    async def _take_in(self, password: str, *, remember: bool) -> None:
        await self._sign_in(password)
        self._sheet.hide()
        if remember:
            await self._secrets.keep(self._connection.entry.key, password)

    async def _sign_in(self, password: str) -> None:
        connection = self._connection
        session = await connection.client.authenticate(connection.entry.login, password)
        if self._pending is not None and not self._pending.done():
            self._pending.set_result(None)
        self.renewed.emit(session)
        if self._was_declined:
            self._was_declined = False
            self.resumed.emit()

    def _refuse(self, error: Exception) -> None:
        self._sheet.show_failure(self._words(error))

    def _decline(self) -> None:
        self._tasks.cancel(_RENEWAL)
        self._was_declined = True
        self._fail(_lost())
        self.declined.emit()

    def _fail(self, error: Exception) -> None:
        if self._pending is not None and not self._pending.done():
            self._pending.set_exception(error)
            # Every call that waited may have been given up, and then nobody looks at it.
            self._pending.exception()


def _lost() -> SessionLostError:
    return SessionLostError("user", "error.user.not_authenticated", status=400)
