"""How numbers are put into words, in messages and on pages."""


def plural(number: int, noun: str) -> str:
    """A number of things: `1 page`, `2,000 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
