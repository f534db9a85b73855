"""Concordances: hits filtered, sampled, sorted, counted by any attribute, and shown with the text around them."""
