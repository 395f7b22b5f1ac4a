"""The server as a process over a long time: killed again and again, written and polled by many at once."""
