"""docs/export.md shows what is exported today; `python tests/known/test_export_page.py` writes it there."""

import re
import sys
from pathlib import Path

import linkwork as lw

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "export.md"
SHOWN = re.compile(r"```(?:c|text)\n(.*?)```", re.DOTALL)


def shown(folder):
    """The texts that the page shows, in order."""
    program = re.search(r"```python\n(.*?)```", PAGE.read_text().split("What it looks like")[1], re.DOTALL)[1]
    space = {}
    exec(program.replace("pendulum-c", str(folder / "pendulum")), space)
    crank = lw.load(ROOT / "examples" / "slider-crank.yaml").export("c", folder / "crank")
    text = (crank / "slider_crank.c").read_text()
    functions = text[text.index("int slider_crank_init") : text.index("void slider_crank_residual")]
    costs = str(lw.load(ROOT / "examples" / "andrews.yaml").count_operations())
    return [(folder / "pendulum" / "pendulum.c").read_text(), functions.rstrip() + "\n", costs + "\n"]


def test_the_page_shows_what_is_exported_today(tmp_path):
    assert SHOWN.findall(PAGE.read_text()) == shown(tmp_path)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        texts = iter(shown(Path(folder)))
    PAGE.write_text(SHOWN.sub(lambda m: m[0][: m[0].index("\n") + 1] + next(texts) + "```", PAGE.read_text()))
    sys.stdout.write(f"{PAGE}\n")
