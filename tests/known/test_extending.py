"""The page on extending linkwork is true: its text runs, from top to bottom."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def run_page(name, **known):
    text = (DOCS / name).read_text()
    names = dict(known)
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, name, "exec"), names)
    return names


def test_a_joint_a_force_and_a_sensor_are_added_as_the_page_says():
    names = run_page("extending.md", __name__=__name__)
    assert {"ellipse", "hardening", "sensor", "Magnet", "hardening_spring"} <= names.keys()


def test_the_page_on_bodies_runs(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    import linkwork as lw

    names = run_page("bodies.md", lw=lw)
    assert names["force"].shape == (len(names["motion"].t), 2)
    assert lw.load.__name__ == "load" and names["pose"].rotation.shape[1:] == (2, 2)
    yaml = re.search(r"```yaml\n(.*?)```", (DOCS / "bodies.md").read_text(), re.DOTALL)[1]
    assert lw.loads(yaml).simulate(0.1).audit().ok
