"""Says why an action of the event browser cannot be done, as its tooltip and the palette tell it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def obstacle_words(name: str) -> str:
    """What has to be there first; what is not named here takes listed events."""
    return {
        "delete_selected": translate("Obstacles", "Select the events to delete first."),
        "compare": translate("Obstacles", "Select one event or two of them first."),
        "clear_filters": translate("Obstacles", "No filter is set."),
        "show_file": translate("Obstacles", "No file has been written since the start."),
        "query_back": translate("Obstacles", "There were no other filters before."),
        "query_forward": translate("Obstacles", "There are no filters to come back to."),
    }.get(name, translate("Obstacles", "No events are listed."))
