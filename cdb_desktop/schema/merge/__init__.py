"""Three-way merge of documents by the ids of their elements."""
