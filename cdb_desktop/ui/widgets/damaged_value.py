"""Sets single values of the settings aside whose content is not what the program has written."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from cdb_desktop.foundation.files import set_aside, write_whole

_log = logging.getLogger(__name__)


def set_value_aside(settings: QSettings, key: str, reason: BaseException | str) -> None:
    """Removes a value and keeps it in a damaged file beside the settings, which is reported."""
    value = settings.value(key)
    content = value.data() if isinstance(value, QByteArray) else str(value).encode("utf-8", "surrogateescape")
    settings_file = Path(settings.fileName())
    path = settings_file.with_name(f"{settings_file.name}.{key.replace('/', '.')}")
    try:
        write_whole(path, bytes(content))
    except OSError as error:
        _log.warning("%s of the settings is damaged and cannot be set aside: %s", key, error)
        return
    set_aside(path, reason)
    settings.remove(key)
