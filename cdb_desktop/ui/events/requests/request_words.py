"""Says of a request what came of it, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.client import Exchange
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.vocabulary.times import clock_time

translate = QCoreApplication.translate


def titles() -> tuple[str, ...]:
    """The titles of the columns."""
    return (
        translate("Requests", "Time"),
        translate("Requests", "Method"),
        translate("Requests", "Result"),
        translate("Requests", "Rows"),
        translate("Requests", "Size"),
        translate("Requests", "Took"),
        translate("Requests", "Address and parameters"),
    )


def cells(exchange: Exchange) -> tuple[str, ...]:
    """What stands in the columns."""
    return (
        clock_time(exchange.started),
        exchange.method,
        outcome_words(exchange),
        "" if exchange.rows is None else number_text(exchange.rows),
        size_words(exchange.size) if exchange.size else "",
        translate("Requests", "%1 ms").replace("%1", number_text(round(exchange.seconds * 1000))),
        address_words(exchange),
    )


def address_words(exchange: Exchange) -> str:
    """Path and parameters, readable and without the token."""
    told = " & ".join(f"{name}={value}" for name, value in exchange.parameters)
    return f"{exchange.path}  {told}".strip()


def outcome_words(exchange: Exchange) -> str:
    """``200``, ``403 error.user.no_system_right``, or why there is no answer."""
    failure = exchange.failure
    reasons = {
        "cancelled": translate("Requests", "given up"),
        "slow": translate("Requests", "no answer in time"),
        "answer": translate("Requests", "not understood"),
    }
    said = reasons.get(failure, failure)
    if failure.startswith("unreachable."):
        said = translate("Requests", "not reached: %1").replace("%1", failure.partition(".")[2])
    return " ".join(part for part in (str(exchange.status or ""), said) if part)


def details_words(exchange: Exchange) -> str:
    """All of it, a line each."""
    lines = [f"{exchange.method} {exchange.path}"]
    lines += [f"  {name} = {value}" for name, value in exchange.parameters]
    if exchange.withheld:
        lines.append(translate("Requests", "The body was not recorded: it is confidential or too large."))
    elif exchange.request.body:
        lines.append(exchange.request.body.decode("utf-8", "replace")[:2000])
    return "\n".join(lines)


def size_words(size: int) -> str:
    """``12.4 kB``."""
    return QLocale().formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
