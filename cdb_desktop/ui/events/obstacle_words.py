"""Says why an action of the event browser cannot be done, as its tooltip and the palette tell it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def obstacle_words(name: str) -> str:
    """What has to be there first; what is not named here takes listed events."""
    return {
        "delete_selected": translate("Obstacles", "Select the events to delete first."),
        "compare": translate("Obstacles", "Select one or two events first."),
        "clear_filters": translate("Obstacles", "No filter is set."),
        "show_file": translate("Obstacles", "No file has been written since the program started."),
        "query_back": translate("Obstacles", "There are no earlier filters."),
        "query_forward": translate("Obstacles", "There are no later filters."),
    }.get(name, translate("Obstacles", "No events are listed."))
