"""Two ways to see the whole table of actions: a search that runs them, and a sheet of their keys."""
