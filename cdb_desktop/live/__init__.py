"""Follows the log of a service: polling, accounting for every id, the events of a feed, recording."""
