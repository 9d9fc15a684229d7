"""Writes mistakes.md: what is said of ten mistakes that examples/ten_mistakes.py makes on purpose."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))

import ten_mistakes  # noqa: E402

HEAD = """\
# Ten mistakes

What is said when something is wrong in a file: where it is, what was found, what was expected, and what to do. The file
is that of a crank-rocker, and each mistake stands in it alone; `python examples/ten_mistakes.py` makes them all.

```yaml
{file}
```
"""


def page() -> str:
    """The text of the page."""
    parts = [HEAD.format(file=ten_mistakes.FILE.strip())]
    for k, (title, old, new, do, _) in enumerate(ten_mistakes.MISTAKES, 1):
        told = ten_mistakes.said(old, new, do)
        parts.append(f"## {k}. {title.capitalize()}\n\n`{new}` instead of `{old}`:\n\n```text\n{told}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    (HERE / "mistakes.md").write_text(page(), encoding="utf-8")
