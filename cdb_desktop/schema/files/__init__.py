"""Model files, and what is kept on this machine: arrangements, drafts, sides of conflicts."""
