"""Remembers how and where somebody exported the last time, from one start to the next. Writes no export."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QSettings

from cdb_desktop.events.export.options import ExportOptions, invalid_option
from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.ui.widgets.settings import set_value_aside

_WISH, _FOLDER = "events/export/options", "events/export/folder"


def export_folder(settings: QSettings) -> LastFolder:
    """Where exports of every form go."""
    return LastFolder(settings, _FOLDER)


def kept_wish(settings: QSettings, shown: tuple[str, ...]) -> ExportOptions:
    """Form and options of the last time; the usual ones where those cannot be read or cannot be.

    Columns are those ``shown`` now, unless all fields were wished for.
    """
    usual = ExportOptions(columns=shown)
    if not settings.contains(_WISH):
        return usual
    try:
        wish = msgspec.json.decode(str(settings.value(_WISH)), type=ExportOptions)
    except DAMAGE as error:
        set_value_aside(settings, _WISH, error)
        return usual
    return usual if invalid_option(wish) else replace(wish, columns=shown if wish.columns else ())


def keep_wish(settings: QSettings, wish: ExportOptions) -> None:
    """Keeps them for the next time."""
    settings.setValue(_WISH, msgspec.json.encode(wish).decode())
