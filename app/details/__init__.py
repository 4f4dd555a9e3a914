"""Points and configs whole, as the documents that pages print and the API sends."""
