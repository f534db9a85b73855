"""Train `mill` on what was judged, in a process of its own that a server starts, watches and cancels.

There is one at a time for a corpus: it holds a lock, and tells in `models/training.json` how far it is. The model gets
its name when it is whole. The process ends when the server that started it does, however that ends.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gristmill import locks
from gristmill.corpus import CorpusReader
from gristmill.corpus.links import check_links
from gristmill.errors import GristmillError, UsageError
from gristmill.judgements.blocks.gold import Choice, gold_pages
from gristmill.judgements.blocks.store import BlockStore
from gristmill.leases import BusyError, in_turn, is_leased
from gristmill.progress import Advance
from gristmill.shapes import misfit
from gristmill.shards import write_atomically

MODELS = "models"
"""The folder of a corpus for models that were trained on its pages."""
SUFFIX = ".mill"
MIN_PAGES = 2
_MAX_LOOK_SECONDS = 2.0
_LOCK, _STATE, _CANCEL, _LOG = "training.lock", "training.json", "training.cancel", "training.log"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_MAX_START_SECONDS = 20.0
_MAX_END_SECONDS = 5.0
_WATCH_SECONDS = 0.2
_SHAPE = {
    **{f"{name}?": str for name in ("run", "name", "state", "message", "folds_of")},
    **{f"{name}?": int for name in ("step", "steps", "pages")},
    **{f"{name}?": float for name in ("started", "ended", "before", "after")},
    "annotators?": [str],
    "folds?": [{"pages": float, "before": float, "after": float}],
}
"""What the file says of a training; it may be a stranger's."""
_children: list[subprocess.Popen[bytes]] = []
"""Processes that this one has started, so that they are waited for when they end."""


@dataclass(slots=True)
class Training:
    """How far a training is, and what came of it."""

    run: str = ""
    name: str = ""
    state: str = "none"
    """`none`, `running`, `done`, `failed`, `cancelled`, or `ended` if its process was killed."""
    step: int = 0
    steps: int = 0
    message: str = ""
    pages: int = 0
    annotators: list[str] = field(default_factory=list)
    started: float = 0.0
    ended: float = 0.0
    folds_of: str = ""
    """Whether the folds share no site, or no page."""
    folds: list[dict[str, float]] = field(default_factory=list)
    """F1 of words on the pages of each fold, with the shipped model and with the trained one: pages, before, after."""
    before: float | None = None
    after: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def model_path(folder: Path, name: str) -> Path:
    """Where the model of a name is; raises if the name is none."""
    if not _NAME.fullmatch(name):
        raise UsageError("the name of a model has up to 60 letters, digits, - and _, and begins with a letter or digit")
    return folder / MODELS / f"{name}{SUFFIX}"


def models(folder: Path) -> list[str]:
    """List the names of the models that were trained."""
    return sorted(path.stem for path in (folder / MODELS).glob(f"*{SUFFIX}"))


def free_name(folder: Path) -> str:
    """Suggest a name for the next model."""
    known = set(models(folder))
    return next(name for number in range(1, len(known) + 2) if (name := f"judged-{number}") not in known)


def status(folder: Path) -> Training:
    """Tell how far the last training is."""
    try:
        training = _read((folder / MODELS / _STATE).read_bytes())
    except FileNotFoundError:
        return Training()
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise GristmillError(f"can't read {folder / MODELS / _STATE}: {error}; remove it") from error
    if training.state == "running" and not _is_running(folder):
        training.state = "ended"
    return training


def _read(data: bytes) -> Training:
    found = json.loads(data, parse_constant=_no_number)
    if isinstance(found, dict):
        found = {name: value for name, value in found.items() if value is not None}
    if fault := misfit(found, _SHAPE, "training"):
        raise ValueError(fault)
    return Training(**found)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _is_running(folder: Path) -> bool:
    try:
        return is_leased(folder / MODELS / _LOCK)
    except GristmillError:  # nothing can be written there
        return False


def start(
    folder: Path, name: str, choice: Choice | None = None, *, server: int | None = None, seed: int = 0
) -> Training:
    """Start a training in the background; raises if one is running, or if there is such a model already.

    It ends with the process `server`, by default this one.
    """
    path = model_path(folder, name)
    if path.exists():
        raise UsageError(f"there is a model {name!r} already: choose another name")
    check_links(folder)
    try:
        (folder / MODELS).mkdir(exist_ok=True)
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
    end = time.monotonic() + _MAX_END_SECONDS
    while _is_running(folder):  # one that has told its end may need a moment for it
        if status(folder).state == "running" or time.monotonic() > end:
            raise GristmillError("a training is running already: wait until it is done, or cancel it")
        time.sleep(0.05)
    (folder / MODELS / _CANCEL).unlink(missing_ok=True)
    run = secrets.token_hex(8)
    asked = {
        "folder": str(folder.absolute()),
        "name": name,
        "choice": asdict(choice or Choice()),
        "server": os.getpid() if server is None else server,
        "run": run,
        "seed": seed,
    }
    command = [sys.executable, "-P", "-m", "gristmill.judgements.blocks.training", json.dumps(asked)]
    try:
        with (folder / MODELS / _LOG).open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 (our own module)
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True
            )
    except OSError as error:  # a folder that can't be written to, or more annotators than a command line takes
        raise GristmillError(f"the training does not start: {error.strerror or error}") from error
    _children[:] = [child for child in _children if child.poll() is None]
    _children.append(process)
    end = time.monotonic() + _MAX_START_SECONDS
    while time.monotonic() < end:
        found = status(folder)
        if found.run == run:
            return found
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise GristmillError(f"the training does not start; {folder / MODELS / _LOG} says why")


