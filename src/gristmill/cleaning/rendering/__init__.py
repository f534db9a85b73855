"""Where the blocks of a page stand and how they look: from a browser (`rendered`), or estimated (`estimated`)."""
