"""What can be done from the keyboard or a menu, for every pane; knows none."""

from cdb_desktop.ui.actions.actions import Actions
from cdb_desktop.ui.actions.spec import key_of, plain

__all__ = ["Actions", "key_of", "plain"]
