"""The event browser: one package per feature; `controller` and `view` put them together."""
