"""An engine from its indicator diagram: the steady cycle, the flywheel for one per cent, the loads of its bearings.

The machine is examples/engine/engine.yaml, and the prompt does the same:

    jourdain cycle examples/engine/engine.yaml --joint O --fluctuation "1 %" --maxima

python examples/engine_cycle.py [picture.png]
"""

import sys
from pathlib import Path

import jourdain as jd

FILE = Path(__file__).parent / "engine" / "engine.yaml"


def main() -> None:
    found = jd.cycle(jd.load(FILE), joint="O", fluctuation="1 %")
    print(found)
    print(found.run.maxima("O.load", "A.load", "B.load", against="O.angle"))
    assert abs(found.fluctuation - 0.01) < 1e-7
    if len(sys.argv) > 1:
        found.run.plot("O.speed", "O.load", against="O.angle", path=sys.argv[1])


if __name__ == "__main__":
    main()
