"""Exchange with other tools: DBML, SQL definitions and Mermaid, with a report of what has no counterpart."""
