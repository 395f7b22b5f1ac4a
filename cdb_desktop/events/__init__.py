"""What the event browser knows; no Qt and no HTTP."""
