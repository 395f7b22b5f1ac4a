"""Long tests of the server as a process: repeated kills, concurrent writers and pollers."""
