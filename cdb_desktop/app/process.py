"""What is set once per process: handlers of signals, exceptions and Qt's messages, and garbage collection."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import cast

from PySide6.QtCore import (
    QMessageLogContext,
    QMimeData,
    QObject,
    QProcess,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication
from shiboken6 import createdByPython

_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_YOUNG_MS = 500
_ALL_MS = 60_000
# Work on large models makes so many objects in 500 ms that collecting them at once would be noticed.
_CHECK_MS, _MANY = 50, 10_000

# Logged by platforms without a window manager for every window that has a minimum size.
_HARMLESS = "This plugin does not support propagateSizeHints()"
_IO_ERROR_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_handlers: list[object] = []  # Xlib has only their addresses


def end_on_signals(end: Callable[[], None]) -> None:
    """Calls ``end`` in the event loop when the process receives SIGINT or SIGTERM."""
    loop = asyncio.get_running_loop()
    for number in _END_SIGNALS:
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(end))


def on_lost_display(end: Callable[[], object]) -> None:
    """Calls ``end``, which must not return, when Xlib finds that the X server is gone.

    It would end the process with a message of its own. Where Qt finds it first, Qt quits the event loop.
    """
    if QGuiApplication.platformName() != "xcb":
        return
    try:
        xlib = ctypes.CDLL("libX11.so.6")
    except OSError:
        return
    xlib.XSetIOErrorHandler.restype = ctypes.c_void_p
    handler = _IO_ERROR_HANDLER(lambda _display: end())
    xlib.XSetIOErrorHandler(handler)
    _handlers.append(handler)


def release_clipboard() -> None:
    """Replaces an object of ours on the clipboard by its text, unless the platform shares it with programs.

    Without other programs Qt keeps it in static data, which are deleted after Python has ended.
    """
    clipboard = QGuiApplication.clipboard()
    content = cast("QMimeData | None", clipboard.mimeData())
    if content is not None and createdByPython(content) and not clipboard.ownsClipboard():
        clipboard.setText(content.text())


def start_again(arguments: Sequence[str]) -> None:
    """Starts this program with other arguments, in place of this process where the system can do that.

    Everything must have been closed. Returns only on Windows, where the new program is another process.
    """
    command = _command(arguments)
    logging.shutdown()
    sys.stdout.flush()
    if os.name == "nt":
        QProcess.startDetached(command[0], command[1:])
    else:
        os.execv(command[0], command)  # noqa: S606


def start_demo(action: str) -> None:
    """Starts another instance of this program with the demo, which begins with an action."""
    command = _command(("--demo", f"--show={action}"))
    QProcess.startDetached(command[0], command[1:])


def _command(arguments: Sequence[str]) -> list[str]:
    interpreter = sys.orig_argv[1 : 1 + len(sys.orig_argv) - len(sys.argv)]
    return [sys.executable, *interpreter, *arguments]


def report_unhandled(report: Callable[[Exception], None]) -> None:
    """Calls ``report`` with exceptions of slots and of the loop's callbacks, which Qt would only print."""

    def from_slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            report(error)
        else:
            sys.__excepthook__(kind, error, trace)

    def from_loop(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            report(error)
        else:
            loop.default_exception_handler(context)

    sys.excepthook = from_slot
    asyncio.get_running_loop().set_exception_handler(from_loop)


def log_qt_messages() -> None:
    """Logs Qt's messages with the logger ``qt``."""
    levels = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
        QtMsgType.QtCriticalMsg: logging.ERROR,
        QtMsgType.QtFatalMsg: logging.CRITICAL,
    }
    log = logging.getLogger("qt")

    def take(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if message != _HARMLESS:
            log.log(levels[kind], "%s", message)

    qInstallMessageHandler(take)


class GarbageCollector(QObject):
    """Collects reference cycles on the GUI thread, in place of Python's automatic collection.

    That runs on whichever thread happens to allocate, and cycles that hold Qt objects crash the program when
    they are collected on another thread than theirs.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # Existing objects are modules, which are never collected: later collections can skip them.
        gc.freeze()
        self._timers = (
            self._every(_YOUNG_MS, lambda: gc.collect(1)),
            self._every(_CHECK_MS, _collect_many),
            self._every(_ALL_MS, gc.collect),
        )

    def stop(self) -> None:
        """Ends collection. While a window is destroyed, Qt may still call what would have been cleared."""
        for timer in self._timers:
            timer.stop()

    def _every(self, milliseconds: int, collect: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.timeout.connect(collect)
        timer.start(milliseconds)
        return timer


def _collect_many() -> None:
    """Collects young objects if there are many."""
    if gc.get_count()[0] > _MANY:
        gc.collect(1)
