"""Universal features as text: how those of a word are written, as in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def written(features: Mapping[str, str]) -> str:
    """Write features in the order of UD, by their names without regard to case: `Case=Gen|Number=Sing`."""
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower))


def gathered(parts: Iterable[str], meanings: Mapping[str, str]) -> dict[str, str]:
    """Gather the features that parts of a tag stand for; of two values for a feature, the first holds.

    `meanings` has them as they are written, several with `|` between them: `{"pii": "Mood=Ind|Tense=Imp"}`.
    """
    found: dict[str, str] = {}
    for part in parts:
        for feature in filter(None, meanings.get(part, "").split("|")):
            name, _, value = feature.partition("=")
            found.setdefault(name, value)
    return found
