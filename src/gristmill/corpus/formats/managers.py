"""Files with which corpus managers load vertical text.

These are the registry file of Sketch Engine and NoSketch Engine, and a script for the IMS Open Corpus Workbench.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from gristmill.corpus.attributes import DOC_ATTRIBUTES, LOWER_CASED, P_ATTRIBUTES
from gristmill.corpus.formats.dialects import CWB, Dialect

_STRUCTURES = {"doc": tuple(DOC_ATTRIBUTES), "p": tuple(P_ATTRIBUTES), "s": ()}
_UNPACKERS = {".gz": "gzip -dc", ".zst": "zstd -dc"}
"""Commands that decompress a file, by the end of its name."""
_PARTS_OF_SPEECH = (
    "noun,NOUN,proper noun,PROPN,verb,VERB,auxiliary,AUX,adjective,ADJ,adverb,ADV,pronoun,PRON,determiner,DET,"
    "adposition,ADP,conjunction,[CS]CONJ,numeral,NUM,particle,PART,interjection,INTJ,punctuation,PUNCT,symbol,SYM"
)
"""Names of parts of speech and their tags, which the Sketch Engine offers in menus."""


_LEMPOS = "noun,-n,verb,-v,adjective,-j,adverb,-a,pronoun,-d,preposition,-i,conjunction,-c,numeral,-m,other,-x"
"""The same for the letters of `lempos`."""


def companions(path: Path, dialect: Dialect, more: Sequence[str] = ()) -> dict[Path, str]:
    """The file that the dialect's manager needs for the vertical text in `path`, by its path.

    `more` are structures that the text has beside those that it always has.
    """
    structures = {**_STRUCTURES, **dict.fromkeys(more, ())}
    name = path.name.removesuffix(path.suffix) if path.suffix in _UNPACKERS else path.name
    stem = path.with_name(name).with_suffix("")
    if dialect.name == CWB:
        return {Path(f"{stem}.cwb.sh"): _cwb_script(path, stem.name, dialect.columns, structures)}
    return {Path(f"{stem}.registry"): registry(path, stem.name, dialect.columns, structures)}


def registry(
    path: Path,
    name: str,
    columns: Sequence[str],
    structures: Mapping[str, Sequence[str]],
    settings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Configuration of the corpus for Manatee; paths in it are relative, as the folder may go elsewhere.

    `settings` are more settings of the corpus.
    """
    file = shlex.quote(f"./{name}.registry")
    lines = [
        f"# To compile it, in this folder:  compilecorp --no-ske {file}  (or: encodevert -c {file})",
        "# If it goes to the server's registry, give PATH and VERTICAL in full.",
        f"NAME {_quoted(name)}",
        f"PATH {_quoted(f'./{name}.manatee/')}",
        f"VERTICAL {_quoted(_source(path))}",
        'ENCODING "UTF-8"',
        'DEFAULTATTR "word"',
        'DOCSTRUCTURE "doc"',
        'SHORTREF "=doc.host"',
        *(f"{key} {_quoted(value)}" for key, value in settings.items()),
        f"WPOSLIST {_quoted(',' + _PARTS_OF_SPEECH)}",
        f"LPOSLIST {_quoted(',' + _LEMPOS)}",
        "",
        *(f"ATTRIBUTE {attribute}" for attribute in columns),
        *(line for lower, source in LOWER_CASED.items() for line in _lower_case(lower, source)),
        "",
    ]
    for structure, attributes in structures.items():
        inner = "".join(f"    ATTRIBUTE {attribute}\n" for attribute in attributes)
        lines.append(f"STRUCTURE {structure} {{\n{inner}}}" if inner else f"STRUCTURE {structure}")
    lines.append('STRUCTURE g {\n    DISPLAYTAG 0\n    DISPLAYBEGIN "_EMPTY_"\n}')
    return "\n".join(lines) + "\n"


def _source(path: Path) -> str:
    """Where Manatee reads the text: the file, or a command that writes it."""
    unpack = _UNPACKERS.get(path.suffix)
    if not unpack and not _both_quotes(path.name):
        return path.name
    name = re.sub("[^a-zA-Z0-9._-]", "?", path.name) if _both_quotes(path.name) else shlex.quote(path.name)
    return f"| {unpack or 'cat'} {name}"


def _lower_case(name: str, attribute: str) -> list[str]:
    """Lines for an attribute that Manatee makes of another one when the corpus is compiled."""
    settings = (
        "DYNAMIC utf8lowercase",
        "DYNLIB internal",
        'ARG1 "C"',
        "FUNTYPE s",
        f"FROMATTR {attribute}",
        "DYNTYPE index",
        "TRANSQUERY yes",
    )
    return [f"ATTRIBUTE {name} {{", *(f"    {setting}" for setting in settings), "}"]


def _both_quotes(value: str) -> bool:
    return '"' in value and "'" in value


def _quoted(value: str) -> str:
    """Put a value into quotes: there is no escape in a registry, so those of the other kind are put around one."""
    if _both_quotes(value):
        value = value.replace("'", "_")
    return f"'{value}'" if '"' in value else f'"{value}"'


def _cwb_script(path: Path, name: str, columns: Sequence[str], structures: Mapping[str, Sequence[str]]) -> str:
    """Script that encodes and indexes the corpus with CWB.

    `-U ""` keeps empty values empty, and without `-B` and `-C` spaces and control characters stay. `<g/>` has no place
    there and is left out.
    """
    corpus = _corpus_id(name)
    positional = " ".join(f"-P {attribute}" for attribute in columns[1:])
    structural = " ".join(
        f"-S {'+'.join([f'{structure}:0', *attributes])}" for structure, attributes in structures.items()
    )
    file, unpack = f'"$here"/{shlex.quote(path.name)}', _UNPACKERS.get(path.suffix)
    encode = f'cwb-encode -d "$data" -R "$registry/{corpus}" -c utf8 -xs -U "" {positional} {structural} -0 g'
    return f"""#!/bin/sh
# Encodes the corpus for the IMS Open Corpus Workbench:  \
sh {shlex.quote(name)}.cwb.sh [FOLDER FOR ITS DATA [REGISTRY FOLDER]]
# Then:  cqp -e -r REGISTRY -D {corpus.upper()}
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${{1:-"$here"/{shlex.quote(name)}.cwb}}
registry=${{2:-"$data"/registry}}
mkdir -p "$data" "$registry"
{f"{unpack} {file} | {encode}" if unpack else f"{encode} -f {file}"}
cwb-makeall -r "$registry" -V {corpus.upper()}
"""


def _corpus_id(name: str) -> str:
    """Name for the corpus as CWB allows it: letters, digits, `_` and `-`, a letter first."""
    corpus = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")
    return corpus if re.match("[a-z]", corpus) else f"corpus_{corpus}".rstrip("_")
