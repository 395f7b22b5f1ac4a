"""Signs in in the system's browser."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication

from cdb_desktop.client import (
    Authorization,
    BrowserTexts,
    Client,
    OAuthClient,
    Session,
    SignInError,
    authorization,
)
from cdb_desktop.foundation.i18n import tr

_PATIENCE = 600.0  # seconds for the sign-in


class BrowserSignIn(QObject):
    """Opens the browser and waits for it, also for several sign-ins: the last one is opened again.

    Signals: ``waiting`` with the redirect address and whether a browser could be opened, while the user signs
    in there · ``finished`` afterwards.
    """

    waiting = Signal(str, bool)
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._attempts: list[Authorization] = []

    async def __call__(self, client: Client, oauth: OAuthClient) -> Session:
        """Signs ``client`` in. Raises SignInError or another ClientError."""
        try:
            async with authorization(await client.endpoints(), oauth, _texts()) as attempt:
                self._attempts.append(attempt)
                try:
                    self.open()
                    async with asyncio.timeout(_PATIENCE):
                        code = await attempt.code()
                except TimeoutError:
                    raise SignInError("no_answer", value=attempt.redirect) from None
                finally:
                    self._attempts.remove(attempt)
                return await client.redeem(code, attempt.redirect, attempt.verifier)
        finally:
            self.finished.emit()

    def open(self) -> None:
        """Opens the browser, also once more if its window was closed."""
        for attempt in self._attempts[-1:]:
            self.waiting.emit(attempt.redirect, QDesktopServices.openUrl(QUrl(attempt.url)))

    def copy(self) -> None:
        """Copies the address to the clipboard, for another browser on this computer."""
        for attempt in self._attempts[-1:]:
            QGuiApplication.clipboard().setText(attempt.url)


def _texts() -> BrowserTexts:
    return BrowserTexts(
        tr("CDB Desktop"),
        tr("You are signed in. Close this page and continue in CDB Desktop."),
        tr("The sign-in has failed. CDB Desktop says why."),
        tr("This page is only for the sign-in that CDB Desktop has started."),
    )
