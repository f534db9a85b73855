"""De-duplication by duplicate n-grams, block by block, in bounded memory."""
