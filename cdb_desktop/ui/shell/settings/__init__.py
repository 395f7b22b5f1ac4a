"""The pane of choices that are kept, of the program's folders, and of what it is made of."""
