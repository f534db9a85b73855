"""Models of languages in their encodings: for each pair of both the byte triples and their frequencies.

`training.py` makes them, `detector.py` uses them, and a user's folder may add some.
"""

from __future__ import annotations

import functools
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gristmill.arrays.ragged import starts_of
from gristmill.decoding import labels
from gristmill.decoding.triples import Keys
from gristmill.errors import UsageError
from gristmill.shards import write_atomically

SHIPPED = Path(__file__).with_name("models") / "encodings.npz"
SUFFIX = ".encoding.npz"
"""The suffix of files of a user's own models, after the code of the language."""
ASCII = "ASCII"
"""The name in place of an encoding for a language's ASCII triples, which are the same in all encodings."""
_STEPS_PER_UNIT = 12  # of the logarithms as which frequencies are stored


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Some languages in some encodings, as a ragged array: the triples of all pairs, one pair after the other.

    For two pairs, the first with two triples and the second with three:

        pairs = (("cs", "windows-1250"), ("cs", "ISO-8859-2")), starts = [0, 2, 5], keys and levels have 5 items
    """

    pairs: tuple[tuple[str, str], ...]
    """Language and encoding."""
    starts: npt.NDArray[np.int64]
    """The indexes at which the triples of each pair begin, and then the end of the last ones."""
    keys: Keys
    """Triples as packed numbers (`triples.pack`), ascending within a pair."""
    levels: npt.NDArray[np.uint8]
    """The frequency of each triple, as a negative logarithm in steps."""

    @classmethod
    def of(cls, lang: str, encoding: str, keys: Keys, frequencies: npt.NDArray[np.float64]) -> Model:
        """Make a model of one language in one encoding."""
        levels = np.minimum(np.rint(-np.log(frequencies) * _STEPS_PER_UNIT), 255).astype(np.uint8)
        return cls(((lang, encoding),), np.array([0, len(keys)], np.int64), keys.astype(np.uint32), levels)

    @classmethod
    def join(cls, models: Sequence[Model]) -> Model:
        """Join models; of a pair that is in several, the last one counts."""
        parts = {pair: (model, number) for model in models for number, pair in enumerate(model.pairs)}
        slices = [(model, slice(model.starts[number], model.starts[number + 1])) for model, number in parts.values()]
        lengths = [part.stop - part.start for _, part in slices]
        return cls(
            tuple(parts),
            starts_of(np.array(lengths, np.int64)),
            np.concatenate([model.keys[part] for model, part in slices]),
            np.concatenate([model.levels[part] for model, part in slices]),
        )

    @property
    def frequencies(self) -> npt.NDArray[np.float32]:
        """The relative frequency of each triple in its pair."""
        return self.frequencies_of(slice(None))

    def frequencies_of(self, part: slice) -> npt.NDArray[np.float32]:
        """The relative frequencies of some triples, each in its pair."""
        return np.exp(self.levels[part].astype(np.float32) / -_STEPS_PER_UNIT)

    def save(self, path: Path) -> Path:
        """Write to a file; the same model gives the same bytes."""
        # Differences of the ascending keys are small numbers. Stored by byte, first the lowest bytes of all, then the
        # next ones, they compress to half the size: [1, 3, 260] becomes the rows [1 2 1], [0 0 1], [0 0 0], [0 0 0].
        steps = np.diff(self.keys, prepend=np.uint32(0)).view(np.uint8).reshape(-1, 4).T
        names = np.frombuffer(json.dumps(self.pairs).encode(), np.uint8)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, names=names, starts=self.starts, steps=steps, levels=self.levels)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, buffer.getvalue())
        return path

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model that `save` has written; raises UsageError if the file is something else."""
        try:
            with path.open("rb") as stream, np.load(stream) as file:
                pairs = tuple((lang, encoding) for lang, encoding in json.loads(file["names"].tobytes()))
                keys = np.cumsum(np.ascontiguousarray(file["steps"].T).view(np.uint32).ravel(), dtype=np.uint32)
                model = cls(pairs, file["starts"], keys, file["levels"])
        except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} is not a model of encodings, as `gristmill train encoding` makes them") from error
        if not model.is_sound():
            raise UsageError(
                f"{path} is a model of encodings with errors: make it anew with `gristmill train encoding`"
            )
        return model

    def is_sound(self) -> bool:
        """Whether the arrays fit together and the encodings are known."""
        return (
            len(self.starts) == len(self.pairs) + 1
            and self.starts[0] == 0
            and self.starts[-1] == len(self.keys) == len(self.levels)
            and bool((np.diff(self.starts) >= 0).all())
            and all(encoding == ASCII or labels.is_known(encoding) for _, encoding in self.pairs)
        )


@functools.cache
def shipped() -> Model:
    """The models that come with gristmill."""
    return Model.load(SHIPPED)
