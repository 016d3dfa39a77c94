"""A file means the same to both YAML parsers, in blocks and in braces."""

import random

import pytest
import yaml

import linkwork as lw
from linkwork.errors import InputError
from linkwork.spec import loaders, nodes
from linkwork.spec.rewrite import rewrite

BITS = [*"{}[]:,&*'\"@`# ab1\n\t.\\", "{a: b}", "[a, b]", ": ", "- ", "\n  ", "C:[", "x}"]


def tree(node):
    pairs = [(tree(key), tree(value)) for key, value in node.pairs] if node else []
    return node and (node.kind, node.text, node.absent, [*map(tree, node.items)], pairs)


def read(text, loader, monkeypatch):
    with monkeypatch.context() as changed:
        changed.setattr(loaders, "FAST", loader)
        try:
            return tree(nodes.compose(text, "arm.yaml"))
        except InputError:
            return "refused"


@pytest.mark.skipif(loaders.FAST is loaders.SLOW, reason="PyYAML was built without libyaml")
def test_both_parsers_read_the_same(monkeypatch, examples):
    random.seed(11)
    texts = [path.read_text()[:600] for path in sorted(examples.glob("*.yaml"))]
    accepted = 0
    for number in range(600):
        text = [*random.choice(texts)] if number % 2 else []
        for _ in range(random.randint(1, 9)):
            place = random.randint(0, len(text))
            text[place : place + random.randint(0, 1)] = [random.choice(BITS)]
        both = [read("".join(text), loader, monkeypatch) for loader in (yaml.CSafeLoader, yaml.SafeLoader)]
        assert both[0] == both[1], "".join(text)
        accepted += both[0] != "refused"
    assert accepted > 100


@pytest.mark.parametrize("loader", [loaders.FAST, loaders.SLOW])
def test_a_bracket_may_follow_the_colon_and_a_tab_may_stand_for_a_space(loader, monkeypatch):
    pairs = {"{C:[1, 2], D:{a: 1}}": "{C: [1, 2], D: {a: 1}}", "a:\t1\t# one\n": "a: 1", "[a,\tb]": "[a, b]"}
    for text, same in pairs.items():
        assert read(text, loader, monkeypatch) == read(same, loader, monkeypatch) != "refused"
    assert read("a:\n\tb: 1", loader, monkeypatch) == "refused"


PARTS = """\
PhysicalParams: {l: 1, m: 2}
PartData:
  Fixed: {O: []}
  Rigids: %s
AppliedForces:
  Gravity:
  ConstTorques: %s
ProblemData: {tend: 1, positions: {A: [1]}}
"""
BODY = "{Geom: [[l]], Dyna: [[l/2], m]}"


def test_keys_for_several_parts_may_stand_in_braces():
    block = PARTS % (f"\n    OA, AB: {BODY}\n    BC, CD: {BODY}", "\n    OA, AB: 3")
    braces = PARTS % (f"{{OA, AB: {BODY}, BC , CD: {BODY}}}", "{OA, AB: 3}")
    one, two = (lw.loads(text).mechanism for text in (block, braces))
    assert one.rigids == two.rigids
    assert one.torques == two.torques
    formatted = rewrite(braces)
    assert "{OA, AB: {Geom" in formatted
    assert lw.loads(formatted).mechanism.rigids == one.rigids


def test_a_key_with_a_colon_and_nothing_after_it_misses_its_value():
    with pytest.raises(InputError, match="rigid 'OA': Geom is missing"):
        lw.loads(PARTS % (f"{{OA: , AB: {BODY}}}", "{}"))
