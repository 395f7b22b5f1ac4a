"""The rows of the event browser: table, columns, order, loading, jumps and copies."""
