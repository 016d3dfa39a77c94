"""Exported Julia moves as ours in a small interpreter (tests/julia.py), which refuses what Julia refuses."""

import re
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from exports import build, compare, run

pytest.importorskip("tree_sitter", reason="Julia is read with tree-sitter")
pytest.importorskip("tree_sitter_julia", reason="Julia is read with tree-sitter")
import julia


@pytest.fixture
def interpret(tmp_path, capsys):
    def run_text(text, *arguments):
        path = tmp_path / "program.jl"
        path.write_text(text)
        try:
            status = julia.start(str(path), *arguments)
        except SystemExit as end:
            status = end.code
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return run_text


def read_cases(text):
    """Programs of one line, and behind # what comes of them."""
    return [tuple(line.rsplit("  # ", 1)) for line in text.strip().splitlines()]


# -- the interpreter ---------------------------------------------------------------------------------------------------

VALUES = r"""
1/2  # 0.5
7 ÷ 2  # 3
-7 ÷ 2  # -3
-7 % 3  # -1
div(-7, 2)  # -3
-2^2  # -4
2^-1  # 0.5
2^3^2  # 512
6/2*(3)  # 9.0
2^2*(3)  # 12
1/2(3)  # 0.16666666666666666
2^3(2)  # 64
-1/4  # -0.25
1.0/0  # Inf
-1/0  # -Inf
0/0  # NaN
1 - 2 - 3  # -4
2*(3) + 1  # 7
1 < 2 <= 2 != 3  # true
1 == 1.0  # true
!true || true && false  # false
sum(1:3 + 1)  # 10
length(5:3)  # 0
sum(3:-1:1)  # 6
true ? 1 : 2  # 1
sum(false ? (1:2) : 2:3)  # 5
true + true  # 2
1e-4  # 0.0001
1e-5  # 1.0e-5
123456.0  # 123456.0
1e6  # 1.0e6
-1.25e-300  # -1.25e-300
100000.5  # 100000.5
0.1 + 0.2  # 0.30000000000000004
-0.0  # -0.0
1e22  # 1.0e22
12345678.5  # 1.23456785e7
round(2.5)  # 2.0
round(-0.4)  # -0.0
floor(-1.5)  # -2.0
floor(Int, 2.7)  # 2
sign(-0.0)  # -0.0
sign(-3)  # -1
max(1, 0.5)  # 1.0
max(NaN, 1.0)  # NaN
min(0.0, -0.0)  # -0.0
max(2, 3)  # 3
maximum([1.0, NaN, 2.0])  # NaN
sum(Float64[])  # 0.0
sum(Int[])  # 0
log(0.0)  # -Inf
exp(1000)  # Inf
hypot(Inf, NaN)  # Inf
atan(1.0, -1.0)  # 2.356194490192345
0.0^-1  # Inf
prod(i for i in 1:4)  # 24
prod(i for i in 1:0; init = 1)  # 1
isodd(-3)  # true
ifelse(1 < 2, 1, 2.0)  # 1
searchsortedlast([1.0, 2.0, 2.0, 3.0], 2.0)  # 3
searchsortedlast([0.0, 1.0], -0.0)  # 0
searchsortedlast([0.0, 1.0], NaN)  # 2
any(x -> x > 2, [1, 2])  # false
all(isfinite, Float64[])  # true
[1, 2.5][1]  # 1.0
Int[1, 2.0][2]  # 2
[1, 2][[2, 1, 2]][1]  # 2
join([1; [2.5, 3]; Float64[]], ",")  # 1.0,2.5,3.0
join(abs.([1.0, -2.0]) .* 2 .+ [1], ",")  # 3.0,5.0
join(2*[1.0, 2.0]/4 - [1, 1], ",")  # -0.5,0.0
join([2i for i in 1:3], ",")  # 2,4,6
sum([0.5, 1].*[[1.0, 2.0], [3.0, 4.0]])[2]  # 5.0
join(filter(isodd, 1:5), "")  # 135
join(["a"; ["b"]], "-")  # a-b
isempty(zeros(0))  # true
[1.0, 2.0] == [1, 2]  # true
length(eachindex([4, 5]))  # 2
zeros(Int, 2)[1]  # 0
fill(false, 1)[1]  # false
"a$(1 + 1)b" * "c"  # a2bc
strip(" a \t")  # a
join(split("a=b=c", "="; limit = 2), ";")  # a;b=c
length(split("", "#"))  # 1
parse(Float64, " 1.5e+2 ")  # 150.0
isnothing(tryparse(Float64, "1,5"))  # true
occursin(r"^[0-9]+$", "12a")  # false
startswith("--end", "--")  # true
"\$x"  # $x
haskey(Dict("a" => 1), "b")  # false
Int(2.0)  # 2
Dict{String, Symbol}("a" => :b)["a"]  # b
"""


