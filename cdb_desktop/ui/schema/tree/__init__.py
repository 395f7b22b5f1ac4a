"""The tree of tables and columns, and its search."""
