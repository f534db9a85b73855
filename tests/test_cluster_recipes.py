"""The recipes in docs/cluster.md: their scripts are run, with stand-ins for Slurm and SSH that run all of it here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import examples

from gristmill import Corpus
from gristmill.corpus import Manifest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "cluster.md"
PARTS = 2

STAND_INS = {
    "gristmill": f'exec {sys.executable} -m gristmill "$@"',
    # Runs the job, or each task of its array, and says its number; what it depends on has ended by then.
    "sbatch": """
        for option in "$@"; do case "$option" in
          --array=1-*) count=${option#--array=1-}; shift ;;
          --dependency=afterok:7) shift ;;
          --parsable) shift ;;
          --*) echo "sbatch: no option $option" >&2; exit 1 ;;
          *) break ;;
        esac; done
        export SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_COUNT=${count:-}
        for task in $(seq "${count:-1}"); do
          SLURM_ARRAY_TASK_ID=$task bash "$@" >> slurm.log 2>&1 || exit 1
        done
        echo 7
    """,
    "ssh": 'echo "$1" >> nodes.log; shift; exec bash -c "$*"',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the recipes and two sources, which are two shards; the stand-ins come first on the path."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in STAND_INS.items():
        (tools / name).write_text(f"#!/bin/bash\n{script}\n", "utf-8")
        (tools / name).chmod(0o755)
    for example in examples(PAGE.read_text("utf-8")):
        if example.language == "file":
            (tmp_path / example.code).write_text(example.shown or "", "utf-8")
    for name, text in (("a", "The mill by the river grinds slowly. "), ("b", "The baker sells bread every morning. ")):
        (tmp_path / "crawl").mkdir(exist_ok=True)
        (tmp_path / "crawl" / f"{name}.jsonl").write_text(f'{{"text": "{text * 10}", "url": "http://{name}.org/"}}\n')
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def bash(folder: Path, *words: str, **variables: str) -> str:
    """Run a command by bash, which must succeed, and return what it prints."""
    found = subprocess.run(
        ["/bin/bash", *words], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def manifest_of(name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    page = [
        example for example in examples(PAGE.read_text("utf-8")) if (example.language, example.code) == ("file", name)
    ]
    assert page
    found: dict[str, Any] = yaml.safe_load(page[0].shown or "")
    return found


def test_scripts_are_bash(folder: Path) -> None:
    scripts = sorted([*folder.glob("*.sbatch"), *folder.glob("*.sh")])
    assert [script.name for script in scripts] == ["build-by-ssh.sh", "merge.sbatch", "part.sbatch", "submit.sh"]
    for script in scripts:
        bash(folder, "-n", script.name)


def test_slurm_makes_a_corpus_that_can_be_searched(folder: Path) -> None:
    assert bash(folder, "submit.sh", "corpus", "crawl", PARTS=str(PARTS)).strip() == "7"
    log = (folder / "slurm.log").read_text("utf-8")
    assert f"part 1/{PARTS} is done" in log
    assert f"part {PARTS}/{PARTS} is done" in log
    corpus = Corpus(folder / "corpus", build=False)
    assert corpus.size["documents"] == 2
    assert len(corpus.shards) == PARTS
    assert len(corpus.search("mill")) > 0


def test_ssh_builds_a_part_on_each_machine_and_merges_on_the_first(folder: Path) -> None:
    bash(folder, "build-by-ssh.sh", "corpus", "crawl", NODES="node1 node2")
    machines = (folder / "nodes.log").read_text("utf-8").split()
    assert sorted(machines[:2]) == ["node1", "node2"]
    assert machines[2:] == ["node1"]
    assert Corpus(folder / "corpus").size["documents"] == 2


def test_kubernetes_gives_each_pod_a_part(folder: Path) -> None:
    job = manifest_of("build.yaml")["spec"]
    [container] = job["template"]["spec"]["containers"]
    [command] = container["args"]
    assert (job["completionMode"], job["completions"]) == ("Indexed", 16)
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in job["template"]["spec"]["volumes"]}
    assert {variable["name"]: variable["value"] for variable in container["env"]} == {"GRISTMILL_SCRATCH": "/scratch"}
    here = command.replace("/shared/", f"{folder}/")
    for index in range(job["completions"]):
        shown = bash(folder, "-c", here.replace("gristmill build", "echo"), JOB_COMPLETION_INDEX=str(index))
        assert f"--part {index + 1}/{job['completions']} " in shown
    bash(folder, "-c", here, JOB_COMPLETION_INDEX="0")
    assert [shard.is_built for shard in Manifest.read(folder / "corpus").shards] == [True, False]


def test_kubernetes_merges_with_the_same_sources_and_volumes() -> None:
    parts, merge = manifest_of("build.yaml"), manifest_of("merge.yaml")
    pods = [job["spec"]["template"]["spec"] for job in (parts, merge)]
    assert pods[0]["volumes"] == pods[1]["volumes"]
    [before], [after] = (pod["containers"] for pod in pods)
    assert before["args"][0].split(" --")[0] == after["args"][0].split(" --")[0]
    assert " --merge " in after["args"][0]
    assert before["volumeMounts"] == after["volumeMounts"]
    assert before["command"] == after["command"] == ["bash", "-c"]
