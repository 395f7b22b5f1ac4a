"""Speed of the event browser."""