def test_values_are_those_of_julia(interpret):
    texts, values = zip(*read_cases(VALUES), strict=True)
    done = interpret("".join(f"println({text})\n" for text in texts))
    assert done.err == ""
    assert dict(zip(texts, done.out.splitlines(), strict=True)) == dict(zip(texts, values, strict=True))


GIVEN = """
const x = [1.0, 2.0, 3.0]
const n = [-1, 2, 3]
Base.@kwdef mutable struct P
    x::Float64 = 1
end
p = P()
f(a) = a
"""
REFUSED = """
x[0]  # BoundsError
x[4]  # BoundsError
x[1.0]  # ArgumentError
n[1] = 0.5  # InexactError
push!(n, 1.5)  # InexactError
n[1] = "a"  # MethodError
Int(0.5)  # InexactError
floor(Int, NaN)  # InexactError
1 ÷ 0  # DivideError
sqrt(-1.0)  # DomainError
sin(Inf)  # DomainError
(-1.0)^0.5  # DomainError
2^n[1]  # DomainError
2^-(1)^2  # DomainError
x + 1  # MethodError
1 + x  # MethodError
x*x  # MethodError
x + n[1:2]  # DimensionMismatch
x .+ n[1:2]  # DimensionMismatch
maximum(Float64[])  # reducing over an empty collection
"a" + "b"  # MethodError
"a"*2  # MethodError
parse(Float64, "1,5")  # ArgumentError
if 1 end  # non-boolean
1 && true  # non-boolean
sin()  # MethodError
sin(1, 2)  # MethodError
f(1, 2)  # MethodError
unknown  # UndefVarError
f(unknown)  # UndefVarError
split("a", "="; only = 1)  # MethodError
a, b = [1]  # BoundsError
p.y  # no struct has a field y
p.y = 1  # no struct has a field y
x.x  # no attribute
x.x = 1  # cannot be set
p.x = "a"  # MethodError
setfield!(p, :x, 1)  # TypeError
P(1, 2)  # MethodError
P(y = 2.0)  # MethodError
f = 2  # defined twice
const x = 2  # defined twice
sum(a) = a  # a name of Base
Dict("a" => 1)["b"]  # KeyError
[1, 2  # not understood
@__FILE__ && f(1)  # the rest of its line
y = [1 2]  # not covered
error("no", 1)  # no1
"""
# a loop makes new names, in each turn afresh, even where the file has names like them
REFUSED_BLOCKS = [
    ("for i in 1:2\n    q = i\nend\nprintln(q)", "UndefVarError"),
    ("for i in 1:2\n    i == 2 && println(q)\n    q = i\nend", "UndefVarError"),
    ("q = 0\nfor i in 1:2\n    q = q + i\nend", "UndefVarError"),
    ("function g()\n    sum = sum([1.0])\n    return sum\nend\ng()", "UndefVarError"),
    ("function g()\n    zeros = 1.0\n    return zeros(2)\nend\ng()", "MethodError"),
    ("y = x[1]\n    * 2", "not"),
    ("struct Q\n    x::Int\nend\nq = Q(1)\nq.x = 2", "cannot be set"),
    ("struct Q\n    x::Int\n    x::Int\nend", "duplicate field"),
]


