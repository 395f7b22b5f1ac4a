"""Everything that is Qt: the frame, the panes and what they share; it decides nothing that a room decides."""
