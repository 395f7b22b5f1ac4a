"""What the live pane knows; no Qt and no HTTP."""
