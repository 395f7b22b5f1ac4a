"""What a commit of HEAD does to the tables: its plan, its preview and its execution."""
