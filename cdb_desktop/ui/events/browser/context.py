"""What every work of the event browser needs: its view, the service, the rows, tasks, words and notes."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Client
from cdb_desktop.ui.events.browser.rows import Rows
from cdb_desktop.ui.events.browser.unfinished_work import UnfinishedWork
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import DescribeError


class BrowserContext(msgspec.Struct, frozen=True):
    """Handed on as one; ``words`` says in the user's language what has gone wrong.

    ``unfinished`` are the notes on work that a crash would interrupt.
    """

    view: BrowserView
    client: Client
    rows: Rows
    tasks: Tasks
    words: DescribeError
    unfinished: UnfinishedWork
