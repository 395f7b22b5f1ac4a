"""The program ends cleanly, and restarts in another language."""