def cancel(folder: Path) -> Training:
    """Ask the training that is running to end, and wait a moment for it."""
    if status(folder).state == "running":
        write_atomically(folder / MODELS / _CANCEL, b"")
        end = time.monotonic() + _MAX_END_SECONDS
        while _is_running(folder) and time.monotonic() < end:
            time.sleep(0.05)
        for child in _children:
            with suppress(subprocess.TimeoutExpired):  # it may be that of another corpus
                child.wait(0.5 if child.poll() is None else 0)
    return status(folder)


class _Process:
    """The training process."""

    def __init__(self, folder: Path, training: Training, server: int) -> None:
        self._folder = folder
        self._server = server
        self._lock = threading.Lock()
        self.training = training

    def tell(self, **changes: Any) -> None:
        """Note how far it is."""
        with self._lock:
            for name, value in changes.items():
                setattr(self.training, name, value)
            write_atomically(self._folder / MODELS / _STATE, json.dumps(self.training.to_json()).encode())

    def watch(self) -> None:
        """End the process when it is cancelled, or when its server has ended."""
        while True:
            time.sleep(_WATCH_SECONDS)
            cancelled = (self._folder / MODELS / _CANCEL).exists()
            if self.training.state == "running" and (cancelled or not _lives(self._server)):
                why = "It was cancelled." if cancelled else "The server ended."
                self.tell(state="cancelled", message=why, ended=time.time())
                os._exit(1)

    def progress(self, _: str, amount: int | None) -> Advance:
        """Take the steps of the training as progress."""
        self.tell(steps=amount or 0, message="Trees are learned from some pages, and tried on those left out.")
        return lambda done: self.tell(step=self.training.step + done)

    def run(self, choice: Choice, seed: int) -> None:
        """Train, and put the model in place."""
        self.tell(message="The judged pages are read.")
        with BlockStore(self._folder) as store:
            judged = list(gold_pages(CorpusReader(self._folder), store, choice))
        pages = [page.gold_page() for page in judged]
        if len(pages) < MIN_PAGES:
            raise UsageError(
                f"{len(pages)} finished pages are too few to train on: judge more, better fifty than twenty"
            )
        self.tell(pages=len(pages))
        # Here, in a process of its own: the server that starts it needs none of that.
        from gristmill.evaluation.training.continued import go_on  # noqa: PLC0415
        from gristmill.evaluation.training.registry import remembering  # noqa: PLC0415

        model = remembering(go_on(pages, seed, self.progress), pages)
        found = model.card["cross_validation"]
        parts = zip(found["pages"], found["before"], found["after"], strict=True)
        folds = [{"pages": pages, "before": old["f1"], "after": new["f1"]} for pages, old, new in parts]
        model.save(model_path(self._folder, self.training.name))
        total = sum(fold["pages"] for fold in folds)
        before, after = (sum(fold[key] * fold["pages"] for fold in folds) / total for key in ("before", "after"))
        self.tell(
            state="done",
            message=model.summary,
            folds_of=found["folds of"],
            folds=folds,
            before=round(before, 4),
            after=round(after, 4),
            ended=time.time(),
        )


def _lives(process: int) -> bool:
    if locks.WINDOWS:  # where there is no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def main(asked: dict[str, Any]) -> int:
    """Run a training as `start` asks for it."""
    folder = Path(asked["folder"])
    try:
        # Somebody may be looking whether a training is running.
        with in_turn(folder / MODELS / _LOCK, _MAX_LOOK_SECONDS):
            return _train(folder, asked)
    except BusyError as busy:
        sys.stderr.write(f"another training is running: {busy}\n")
        return 1


def _train(folder: Path, asked: dict[str, Any]) -> int:
    """Train, and tell how it ended."""
    chosen = asked["choice"]
    choice = Choice(tuple(chosen["annotators"]), chosen["min_agreement"], chosen["min_annotators"])
    training = Training(asked["run"], asked["name"], "running", started=time.time(), annotators=list(choice.annotators))
    process = _Process(folder, training, asked["server"])
    process.tell()
    threading.Thread(target=process.watch, daemon=True).start()
    try:
        process.run(choice, asked["seed"])
    except GristmillError as error:
        process.tell(state="failed", message=str(error), ended=time.time())
        return 1
    except Exception:
        process.tell(state="failed", message=f"It failed; {folder / MODELS / _LOG} says why.", ended=time.time())
        raise
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main(json.loads(sys.argv[1])))
