"""What the parts of a page say, worked out from the documents that the API answers with: templates only print it."""