@pytest.mark.parametrize(("text", "words"), [*read_cases(REFUSED), *REFUSED_BLOCKS])
def test_what_julia_refuses_is_refused(interpret, text, words):
    done = interpret(f"{GIVEN}{text}\n")
    assert done.status and words in done.err, done.err


SCOPES = """
total = 0
function count(n)
    found = 0
    for i in 1:n
        inner = 2i
        while true
            inner += 1
            found += inner
            i == 3 && ends(inner) && break
            inner > 3 && break
        end
    end
    add(k) = (found + k)
    for found in 1:2
    end
    return add(1), found
end
ends(n) = n > 8
function choose(a)
    if a < 0
        "less"
    elseif a == 0
        "none"
    else
        "more"
    end
end
a, b = count(3)
println(a, " ", b, " ", choose(-1), choose(0), choose(2))
h = w = 3
println(h + w, ARGS[1])
exit(3)
"""


def test_scopes_branches_and_values_of_functions(interpret):
    done = interpret(SCOPES, "given")
    assert (done.status, done.out, done.err) == (3, "20 19 lessnonemore\n6given\n", "")


# -- exports -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def export(tmp_path):
    def make(model, **options):
        return model.export("julia", tmp_path / "julia", **options)

    return make


RUNS = [
    ("slider-crank", 0.3), ("cart-pole", 2), ("gyroscope", 0.1), ("double-pendulum-3d", 0.2), ("thruster", 0.5),
    ("driven-crank-with-damper", 0.2), ("quick-return", 0.2), ("bouncing-ball", 1), ("pendulum-stop", 2),
    ("sampled-servo", 0.2),
]  # fmt: skip
LONG = [("andrews", 0.02), ("cam-follower", 0.02), ("hydraulic-boom", 0.1), ("governor", 0.02), ("turntable", 0.5)]


@pytest.mark.parametrize(("name", "end"), [*RUNS, *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)])
def test_exported_julia_moves_as_ours(load_example, export, name, end):
    model = load_example(name)
    compare(model, export(model), "julia", "--end", end, "--samples", 3)


def test_constraints_that_follow_from_others_stay_closed_in_julia(load_example, export):
    model = load_example("parallelogram")
    compare(model, export(model), "julia", "--end", 0.3, "--samples", 3, multipliers=False)


def test_parameters_and_steps_are_taken_as_in_python(load_example, export, tmp_path):
    model = load_example("slider-crank")
    folders = {"julia": export(model), "python": model.export("python", tmp_path / "python")}
    tables = []
    for target, folder in folders.items():
        (folder / "parameters.txt").write_text("F = 150  # less gas\n\nM=1.5\n")
        tables.append(run(folder, target, "parameters.txt", "--step", 0.004, "--end", 0.2, "--samples", 3)[1])
    np.testing.assert_allclose(*tables, rtol=0, atol=1e-10 * np.abs(tables[0]).max())
    changed = model.with_parameters(F=150, M=1.5)
    compare(changed, folders["julia"], "julia", "parameters.txt", "--end", 0.2, "--samples", 2)


