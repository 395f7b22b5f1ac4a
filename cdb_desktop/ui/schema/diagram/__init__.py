"""The diagram of tables and links."""
