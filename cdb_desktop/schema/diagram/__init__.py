"""The diagram of a schema as values: boxes, edges, their arrangement, Graphviz, and export as DOT."""
