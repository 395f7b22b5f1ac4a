"""Tables of events: columns, model, delegate, view and highlighting."""
