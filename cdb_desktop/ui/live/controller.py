"""Brings the watch over the service's log and the feed's view together; polls nothing itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Client, Session
from cdb_desktop.live.link import Link
from cdb_desktop.live.reports import Anew, Arrived, Away, Back, Gap, Held, Lost, Report, Stopped, Trying
from cdb_desktop.live.watch import Watch
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_POLL = "live.poll"


class LiveController(QObject):
    """The way of new events from the service to the feed.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when the service does not answer ·
    ``returned`` with the first answer after that · ``sign_in_requested`` when the session is lost and the
    user wants another one; ``renew`` takes it.
    """

    answered = Signal(float)
    away = Signal()
    returned = Signal()
    sign_in_requested = Signal()

    def __init__(
        self,
        view: LiveView,
        client: Client,
        session: Session,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        self._words = words
        self._watch = Watch(client, session, self._report)
        self._link = Link()
        self._said: Callable[[], Sentence] | None = None
        view.try_requested.connect(self.try_now)
        view.sign_in_requested.connect(self.sign_in_requested)

    def load(self) -> None:
        """Fills the feed with what happened last and follows from there."""
        self._tasks.start(_POLL, self._watch.run(), on_error=self._broken)

    def try_now(self) -> None:
        """Asks the service without waiting any longer, and again where asking had ended."""
        if self._tasks.is_running(_POLL):
            self._watch.try_now()
        else:
            self._show(Link(answered=self._link.answered))
            self.load()

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client; rows, filters and place are kept."""
        self._watch.renew(session)
        self._show(Link(answered=self._link.answered))
        self.load()

    def _report(self, report: Report) -> None:
        match report:
            case Arrived():
                self._arrived(report)
            case Held():
                self._show(replace(self._link, phase="open"))
            case Away(error, wait):
                due = time.monotonic() + wait
                self._show(replace(self._link, phase="waiting", due=due), error)
                self.away.emit()
            case Trying():
                self._show_again(replace(self._link, phase="trying"))
            case Back():
                self.returned.emit()
            case Gap():
                self._view.notices.tell_gap(report)
            case Anew(last_id):
                self._view.model.feed.begin_anew()
                self._view.notices.tell_anew(last_id)
            case Lost(error):
                self._show(replace(self._link, phase="lost"), error)
            case Stopped(error):
                self._show(replace(self._link, phase="stopped"), error)

    def _arrived(self, arrived: Arrived) -> None:
        is_polled = arrived.batch.way == "poll"
        self._view.add(arrived.batch.events, is_new=is_polled)
        if is_polled:
            self._show(Link("open", answered=time.monotonic()))
        if arrived.milliseconds is not None:
            self.answered.emit(arrived.milliseconds)

    def _show(self, link: Link, error: Exception | None = None) -> None:
        self._said = partial(self._words, error) if error else None
        self._show_again(link)

    def _show_again(self, link: Link) -> None:
        self._link = link
        self._view.show_link(link, self._said)

    def _broken(self, error: Exception) -> None:
        self._show(replace(self._link, phase="stopped"), error)
        raise error
