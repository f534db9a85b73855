"""Convert documents of word processors, e-books and PDF files to simple HTML pages, which are then cleaned as others.

`reading.py` is the entrance; each format is a file: `docx.py`, `odt.py`, `epub.py`, `pdf.py`.
"""
