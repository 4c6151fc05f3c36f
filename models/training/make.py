"""Everything from nothing: `python make.py` runs each stage that has not been run; `python make.py STAGE…` runs those.

Stages leave their results in the work folder, `rank`, `sharpen`, `widen` and `widen-on` also a checkpoint: a killed run goes on where it was.
"""

import os
import subprocess
import sys
import time

from encoder import CHOSEN, FAST
from paths import TRAINING, work

TRAIN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
STAGES: dict[str, list[str]] = {
    "bases": ["bases.py"],
    "embedder": ["package.py", "embedder"],
    "questions": ["questions.py"],
    "label": ["teachers.py"],
    "rank": [*TRAIN, "rank.py"],
    "written": ["written.py"],
    "sharpen": [*TRAIN, "sharpen.py"],
    "domains": ["domains.py"],
    "widen": [*TRAIN, "widen.py", "widen"],
    "widen-on": [*TRAIN, "widen.py", "widen-on"],
    "parts": ["parts.py"],
    "reranker": ["package.py", "reranker"],
    "calibrate": ["calibrate.py"],
    "latency": ["latency.py"],
    "measure": ["measure.py"],
}
# Run only when it is named: what it makes is a number in the sources.
BY_NAME = {"parts"}


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(STAGES)
    if unknown:
        sys.exit(f"no stage {', '.join(sorted(unknown))}; the stages are {', '.join(STAGES)}")
    for stage, command in STAGES.items():
        done = work(f"done/{stage}")
        if stage not in wanted if wanted else stage in BY_NAME or done.exists():
            continue
        started = time.time()
        os.environ[CHOSEN] = str(FAST).removeprefix("torch.")
        subprocess.run([sys.executable, *command], cwd=TRAINING, check=True)
        done.write_text(f"{time.time() - started:.0f} s\n")
        print(f"{stage}: {done.read_text().strip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
