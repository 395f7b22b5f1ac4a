"""The event browser with a real pointer and keyboard."""
