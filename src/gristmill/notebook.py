"""Tables in notebooks."""
