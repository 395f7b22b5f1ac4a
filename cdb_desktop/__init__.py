"""The Qt application; knows the reference server only as a child process."""