def test_a_mass_that_becomes_zero_is_refused_in_julia(load_example, export):
    folder = export(load_example("slider-crank"))
    (folder / "parameters.txt").write_text("M = 0\n")
    done = subprocess.run([*build(folder, "julia"), "parameters.txt"], cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "the equations are others then" in done.stderr


def test_other_programs_include_the_file_and_ask_for_rates_and_jacobians(load_example, export, interpret):
    model = load_example("slider-crank")
    folder = export(model, jacobian=True)
    done = interpret(f"""
include("{folder.name}/slider_crank.jl")
m = Model(F = 150.0)
init(m)
println(join(rhs(m, 0.1, start)[1], ","))
println(join(jacobian(m, 0.1, start), ","))
""")
    assert done.err == ""
    rates, slopes = (np.array(line.split(","), dtype=float) for line in done.out.splitlines())
    f = model.with_parameters(F=150).rhs()
    np.testing.assert_allclose(rates, f(0.1, model.rhs().start), atol=1e-11 * np.abs(rates).max())
    np.testing.assert_allclose(slopes, f.jacobian(0.1, model.rhs().start).ravel(), atol=1e-11 * np.abs(slopes).max())


NAMES = [
    "zeros",
    "ifelse",
    "safe_sqrt",
    "user",
    "nothing",
    "copy",
    "sum",
    "row",
    "take",
    "isfinite",
    "number",
    "function",
]


def test_parameters_and_coordinates_may_have_names_of_functions(export):
    energy = " + ".join(f"({name}'**2 - {name}**2)/2" for name in NAMES[:6])
    rest = "*".join(NAMES[6:])
    model = lw.lagrangian(
        NAMES[:6], f"({energy})*{rest}", parameters=dict.fromkeys(NAMES[6:], 1.1), start={"zeros": 1, "copy": 0.5},
        title="names", tend=0.2,
    )  # fmt: skip
    compare(model, export(model), "julia", "--samples", 2)


def test_functions_of_formulas_are_those_of_julia(export):
    law = """-x**5 - x**7*abs(x)**1.5 + tan(x/4) + asin(x/9) + acos(x/9) + log(3 + x) + exp(-x) + tanh(x) + min(x, 0.1)
    + max(x, -0.2) + 0.1*sign(x) + atan2(x, 2) + sqrt(4 + x) + select(x < 0, -x, -2*x)"""
    model = lw.lagrangian("x", "x'**2/2", forces={"x": law.replace("\n", "")}, start={"x": -1}, tend=0.5, title="laws")
    compare(model, export(model), "julia", "--samples", 3)


def test_what_leaves_the_range_of_numbers_ends_in_words_and_not_in_functions_that_refuse_it(export):
    # sin(Inf) is an error in Julia; elsewhere it is NaN, and the step is tried again
    law = {"x": "x**3*exp(x) + sin(x)"}
    folder = export(lw.lagrangian("x", "x'**2/2", forces=law, start={"x": 1}, tend=5, title="beyond"))
    command = [*build(folder, "julia"), "--tolerance", "1e-4"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "beyond: the step became too small\n")
    assert np.isnan(run(folder, "julia", "--step", 0.1, "--samples", 2)[1][-1, 1:]).all()


def test_laws_that_nothing_satisfies_end_in_words(export):
    model = lw.lagrangian(
        "x", "x'**2/2", variables={"F": lw.Implicit(formula="F**2 + x", guess=1)}, forces={"x": "F"}, start={"x": -1},
        tend=2, title="root",
    )  # fmt: skip
    folder = export(model)
    done = subprocess.run(build(folder, "julia"), cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "root: the step became too small\n")


@pytest.mark.usefixtures("functions_stay_in_their_test")
def test_functions_to_be_filled_in_coordinates_and_parameters_may_have_the_same_names(export):
    for name in ("drag", "row"):
        lw.function(name, lambda v, c: -c * v * abs(v), opaque=True)
    forces = {"drag": "drag(drag', user) - drag", "y": "row(y', user)"}
    model = lw.lagrangian(
        "drag y", "m*(drag'**2 + y'**2)/2", forces=forces, parameters={"m": 1, "user": 0.2}, tend=0.5, title="slide",
        start={"drag'": 1, "y'": 1},
    )  # fmt: skip
    folder = export(model)
    text = (folder / "external.jl").read_text()
    (folder / "external.jl").write_text(re.sub(r'error\(".*"\)', "return -c*v*abs(v)", text))
    compare(model, folder, "julia", "--samples", 2)


def test_a_model_without_parameters_has_a_file_of_none(export):
    model = lw.lagrangian("x", "x'**2/2 - x**2/2", start={"x": 1}, tend=0.2, title="free")
    folder = export(model)
    (folder / "given.txt").write_text("k = 1\n")
    compare(model, folder, "julia", "--samples", 2)
    done = subprocess.run([*build(folder, "julia"), "given.txt"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and "given.txt:1: no parameter named k" in done.stderr
