"""The embedded reference server: the whole interface of the contract on a real database."""
