"""Takes over differences of files and of other connections, after they were chosen one by one."""
