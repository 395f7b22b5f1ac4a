"""What of a schema the diagram shows: hiding, focus, paths, named views and the search."""
