"""The event browser: one package per feature, combined by `controller` and `view`."""
