"""Play scenes and record them; see the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.incidents.scenes import SCENES
from tools.incidents.theatre import theatre


def main() -> int:
    if sys.argv[1:2] == ["gates"]:
        from tools.incidents import gates

        return gates.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m tools.incidents")
    parser.add_argument("directory", type=Path)
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    parser.add_argument(
        "--since",
        action="store_true",
        help="also ask the API server about each scene, once it was played",
    )
    asked = parser.parse_args()
    scenes = [each for each in SCENES if not asked.scenes or each.name in asked.scenes]
    with (
        tempfile.TemporaryDirectory() as root,
        theatre(Path(root), asked.directory, late=asked.since) as opened,
    ):
        failed = opened.play_all(scenes)
    for line in opened.afterwards.report() if opened.afterwards else ():
        print(line)
    if failed:
        print(f"error: not recorded: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
