"""The start page and the dialogs of connections."""
