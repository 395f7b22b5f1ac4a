"""All Qt code: the window, its pages, and the widgets that they share."""
