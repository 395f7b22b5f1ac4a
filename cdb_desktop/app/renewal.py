"""Signs in again when the session of a connection has gone: by itself where the password is known, else by a
sheet. All calls that are waiting for a session wait for the same sign-in. Knows no pane."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connect import Connection
from cdb_desktop.app.secrets import Secrets
from cdb_desktop.client import LoginRefusedError, SessionLostError
from cdb_desktop.ui.connection.sign_in_sheet import SignInSheet
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_RENEWAL, _HOLD = "renewal", "renewal.hold"
_MOST = 3  # sign-ins in a row after which no call is accepted
_OFTEN, _MINUTE = 10, 60.0  # sign-ins within so many seconds, whatever is accepted between them
_PAUSE, _LONGEST = 15.0, 600.0  # seconds until the next sign-in after that


class Renewal(QObject):
    """What a client awaits that has lost its session.

    Signals: ``asked`` when the sheet is opened · ``renewed`` with the new Session · ``declined`` when the
    user has closed the sheet · ``resumed`` when somebody is signed in after that · ``left`` when the user
    would rather have no connection · ``held`` when the service forgets each sign-in, so that the next one
    waits.
    """

    asked = Signal()
    renewed = Signal(object)
    declined = Signal()
    resumed = Signal()
    left = Signal()
    held = Signal()

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
        self._was_declined = self._is_held = False
        self._holds = 0
        self._renewed_at: deque[float] = deque(maxlen=_OFTEN)
        sheet.filled.connect(self._take)
        sheet.declined.connect(self._decline)
        sheet.disconnect_requested.connect(self.left)

    async def __call__(self) -> None:
        """Comes back when somebody is signed in again. Raises SessionLostError, ClientError."""
        is_pending = self._pending is not None and not self._pending.done()
        if (self._was_declined or self._is_held) and not is_pending:
            # Whoever has put it off is not asked by each further call: ``start`` is the way back.
            raise _lost()
        if not is_pending and self._is_storm:
            self._hold()
            raise _lost()
        await self._renewed()

    def start(self) -> None:
        """Signs in again although no call waits for it."""
        self._release()
        self._holds = 0
        if self._sheet.isVisible():
            self._sheet.activateWindow()
        else:
            self._tasks.start(f"{_RENEWAL}.asked", self._renewed(), on_error=lambda _error: None)

    @property
    def _is_storm(self) -> bool:
        """Whether sessions do not last: each is refused at once, or they are many in a short time."""
        unproven = self._connection.client.unproven_sign_ins
        if not unproven:
            self._holds = 0
        times, now = self._renewed_at, time.monotonic()
        is_often = len(times) == _OFTEN and now - times[0] < _MINUTE
        # After a wait one try tells whether it still is.
        return unproven >= (1 if self._holds else _MOST) or is_often

    def _hold(self) -> None:
        """Waits before the next sign-in, longer each time."""
        self._is_held = True
        pause = min(_LONGEST, _PAUSE * 2**self._holds)
        self._holds += 1
        self.held.emit()
        self._tasks.start(_HOLD, self._try_later(pause), on_error=lambda _error: None)

    async def _try_later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._is_held = False
        self._renewed_at.clear()
        await self._renewed()

    def _release(self) -> None:
        if self._is_held:
            self._is_held = False
            self._renewed_at.clear()
            self._tasks.cancel(_HOLD)

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
        self._renewed_at.append(time.monotonic())
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
