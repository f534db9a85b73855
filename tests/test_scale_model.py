"""The model of clusters in `benchmarks/`: its fits find known costs, and the docs have the tables that it makes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))  # last: it has modules with names of other libraries

from scale_model import COSTS, JOBS, NODES, PAGES, STAGES, Costs, Hardware, Job, Model, Step, fit, parts_of, update

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(Costs(json.loads(COSTS.read_text("utf-8"))))


def test_a_fit_finds_what_costs_are_made_of() -> None:
    rows = [(1.0, words, files) for words in (10.0, 200.0, 3000.0) for files in (2.0, 64.0)]
    found = fit(rows, [5 + 0.5 * words + 3 * files for _, words, files in rows])
    assert found.parts == pytest.approx((5, 0.5, 3))
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found(1.0, 1000.0, 10.0) == pytest.approx(535)


def test_no_part_of_a_cost_is_negative() -> None:
    found = fit([(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)], [3.0, 2.0, 1.0])
    assert min(found.parts) >= 0


def test_one_point_gives_one_part() -> None:
    assert fit([(1.0, 10.0)], [5.0])(1.0, 10.0) == pytest.approx(5)


@pytest.mark.parametrize(
    ("nodes", "step", "seconds", "scarcest"),
    [
        (1, Step("build", "", 64, 10.0, 10.0, 1e9, 0, 0, 0, 0, 0, 0), 20, "CPU"),
        (4, Step("build", "", 64, 10.0, 12.0, 1e9, 0, 0, 0, 0, 0, 0), 12, "largest task"),
        (1, Step("build", "", 64, 10.0, 10.0, 8e9, 0, 0, 0, 0, 0, 0), 40, "CPU"),  # 16 tasks fit into memory
        (2, Step("dedup", "", 64, 0.1, 0.1, 1e9, 5e9, 5e9, 0, 0, 0, 0), 4, "file system"),
        (100, Step("dedup", "", 64, 0.1, 0.1, 1e9, 0, 80e9, 0, 0, 0, 0), 2, "file system"),
        (10, Step("dedup", "", 64, 0.1, 0.1, 1e9, 0, 0, 0, 4e9, 1e12, 0), 3.2, "file system"),  # each reads all
        (2, Step("dedup", "", 64, 0.1, 0.1, 1e9, 0, 0, 0, 0, 0, 1e6), 20, "files"),
        (2, Step("build", "", 64, 0.1, 0.1, 1e9, 0, 0, 0, 0, 0, 0, 5e9), 2, "object store"),
    ],
)
def test_a_round_takes_as_long_as_what_is_scarcest(nodes: int, step: Step, seconds: float, scarcest: str) -> None:
    found, why = step.seconds(nodes, Hardware())
    assert why == scarcest
    assert found == pytest.approx(seconds)


def test_more_machines_do_not_take_more_core_hours_for_building(model: Model) -> None:
    times = [model.stage(JOBS[0], "build", nodes)[0] for nodes in NODES]
    assert times == sorted(times, reverse=True)
    assert times[1] >= times[0] / NODES[1]


def test_a_job_of_twice_the_size_takes_twice_the_work(model: Model) -> None:
    small, large = (
        sum(step.tasks * step.cpu for step in model.steps(Job("", size)) if step.stage != "dedup")
        for size in (1e12, 2e12)
    )
    assert large == pytest.approx(2 * small, rel=0.01)


def test_a_simulated_job_takes_at_least_what_is_ideal(model: Model) -> None:
    calm = model.simulated(Job("", 2e10), 1, speculate=False, calm=True)
    rough = model.simulated(Job("", 2e10), 1, speculate=False)
    assert calm.ratio >= 1
    assert rough.seconds > calm.seconds
    assert {step.stage for step in model.steps(JOBS[0])} == set(STAGES)


def test_the_docs_have_the_tables_of_what_was_measured(model: Model) -> None:
    """Otherwise run `python benchmarks/scale_model.py --update`."""
    docs = "\n".join(page.read_text("utf-8") for page in PAGES)
    for name, part in parts_of(model, simulated=False).items():
        assert part in docs, name
        assert f"<!-- {name} -->" in docs


def test_only_marked_places_of_a_page_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a <!-- b --> old <!-- / -->\n\n<!-- c -->\n\nold\n\n<!-- / -->\n<!-- d --> old <!-- / -->\n")
    update(page, {"b": "new", "c": "| x |\n| - |"})
    expected = "a <!-- b --> new <!-- / -->\n\n<!-- c -->\n\n| x |\n| - |\n\n<!-- / -->\n<!-- d --> old <!-- / -->\n"
    assert page.read_text() == expected
    update(page, {"b": "new", "c": "| x |\n| - |"})
    assert page.read_text() == expected


_MEASURE = """
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from scale_measuring import MeasuringEngine
from gristmill.engine import silent
from measured_tasks import Writing

folder = Path(sys.argv[2])
with MeasuringEngine(folder, 1) as engine:
    outcomes = list(engine.run([Writing(str(folder), number) for number in range(3)], silent))
assert sorted(outcome.result for outcome in outcomes) == [0, 1, 2], outcomes
made, end = engine.rounds
print(made.kind, made.tasks, made.total["written"] >= 300_000, made.total["opened"] >= 6, made.distinct, made.files)
print(made.kept, made.temporary, made.total["cpu"] > 0, made.largest["memory"] > 0, end.tasks, end.driver["cpu"] >= 0)
"""

_TASKS = """
import mmap
from dataclasses import dataclass
from pathlib import Path

@dataclass(frozen=True)
class Writing:
    folder: str
    number: int
    cost = 1

    @property
    def name(self):
        return f"file {self.number}"

    def run(self, report):
        path = Path(self.folder) / "dedup" / str(self.number)
        path.write_bytes(bytes(100_000))
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert len(mapped) == 100_000
        return self.number
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_engine_measures_what_tasks_do(tmp_path: Path) -> None:
    (tmp_path / "measured_tasks.py").write_text(_TASKS, "utf-8")
    corpus = tmp_path / "corpus"
    (corpus / "dedup").mkdir(parents=True)
    (corpus / "kept").write_bytes(bytes(50))
    script = f"import sys; sys.path.append({str(tmp_path)!r})\n{_MEASURE}"
    found = subprocess.run(
        [sys.executable, "-c", script, str(BENCHMARKS), str(corpus)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["Writing 3 True True 300000 4", "50 300000 True True 0 True"]
