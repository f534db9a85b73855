"""What can be asked of a corpus, or done to one: each operation is declared once, in a file of this folder.

Commands, methods of `Corpus`, the API with its schema, the reference in the docs and tools for assistants are made of
the declarations. `declaration` says what an operation is; `gristmill.catalogue` finds all without importing them.
"""
