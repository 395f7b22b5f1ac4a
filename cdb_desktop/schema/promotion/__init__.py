"""Takes over chosen differences of another model into HEAD, also of another service with other ids."""
