"""Results files that come from anybody: what is written is read back; what is damaged is refused in words, at once."""

import io
import json
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from numpy.lib import format as npy

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.quoting import script_json
from linkwork.results import read_recording, write_results
from linkwork.view.scene import describe_scene

PENDULUM = """\
Title: Pendulum
PhysicalParams: {l: 1}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], 1]}}
AppliedForces:
  Gravity:
States: {lag: (OA.omega - lag)/0.1}
ProblemData: {tend: 2, positions: {A: [l]}}
"""


@pytest.fixture(scope="module")
def motion():
    return lw.loads(PENDULUM).simulate()


@pytest.fixture
def path(motion, tmp_path):
    return write_results(motion, tmp_path / "a.npz")


def rewrite(path, **changes):
    """A results file with other contents; bytes are put in as they are, None takes an entry away."""
    with zipfile.ZipFile(path) as file:
        content = {name.removesuffix(".npy"): file.read(name) for name in file.namelist()}
    for name, value in changes.items():
        content[name] = value if value is None or isinstance(value, bytes) else pack(value)
    with zipfile.ZipFile(path, "w") as file:
        for name, value in content.items():
            if value is not None:
                file.writestr(f"{name}.npy", value)


def pack(array):
    file = io.BytesIO()
    npy.write_array(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def header(shape, descr="<f8"):
    file = io.BytesIO()
    npy.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


def about(path):
    with np.load(path) as file:
        return json.loads(str(file["about"]))


def is_refused(path):
    with pytest.raises(LinkworkError, match=r"damaged|not a results file|holds no drawing") as caught:
        read_recording(path)
    return str(path) in str(caught.value)


# -- what is written is read back --------------------------------------------------------------------------------------


def test_a_long_run_with_a_state_is_read_back(motion, tmp_path, monkeypatch):
    monkeypatch.setattr("linkwork.results.archive.LONG", 10)
    found = read_recording(write_results(motion, tmp_path / "a.npz"))
    shown = [motion.system.index[name] for name in found.coordinates]
    assert "lag" not in found.coordinates and len(shown) == motion.system.n - 1
    assert np.array_equal(found.knots.q, motion.q[:, shown])
    script_json(describe_scene(found))


def test_a_long_run_of_a_lagrangian_with_points_is_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr("linkwork.results.archive.LONG", 10)
    swing = lw.lagrangian(
        "theta", "theta'**2/2 + cos(theta)", start={"theta": 1}, points={"P": ("sin(theta)", "-cos(theta)")}
    ).simulate(3)
    found = read_recording(write_results(swing, tmp_path / "a.npz"))
    assert found.coordinates == ("theta", "Px", "Py")
    np.testing.assert_allclose(found.knots.q[:, 1], np.sin(swing["theta"]), atol=1e-14)


def test_a_run_that_ended_early_and_its_doubts_are_read_back(tmp_path):
    text = PENDULUM + "Events: {down: {when: A.x, do: stop}}\n"
    motion = lw.loads(text).simulate()
    motion.doubts = ("something is odd.",)
    found = read_recording(write_results(motion, tmp_path / "a.npz"))
    assert found.early and found.outcome == motion.outcome and found.doubts == motion.doubts


# -- what is damaged is refused ----------------------------------------------------------------------------------------


def test_a_file_with_a_flipped_byte_is_read_or_refused_in_words(path):
    whole = path.read_bytes()
    rng = np.random.default_rng(11)
    for at in rng.integers(0, len(whole), 300).tolist():
        path.write_bytes(whole[:at] + bytes([whole[at] ^ int(rng.integers(1, 256))]) + whole[at + 1 :])
        try:
            script_json(describe_scene(read_recording(path)))
        except LinkworkError as error:
            assert str(path) in str(error)


def test_a_file_that_ends_too_soon_is_refused_in_words(path):
    whole = path.read_bytes()
    for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert is_refused(path)


@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (0, 10**30), (10**6, 10**6)])
def test_an_array_that_only_claims_to_be_large_takes_no_memory(path, shape):
    rewrite(path, knots_q=header(shape))
    tracemalloc.start()
    assert is_refused(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_file_whose_directory_claims_a_large_array_takes_no_memory(path):
    rewrite(path, knots_q=header((10**9,)))
    raw = bytearray(path.read_bytes())
    # the sizes of the member before it is packed, in the directory at the end
    at = raw.rfind(b"knots_q.npy") - 46
    raw[at + 24 : at + 28] = (4_000_000_000).to_bytes(4, "little")
    path.write_bytes(bytes(raw))
    tracemalloc.start()
    assert is_refused(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_nested_json_is_refused_in_words(path):
    for text in ("[" * 200_000, '{"drawing": ' + "[" * 100_000 + "]" * 100_000 + "}", "[]", "7", '"drawing"', "NaN"):
        rewrite(path, about=np.array(text))
        assert is_refused(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["knots_t", "knots_q", "knots_u", "knots_a", "scales"])
def test_numbers_without_a_value_are_refused(path, name, value):
    with np.load(path) as file:
        changed = file[name].copy()
    changed.flat[-1] = value
    rewrite(path, **{name: changed})
    assert is_refused(path)


@pytest.mark.parametrize("name", ["about", "title", "outcome", "shown", "scales", "knots_q", "curves_times_0"])
def test_a_missing_entry_is_refused(path, name):
    rewrite(path, **{name: None})
    assert is_refused(path)


@pytest.mark.parametrize("name", ["about", "title", "shown", "knots_q"])
def test_nothing_is_unpickled(path, name):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("the file was run",)

    rewrite(path, **{name: pack(np.array([Trap()], dtype=object))})
    assert is_refused(path)
    rewrite(path, **{name: pickle.dumps(Trap())})
    assert is_refused(path)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("drawing", "dimension"), 4), (("drawing", "rigids"), [{}]), (("drawing", "rigids"), 3),
        (("drawing", "rigids", 0, "points"), ["O", "Z"]), (("drawing", "rigids", 0, "geometry"), [[0, 0]]),
        (("drawing", "moving"), ["A", "B"]), (("drawing", "fixed"), {"O": [1e400, 0]}), (("drawing", "fixed"), []),
        (("drawing", "traces"), ["O"]), (("drawing", "width"), -1), (("drawing", "notes"), [1]),
        (("drawing", "view"), [1]), (("drawing", "gravity"), [0]), (("drawing", "parameters"), [["a", "b"]]),
        (("summary",), [["only"]]), (("events",), [["x", "y"]]), (("curves", 0), [1]), (("accuracy",), "x"),
    ],
)  # fmt: skip
def test_a_drawing_that_cannot_be_drawn_is_refused(path, where, value):
    found = about(path)
    place = found
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    rewrite(path, about=np.array(json.dumps(found).replace("Infinity", "1e999")))
    assert is_refused(path)


def test_two_arrays_of_one_name_are_refused(path):
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr("title.npy", pack("another"))
    assert is_refused(path)


def test_a_header_that_is_no_header_is_refused(path):
    magic = b"\x93NUMPY\x01\x00"
    for text in (
        b"(" * 60,
        b"{'descr': (((((",
        b"\xff" * 20,
        b"{'descr': '|O', 'fortran_order': False, 'shape': ()}",
        b"'",
        b"9" * 500,
    ):
        rewrite(path, knots_q=magic + len(text).to_bytes(2, "little") + text)
        assert is_refused(path)
