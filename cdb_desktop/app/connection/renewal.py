"""Signs in again when a session is lost: with stored secrets, or by asking in a dialog.

All calls that wait for a session wait for the same sign-in.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.browser import BrowserSignIn
from cdb_desktop.app.connection.connect import Connection
from cdb_desktop.app.connection.passwords import PasswordStore, Secrets
from cdb_desktop.client import LoginRefusedError, Session, SessionLostError
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

if TYPE_CHECKING:
    from cdb_desktop.ui.connection.dialogs import SignInDialog

_RENEWAL, _DELAYED = "renewal", "renewal.delayed"
_MAX_UNPROVEN = 3  # sign-ins in a row after which no call is accepted
_MAX_RENEWALS, _WINDOW = 10, 60.0  # sign-ins within so many seconds, even if calls were accepted
_DELAY, _MAX_DELAY = 15.0, 600.0  # seconds until the next sign-in after that


class SessionRenewal(QObject):
    """The callable that a client awaits when its session is lost.

    Signals: ``password_requested`` when the dialog is opened · ``renewed`` with the new Session ·
    ``declined`` when the user has closed the dialog · ``resumed`` with the first sign-in after that ·
    ``disconnect_requested`` when the user ends the connection instead · ``delayed`` when sessions do not
    last, so that the next sign-in waits.
    """

    password_requested = Signal()
    renewed = Signal(object)
    declined = Signal()
    resumed = Signal()
    disconnect_requested = Signal()
    delayed = Signal()

    def __init__(
        self,
        connection: Connection,
        dialog: SignInDialog,
        tasks: Tasks,
        passwords: PasswordStore,
        browser: BrowserSignIn,
    ) -> None:
        super().__init__(dialog)
        self._connection = connection
        self._dialog = dialog
        self._tasks = tasks
        self._passwords = passwords
        self._pending: asyncio.Future[None] | None = None
        self._was_declined = self._is_delayed = False
        self._delays = 0
        self._renewed_at: deque[float] = deque(maxlen=_MAX_RENEWALS)
        dialog.submitted.connect(self._submit)
        dialog.browser_requested.connect(browser.open)
        dialog.copy_requested.connect(browser.copy)
        browser.waiting.connect(dialog.show_waiting)
        dialog.declined.connect(self._decline)
        dialog.disconnect_requested.connect(self.disconnect_requested)

    async def __call__(self) -> None:
        """Returns when the client is signed in again. Raises SessionLostError or ClientError."""
        is_pending = self._pending is not None and not self._pending.done()
        if (self._was_declined or self._is_delayed) and not is_pending:
            # Further calls do not open the dialog again; ``start`` does.
            raise _lost()
        if not is_pending and self._is_unstable:
            self._delay()
            raise _lost()
        await self._renewed()

    def start(self) -> None:
        """Signs in again on request of the user, without a waiting call."""
        self._end_delay()
        self._delays = 0
        if self._dialog.isVisible():
            self._dialog.activateWindow()
        else:
            self._tasks.start(f"{_RENEWAL}.asked", self._renewed(), on_error=lambda _error: None)

    @property
    def _is_unstable(self) -> bool:
        """Whether sessions do not last: each is refused at once, or too many are needed in a short time."""
        unproven = self._connection.client.unproven_sign_ins
        if not unproven:
            self._delays = 0
        times, now = self._renewed_at, time.monotonic()
        is_often = len(times) == _MAX_RENEWALS and now - times[0] < _WINDOW
        # After a delay one attempt is enough to see whether that still holds.
        return unproven >= (1 if self._delays else _MAX_UNPROVEN) or is_often

    def _delay(self) -> None:
        """Waits before the next sign-in, each time twice as long."""
        self._is_delayed = True
        delay = min(_MAX_DELAY, _DELAY * 2**self._delays)
        self._delays += 1
        self.delayed.emit()
        self._tasks.start(_DELAYED, self._retry_after(delay), on_error=lambda _error: None)

    async def _retry_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._is_delayed = False
        self._renewed_at.clear()
        await self._renewed()

    def _end_delay(self) -> None:
        if self._is_delayed:
            self._is_delayed = False
            self._renewed_at.clear()
            self._tasks.cancel(_DELAYED)

    async def _renewed(self) -> None:
        if self._pending is None or self._pending.done():
            self._pending = asyncio.get_running_loop().create_future()
            self._tasks.start(_RENEWAL, self._sign_in_or_ask(), on_error=self._fail)
        # A call that is cancelled must not cancel the sign-in for the others.
        await asyncio.shield(self._pending)

    async def _sign_in_or_ask(self) -> None:
        secrets = await self._connection.remembered()
        if not secrets.suffice:
            await self._ask()
            return
        try:
            self._take(await self._connection.sign_in(secrets))
        except LoginRefusedError as error:
            await self._ask(error_message(error))

    async def _ask(self, failure: ErrorMessage | None = None) -> None:
        self._dialog.ask(failure)
        self.password_requested.emit()
        self._dialog.show_keyring(lasting=await self._passwords.are_lasting())

    def _submit(self, password: str, remember: bool) -> None:
        self._dialog.show_busy()
        self._tasks.start(
            _RENEWAL, self._sign_in_with(password, remember=remember), on_error=self._show_failure
        )

    async def _sign_in_with(self, password: str, *, remember: bool) -> None:
        connection = self._connection
        if connection.browser is not None:
            self._take(await connection.browser())
        else:
            self._take(await connection.sign_in(Secrets(password)))
        self._dialog.hide()
        if remember and password:
            await self._passwords.keep(connection.profile.key, password)

    def _take(self, session: Session) -> None:
        self._renewed_at.append(time.monotonic())
        if self._pending is not None and not self._pending.done():
            self._pending.set_result(None)
        self.renewed.emit(session)
        if self._was_declined:
            self._was_declined = False
            self.resumed.emit()

    def _show_failure(self, error: Exception) -> None:
        self._dialog.show_failure(error_message(error))

    def _decline(self) -> None:
        self._tasks.cancel(_RENEWAL)
        self._was_declined = True
        self._fail(_lost())
        self.declined.emit()

    def _fail(self, error: Exception) -> None:
        if self._pending is not None and not self._pending.done():
            self._pending.set_exception(error)
            # Retrieved, in case all calls that waited have been cancelled.
            self._pending.exception()


def _lost() -> SessionLostError:
    return SessionLostError("user", "error.user.not_authenticated", status=400)
