"""The Qt application; runs the reference server as a child process."""
