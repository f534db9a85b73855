"""Measure de-duplication on one core: time and memory by size, compared with MinHash of text-dedup and datasketch.

Texts of the gold standards are repeated, with their words in other orders, up to the number of words that is asked for;
a fifth of the documents repeat others in part. What is measured is a process of its own on one core, from the shards'
`documents.parquet` to their `duplicates.parquet`; peers get the same texts as JSON lines and are given the time they
take to write what they keep.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from build import MemoryWatch, Run
from dedup_texts import dedup_command_line, gold_texts
from harness import print_table, tell

from gristmill.evaluation.near_duplicates import repeat, write_shards
from gristmill.shards import Shard

_OURS = """
import json, resource, sys
from pathlib import Path
import pyarrow
pyarrow.set_cpu_count(1); pyarrow.set_io_thread_count(1)
from gristmill import dedup
from gristmill.engine.memory import keep_memory
from gristmill.shards import Shard
keep_memory()
method, folder, memory, index = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "index"
shards = tuple(Shard.all_in(folder))
dedup.parse(method).run(dedup.Job(shards, folder / "work", memory=memory, index=folder / "ngrams" if index else None))
"""
_DATASKETCH = """
import json, sys
from datasketch import MinHash, MinHashLSH
lsh = MinHashLSH(threshold=0.7, num_perm=128)
with open(sys.argv[1]) as lines, open(sys.argv[2], "w") as kept:
    for number, line in enumerate(lines):
        words = json.loads(line)["text"].split()
        sketch = MinHash(num_perm=128)
        sketch.update_batch([" ".join(words[at : at + 10]).encode() for at in range(max(len(words) - 9, 1))])
        if not lsh.query(sketch):
            lsh.insert(number, sketch)
            kept.write(line)
"""
_ONE_BY_ONE = _DATASKETCH.replace(
    """sketch.update_batch([" ".join(words[at : at + 10]).encode() for at in range(max(len(words) - 9, 1))])""",
    """for at in range(max(len(words) - 9, 1)):
            sketch.update(" ".join(words[at : at + 10]).encode())""",
)
_TEXT_DEDUP = (
    "--path json --split train --column text --ngram 10 --min_length 1 --num_perm 128 --threshold 0.7 --num_proc 1"
).split()


def on_one_core(command: Sequence[str], folder: Path) -> Run:
    """Run a process, which may use one core only; ends the program if it fails."""
    core = min(os.sched_getaffinity(0))
    start = time.perf_counter()
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdout=errors, stderr=errors, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
        os.sched_setaffinity(process.pid, {core})
        watch = MemoryWatch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command[:4])} ... failed:\n{(folder / 'errors').read_text()[-2000:]}")
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, watch.end())


def write_corpus(texts: list[list[str]], words: int, folder: Path) -> int:
    """A corpus of about so many words, if it is not there; returns how many there are."""
    if not (folder / "complete").exists():
        tell(f"writing {words:,} words")
        write_shards(repeat(texts, words), folder, per_shard=5000)
        (folder / "complete").touch()
    return sum(document.words for shard in Shard.all_in(folder) for document in shard.read_documents(["words"]))


def write_lines(folder: Path, path: Path) -> None:
    """Write the texts of the shards as JSON lines, for the peers."""
    with path.open("w") as lines:
        for shard in Shard.all_in(folder):
            for document in shard.read_documents():
                lines.write(json.dumps({"text": document.text}) + "\n")


def peers(python: str) -> dict[str, list[str]]:
    """The commands of those peers that the interpreter has."""
    text_dedup = [
        python,
        "-m",
        "text_dedup.minhash",
        *_TEXT_DEDUP,
        "--data_files",
        "texts.jsonl",
        "--output",
        "kept",
        "--cache_dir",
        "cache",
    ]
    commands = {
        "datasketch": ("datasketch", [python, "-c", _DATASKETCH, "texts.jsonl", "kept.jsonl"]),
        "datasketch, one by one": ("datasketch", [python, "-c", _ONE_BY_ONE, "texts.jsonl", "kept.jsonl"]),
        "text-dedup": ("text_dedup", text_dedup),
    }
    found = {}
    for name, (module, command) in commands.items():
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            tell(f"{name} is not installed for {python}: left out")
        else:
            found[name] = command
    return found


def main() -> None:
    """Measure and print."""
    parser = dedup_command_line(__doc__ or "")
    parser.add_argument(
        "--words", default="1000000,10000000", metavar="N,N", help="sizes of the corpora (default: 1000000,10000000)"
    )
    parser.add_argument("--memory", type=int, default=1000, metavar="MB", help="bound on memory (default: 1000)")
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="where corpora are made, and used again if they are there (default: nowhere)",
    )
    parser.add_argument(
        "--repeat", type=int, default=2, metavar="N", help="the best of so many runs counts (default: 2)"
    )
    parser.add_argument(
        "--methods", default="onion,minhash", metavar="A,B", help="our methods (default: onion,minhash)"
    )
    parser.add_argument(
        "--peer-python",
        default=sys.executable,
        metavar="PATH",
        help="interpreter that has the peers (default: this one)",
    )
    parser.add_argument(
        "--peer-words",
        type=int,
        default=1_000_000,
        metavar="N",
        help="largest corpus that peers get (default: 1000000)",
    )
    arguments = parser.parse_args()
    texts = gold_texts(arguments)
    commands = peers(arguments.peer_python)
    results = []
    for size in map(int, arguments.words.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            folder = (arguments.folder or Path(temporary)).absolute() / str(size)
            folder.mkdir(parents=True, exist_ok=True)
            words = write_corpus(texts, size, folder)
            ours = [sys.executable, "-c", _OURS]
            bound = str(arguments.memory * 1_000_000)
            todo = {method: [*ours, method, str(folder), bound, "no"] for method in arguments.methods.split(",")}
            if "onion" in todo:
                todo["onion, with index"] = [*ours, "onion", str(folder), bound, "index"]
            if size <= arguments.peer_words and commands:
                write_lines(folder, folder / "texts.jsonl")
                todo |= commands
            taken: dict[str, Run] = {}
            for turn in range(arguments.repeat):
                for program, command in todo.items():
                    tell(f"{words:,} words, run {turn + 1}: {program}")
                    taken[program] = on_one_core(command, folder).best(taken.get(program))
            results += [{"words": words, "program": program, **asdict(best)} for program, best in taken.items()]
    print(json.dumps(results, indent=2)) if arguments.json else _print(results)


def _print(results: list[dict[str, object]]) -> None:
    speeds = {(row["words"], row["program"]): float(str(row["words"])) / float(str(row["seconds"])) for row in results}
    rows = []
    for row in results:
        speed, reference = speeds[row["words"], row["program"]], speeds.get((row["words"], "onion"), float("nan"))
        seconds, cpu, peak = (float(str(row[name])) for name in ("seconds", "cpu_seconds", "peak_memory"))
        rows.append(
            [
                str(row["program"]),
                f"{row['words']:,}",
                f"{seconds:.1f}",
                f"{cpu:.1f}",
                f"{speed / 1e6:.3f}",
                f"{reference / speed:.2f}x",
                f"{peak / 1e6:.0f}",
            ]
        )
    print_table(["program", "words", "seconds", "CPU s", "million words/s", "onion is faster by", "peak MB"], rows)


if __name__ == "__main__":
    main()
