"""The server as a process: serving, TLS, workers, logging, user administration commands."""
