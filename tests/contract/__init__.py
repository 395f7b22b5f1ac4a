"""The contract's tables as cases, each run in process and over a real socket."""
