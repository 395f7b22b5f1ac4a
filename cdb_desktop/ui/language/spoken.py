"""The language of now, for whoever fetches texts that are not Qt's."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from cdb_desktop.foundation.i18n import Language


def spoken() -> Language:
    """The language in which the window speaks; numbers and words always change together."""
    return "de" if QLocale().language() == QLocale.Language.German else "en"
