"""Pages from documents of word processors, e-books and PDF files, as simple HTML with their structure."""
