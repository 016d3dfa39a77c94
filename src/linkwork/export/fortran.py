"""Fortran: a module with the model, a program that integrates, a Makefile. Fortran 2018, one file each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from linkwork.export.code import Function, Tree, walk
from linkwork.export.document import write_document, write_parameters
from linkwork.export.exported import Exported
from linkwork.export.language import Language, Speaker, plain_number, wrap, wrap_list
from linkwork.export.mode_tables import TROUBLE, count_modes, list_goals, list_kinds
from linkwork.export.modes import Modes, Wanted
from linkwork.export.naming import Naming
from linkwork.export.sampling import NUMBERS, Controller
from linkwork.export.stubs import Stub
from linkwork.export.template import fill, find_words
from linkwork.export.usage import TOLERANCES, list_usage
from linkwork.quoting import column_name, count_bytes, fortran_comment, fortran_string
from linkwork.symbolic import Curve

WORDS = """m j mm t y dy r s g dg out lambda dp model start sizes init rhs residual correct constraints outputs events
set_parameter sin cos tan asin acos atan atan2 tanh exp log sqrt abs min max sgn sign merge int real size
spread sum product curve_value curve_side curve_piece n states multipliers if do end call use module
program function subroutine contains type pure else then where print write read return stop in is to only
kind max_length unused fits i j k h main state_names out_names multiplier_names event_names event_directions
event_stops integer logical character parameter t0 step until ended samples tolerance fixed_step end_time
fail rates attempt advance locate read_number read_parameters read_arguments close_constraints try_step
fail_in take_number read_parameter read_whole most_rows most_steps try_classical find_change write_head write_row
output_count event_count error_unit output_names value
ieee_is_finite improve a act acts event act_count happen crossed before after mm gg ff cc vv z by of"""

# procedures that not every module has
OPTIONAL = """jacobian mass loop clocks reads answers terms moves renorm readings slopes get_settled set_settled
eliminate settle"""


INTRINSIC = """
acosh adjustl adjustr aimag aint all allocated anint any asinh associated atanh bessel_j0 bessel_j1 bessel_jn
bessel_y0 bessel_y1 bessel_yn bge bgt bit_size ble blt btest ceiling char cmplx command_argument_count conjg cosh count
cpu_time cshift dble digits dim dot_product dprod dshiftl dshiftr eoshift epsilon erf erfc erfc_scaled event_query
exponent extends_type_of findloc floor fraction gamma get_command get_environment_variable huge hypot iachar iall iand
iany ibclr ibits ibset ichar ieor image_index index ior iparity is_contiguous is_iostat_end is_iostat_eor ishft ishftc
lbound leadz len len_trim lge lgt lle llt log10 log_gamma maskl maskr matmul maxexponent maxloc maxval merge_bits
minexponent
minloc minval mod modulo move_alloc mvbits nearest new_line nint norm2 not null num_images out_of_range pack parity
popcnt poppar precision present radix random_init random_number random_seed range rank reduce repeat reshape rrspacing
same_type_as scale scan selected_char_kind selected_int_kind selected_real_kind set_exponent shape shifta shiftl shiftr
sinh spacing storage_size system_clock this_image tiny trailz transfer transpose trim ubound unpack verify"""
# what the program defines and calls, which sees the names of the module
KNOWN = find_words(r"\b([a-z]\w*)\(", "fortran").union(
    find_words(r"(?:::|,|only:) ([a-z]\w*)", "fortran"),
    find_words(r"\b(?:subroutine|function|program|module|type ::|intrinsic ::|submodule \(@name@\)) (\w+)", "fortran"),
    INTRINSIC.split(),
)


def number(value: float) -> str:
    """A literal."""
    return f"{plain_number(value)}_dp" if isfinite(value) else "huge(1.0_dp)"


# what holds if a value is not as it must not be; compilers warn of numbers that are compared for being equal
RIGHT = {"==": "abs({}) > 0.0_dp", "!=": "abs({}) <= 0.0_dp", "<": "{} >= 0.0_dp", "<=": "{} > 0.0_dp"}
FORTRAN = Language(
    number=number,
    functions={
        "pow": "({0})**{1}",
        "sign": "sgn({0})",
        "select": "merge({1}, {2}, {0})",
    },
    keywords=frozenset(["holds", "fastest", "slow", "user"]),
    reserved=frozenset(word.lower() for word in WORDS.split()),
    defined=KNOWN,
    outside=KNOWN.union(OPTIONAL.split()),
    folds=True,
    more=" &",
)

# each argument with what is done to it
ARGUMENTS = {
    "rhs": (("y", "in"), ("dy", "out"), ("lambda", "out")),
    "residual": (("y", "in"), ("dy", "in"), ("lambda", "in"), ("r", "out")),
    "correct": (("y", "in"), ("dy", "out")),
    "constraints": (("y", "in"), ("g", "out"), ("dg", "out")),
    "outputs": (("y", "in"), ("dy", "in"), ("lambda", "in"), ("out", "out")),
    "events": (("y", "in"), ("s", "out")),
    "acts": (("y", "in"), ("a", "out")),
    "loop": (("y", "in"), ("z", "out"), ("J", "out")),
    "clocks": (("z", "out"),),
    "reads": (("y", "in"), ("dy", "in"), ("lambda", "in"), ("z", "out")),
    "answers": (("y", "in"), ("dy", "in"), ("lambda", "in"), ("z", "out")),
    "jacobian": (("y", "in"), ("J", "out")),
    "mass": (("y", "in"), ("mm", "out")),
    "terms": (("y", "in"), ("mm", "out"), ("gg", "out"), ("ff", "out"), ("cc", "out")),
    "moves": (("y", "in"), ("vv", "in"), ("dy", "out")),
    "renorm": (("y", "in"), ("dy", "out")),
    "readings": (("y", "in"), ("z", "out")),
    "slopes": (("y", "in"), ("z", "out")),
}
# of `loop`, where constraints come and go
LOOP = tuple((name, "in") for name in ("y", "dy", "lambda")) + tuple((name, "out") for name in ("z", "J", "by", "of"))
REMARKS = {
    "rhs": "the rates dy of the state y, and the multipliers",
    "residual": "what is missing in M a + G' lambda = f",
    "correct": "the smallest change of the state, by masses, that closes the constraints to first order",
    "constraints": "by how much constraints are open, and how fast they open",
    "outputs": "the values of output_names",
    "jacobian": "the derivatives of the rates by the state, row by row",
    "mass": "the mass matrix, row by row",
    "events": "values that change their sign where something happens",
    "loop": "what vanishes for the values in laws that belong to the same instant, and its slopes, row by row",
    "clocks": "of each controller its period, its offset, and in which steps values are read and set",
    "reads": "what controllers read at their instants",
    "answers": "what controllers set and remember by formulas",
    "acts": "what events make of speeds, states and inputs",
    "terms": "the mass matrix, the constraint matrix, both row by row, the forces, and what G a is",
    "moves": "the rates of places with given speeds",
    "renorm": "corrections of what must have length one",
    "readings": "the restitutions of stops, then the largest forces that friction holds",
    "slopes": "the slopes of speeds that events give values, by all speeds, row by row",
}
USAGE = """
```sh
make
./{name} [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv
```

`{name}.f90` is the model: a variable of `type(model)` has the parameters with their values; change what you like, call
`init`, then `rhs`. Nothing is kept: any number of models may run side by side. `main.f90` shows how; its steps are
those of Dormand and Prince (order 5), or with `--step` equally long ones of order 4{closing}.
Places below are counted from 0. Fortran 2018 with IEEE arithmetic: compile without `-ffast-math`.
"""


def _list_trouble() -> Iterator[str]:
    """What a negative status means, case by case."""
    for i, what in enumerate(TROUBLE):
        yield f"      case ({-i - 1})"
        yield f'         text = "{what}"'


class Writer:
    """Writes one model."""

    def __init__(self, exported: Exported, equations: str) -> None:
        self.x, self.equations = exported, equations
        self.names = Naming(exported, FORTRAN)
        self.arguments = ARGUMENTS | ({"loop": LOOP} if exported.modes else {})

    def files(self) -> dict[str, str]:
        """Texts by file name."""
        x, name = self.x, self.names.model
        counts = {"states": x.states, "multipliers": x.multipliers, "outputs": x.outputs, "events": x.watched}
        words = {
            "name": name,
            "title": fortran_comment(x.title),
            "written": fortran_comment(x.written),
            "fields": self._fields(),
        }
        words |= {f"n_{key}": str(len(named)) for key, named in counts.items()}
        words |= {"t0": number(x.t0), "tend": number(x.tend), "data": "\n".join(self._data())}
        words |= {"closing": " Constraints are closed after each step." if x.corrects else "", "known": self._known()}
        functions = ["\n".join(self._function(f)) for f in x.code.functions]
        words["functions"] = "\n\n".join([*functions, *(["\n".join(self._act())] if x.acts else [])])
        words["n_acts"] = str(sum(len(act.targets) for act in x.acts))
        words["init"] = "\n".join(self._init())
        told = (f"            write (*, '(a)') {fortran_string(line)}" for line in list_usage(x, f"./{name}"))
        words |= TOLERANCES | {"usage": "\n".join(told)}
        flags = self.names.flags | {
            "signs": x.code.uses("sign"),
            "curves": bool(x.code.curves),
            "sides": x.code.uses("side"),
            "ieee": bool(x.settled or x.modes),
        }
        words |= {"interfaces": "\n".join(self._interfaces()), "stub_bodies": "\n".join(self._stub_bodies())}
        words["external"] = " external.f90" if self.names.flags["stubs"] else ""
        words |= {f"n_{f.name}": str(len(f.results["z"])) for f in x.code.functions if "z" in f.results}
        words |= {"n_held": str(sum(len(c.held) for c in x.controllers)), "n_controllers": str(len(x.controllers))}
        words["most"] = str(max((max(c.reads, c.targets) for c in x.controllers), default=0))
        words["n_settled"] = str(len(x.settled))
        words["pack_settled"] = "\n".join(self._pack("settled", [n.name for n in x.settled]))
        words["hold"] = "\n".join(self._hold())
        seen = ("watched_count", "watch") if flags["happens"] else ("event_count", "events")
        words |= dict(zip(("seen", "watch"), seen, strict=True))
        if x.modes:
            words |= count_modes(x) | {"solve": fill("fortran/solve.f90", words | count_modes(x), flags).rstrip()}
            words["pack_grips"] = "\n".join(self._pack_grips(x.modes))
        words["trouble"] = "\n".join(_list_trouble())
        words["modal"] = " modes.f90" if flags["happens"] else ""
        closing = ", each followed by closing the constraints" if x.corrects else ""
        return {
            f"{name}.f90": fill("fortran/model.f90", words, flags),
            **({"modes.f90": fill("fortran/modes.f90", words, flags)} if flags["happens"] else {}),
            "main.f90": fill("fortran/main.f90", words, flags),
            "Makefile": fill("fortran/Makefile", words, flags),
            **({"external.f90": fill("fortran/external.f90", words, flags)} if self.names.flags["stubs"] else {}),
            "parameters.txt": write_parameters(x),
            "README.md": write_document(x, self.names, USAGE.format(name=name, closing=closing), self.equations),
        }

    # -- data -----------------------------------------------------------------------------------------------------

    def _fields(self) -> str:
        lines: list[str] = []
        for title, named in (
            ("parameters: set them, then call init", self.x.parameters),
            ("inputs: may change at any time", self.x.inputs),
            ("values in laws that belong to the same instant: where they were settled last", self.x.settled),
        ):
            if named:
                lines.append(f"      ! {title}")
            for n in named:
                words = " ".join(w for w in (f"[{n.unit}]" if n.unit else "", n.words) if w)
                remark = f"  ! {fortran_comment(words)}" if words else ""
                lines.append(f"      real(dp) :: {self.names.field(n.name)} = {number(n.value)}{remark}")
        constants = [self.names.constant(name) for name in self.x.code.constants]
        if constants:
            lines.append("      ! constants: computed by init")
            lines += _declare("      real(dp) :: ", constants)
        if self.x.modes:
            held = [".false." if i in self.x.modes.off else ".true." for i in range(len(self.x.multipliers))]
            lines.append("      ! which constraints hold")
            lines += wrap_list(f"      logical :: holds({len(held)}) = [", held, "]", FORTRAN.width, FORTRAN.more)
        if self.names.flags["grips"]:
            lines.append("      ! how fast friction has slid, and a share of that which is slow")
            lines.append("      real(dp) :: fastest(grip_count) = 0.0_dp, slow = 1.0e-10_dp")
        if self.names.flags["stubs"]:
            lines.append("      ! whatever functions in external.f90 remember")
            lines.append("      class(*), pointer :: user => null()")
        return "\n".join(lines or ["      logical :: unused = .false."])

    def _data(self) -> Iterator[str]:
        x = self.x
        yield from _array("start", [number(s.value) for s in x.states])
        yield from _array("sizes", [number(s) for s in x.scales])
        for key, named in (
            ("state", x.states),
            ("multiplier", x.multipliers),
            ("output", x.outputs),
            ("event", x.told),
        ):
            if named:
                longest = max(count_bytes(n.name) for n in named)
                kind = f"character(len={longest})"
                yield from _array(
                    f"{key}_names", [fortran_string(column_name(n.name)) for n in named], kind, f"{kind} :: "
                )
        if x.watched:
            yield from _array("event_directions", [str(w.direction if w.event else 2) for w in x.told], "integer")
            stops = [".true." if w.stop else ".false." for w in x.told]
            yield from _array("event_stops", stops, "logical")
            yield from _array("event_kinds", [str(kind) for kind in list_kinds(x)], "integer")
        if goals := list_goals(x):
            yield from _array("goal_event", [str(event + 1) for event, _ in goals], "integer")
            yield from _array("goal_of", [str(goal + 1) for _, goal in goals], "integer")
        if x.modes and x.modes.happens:
            yield from self._modes(x.modes)
        if x.controllers:
            for name, values in zip(NUMBERS, zip(*(c.numbers for c in x.controllers), strict=True), strict=True):
                yield from _array(f"{name}_of", list(map(str, values)), "integer")
            yield from _array("delay_of", [number(c.delay) for c in x.controllers])
        for i, curve in enumerate(x.code.curves):
            yield from _table(i + 1, curve)

    def _modes(self, modes: Modes) -> Iterator[str]:
        """Who holds when; numbers are counted from 1."""

        def logical(values: Iterable[bool]) -> list[str]:
            return [".true." if value else ".false." for value in values]

        def places(values: Iterable[int]) -> list[str]:
            return [str(value + 1) for value in values]

        if modes.barriers:
            yield from _array("barrier_row", places(b.row for b in modes.barriers), "integer")
            yield from _array("barrier_watch", places(b.watch for b in modes.barriers), "integer")
            yield from _array("barrier_is_gap", logical(b.is_gap for b in modes.barriers), "logical")
        if modes.grips:
            yield from _array("grip_first", places(g.rows[0] for g in modes.grips), "integer")
            yield from _array("grip_last", places(g.rows[-1] for g in modes.grips), "integer")
            yield from _array("grip_watch", places(g.watch for g in modes.grips), "integer")
        if modes.switches:
            yield from _array("switch_event", places(s.event for s in modes.switches), "integer")
            yield from _array("switch_row", places(s.row for s in modes.switches), "integer")
            yield from _array("switch_on", logical(s.on for s in modes.switches), "logical")
        if modes.wanted:
            for name, values in zip(Wanted._fields, zip(*modes.wanted, strict=True), strict=True):
                yield from _array(f"wanted_{name}", places(values), "integer")

    def _pack_grips(self, modes: Modes) -> Iterator[str]:
        """Subroutines that make an array of the ways of friction, and the other way round."""
        fields = [
            (i + 1, k + 1, self.names.field(name))
            for i, some in enumerate(modes.sliding)
            for k, name in enumerate(some)
        ]
        yield "   pure subroutine get_grips(m, grips)"
        yield "      type(model), intent(in) :: m"
        yield "      real(dp), intent(out) :: grips(:, :)"
        yield "      grips = 0.0_dp"
        yield from (f"      grips({k}, {i}) = m%{field}" for i, k, field in fields)
        yield "   end subroutine get_grips"
        yield ""
        yield "   pure subroutine set_grips(m, grips)"
        yield "      type(model), intent(inout) :: m"
        yield "      real(dp), intent(in) :: grips(:, :)"
        yield from (f"      m%{field} = grips({k}, {i})" for i, k, field in fields)
        yield "   end subroutine set_grips"

    def _known(self) -> str:
        lines = []
        for n in self.x.parameters:
            lines += [f"      case ({fortran_string(n.name)})", f"         m%{self.names.field(n.name)} = value"]
        return "\n".join(lines)

    # -- functions to be filled in --------------------------------------------------------------------------------

    def _stub_head(self, stub: Stub, indent: str) -> Iterator[str]:
        arguments, name = self.names.arguments(stub), self.names.function(stub.name)
        head = f"pure module function {name}({', '.join(['m', *arguments])}) result(value)"
        yield from wrap(head, indent, FORTRAN.width, FORTRAN.more)
        yield f"{indent}   type(model), intent(in) :: m"
        yield f"{indent}   real(dp), intent(in) :: {', '.join(arguments)}"
        yield f"{indent}   real(dp) :: value"

    def _interfaces(self) -> Iterator[str]:
        for stub in self.x.stubs:
            yield from self._stub_head(stub, "      ")
            yield f"      end function {self.names.function(stub.name)}"
        for c in (c for c in self.x.controllers if c.calls):
            yield from self._asked_head(c, "      ")
            yield f"      end subroutine {self.names.function(c.name)}"

    def _asked_head(self, c: Controller, indent: str) -> Iterator[str]:
        yield f"{indent}module subroutine {self.names.function(c.name)}(m, t, read, set)"
        yield f"{indent}   type(model), intent(inout) :: m"
        yield f"{indent}   real(dp), intent(in) :: t, read(:)"
        yield f"{indent}   real(dp), intent(out) :: set(:)"

    def _stub_bodies(self) -> Iterator[str]:
        for stub in self.x.stubs:
            yield ""
            arguments = self.names.arguments(stub)
            yield from (f"   !> {fortran_comment(line)}" for line in stub.remarks(arguments))
            yield from self._stub_head(stub, "   ")
            for name in ("m", *arguments):
                yield f"      associate (unused => {name}); end associate"
            yield "      value = 0.0_dp"
            what = f"{self.names.model}: the function {stub.name} in external.f90 is to be filled in"
            yield f"      error stop {fortran_string(what)}"
            yield f"   end function {self.names.function(stub.name)}"
        for c in (c for c in self.x.controllers if c.calls):
            yield ""
            yield from (f"   !> {fortran_comment(line)}" for line in c.remarks("({})", 1))
            yield from self._asked_head(c, "   ")
            for name in ("m", "t", "read"):
                yield f"      associate (unused => {name}); end associate"
            yield "      set = 0.0_dp"
            what = f"{self.names.model}: the function {c.name} in external.f90 is to be filled in"
            yield f"      error stop {fortran_string(what)}"
            yield f"   end subroutine {self.names.function(c.name)}"

    def _pack(self, what: str, names: Sequence[str]) -> Iterator[str]:
        """Subroutines that make an array of some fields, and the other way round."""
        fields = [f"m%{self.names.field(name)}" for name in names]
        yield f"   pure subroutine get_{what}(m, {what})"
        yield "      type(model), intent(in) :: m"
        yield f"      real(dp), intent(out) :: {what}(:)"
        yield from (f"      {what}({i + 1}) = {field}" for i, field in enumerate(fields))
        yield f"   end subroutine get_{what}"
        yield ""
        yield f"   pure subroutine set_{what}(m, {what})"
        yield "      type(model), intent(inout) :: m"
        yield f"      real(dp), intent(in) :: {what}(:)"
        yield from (f"      {field} = {what}({i + 1})" for i, field in enumerate(fields))
        yield f"   end subroutine set_{what}"

    def _hold(self) -> Iterator[str]:
        """What controllers hold as an array, and who is asked."""
        yield "   !> all that controllers hold"
        yield from self._pack("held", [name for c in self.x.controllers for name in c.held])
        if not self.names.flags["asks"]:
            return
        yield ""
        yield "   !> what a controller answers"
        yield "   subroutine ask_external(m, controller, t, read, set)"
        yield "      type(model), intent(inout) :: m"
        yield "      integer, intent(in) :: controller"
        yield "      real(dp), intent(in) :: t, read(:)"
        yield "      real(dp), intent(out) :: set(:)"
        yield "      set = 0.0_dp"
        yield "      select case (controller)"
        for i, c in enumerate(self.x.controllers):
            if c.calls:
                yield f"      case ({i + 1})"
                yield f"         call {self.names.function(c.name)}(m, t, read, set)"
        yield "      end select"
        yield "   end subroutine ask_external"

    # -- functions ------------------------------------------------------------------------------------------------

    def _speaker(self, model: str = "m%") -> Speaker:
        numbers = {curve: i + 1 for i, curve in enumerate(self.x.code.curves)}

        def say_curve(tree: Tree, x: str) -> str:
            assert tree.curve is not None
            c = f"curve_{numbers[tree.curve]}"
            if tree.op == "side":
                return f"curve_side({c}_knots, {x})"
            period = number(tree.curve.period)
            return f"curve_value({c}_knots, {c}_origins, {c}_coefficients, {period}, {x}, {tree.value:.0f})"

        return self.names.speaker(model, say_curve, "{0}(m, {1})")

    def _init(self) -> Iterator[str]:
        init = self.x.code.init
        local = [s.name for section in init.sections for s in section.statements if not s.constant]
        yield from _declare("      real(dp) :: ", local)
        if not init.sections:
            yield "      associate (unused => m); end associate"
        speaker = self._speaker()
        body = [*self._statements(init, speaker)]
        if not body and not self.x.code.bounds:
            yield "      associate (unused => m); end associate"
        yield from body
        right = [RIGHT[wrong].format(speaker.say(tree)) for tree, wrong in self.x.code.bounds]
        text = f"if (present(fits)) fits = {' .and. '.join(right) or '.true.'}"
        yield from wrap(text, "      ", FORTRAN.width, FORTRAN.more)

    def _function(self, f: Function) -> Iterator[str]:
        settles, arguments = self.x.settles(f), self.arguments[f.name]
        speaker = self._speaker("now%" if settles else "m%")
        loads = self.names.loads(f)
        yield f"   !> {REMARKS[f.name]}"
        yield f"   pure subroutine {f.name}(m, t, {', '.join(name for name, _ in arguments)})"
        yield "      type(model), intent(in) :: m"
        yield "      real(dp), intent(in) :: t"
        for name, what in arguments:
            yield f"      real(dp), intent({what}) :: {name}(:)"
        local = [s.name for section in f.sections for s in section.statements]
        yield from _declare("      real(dp) :: ", [*(name for name, _, _ in loads), *local])
        yield from ["      type(model) :: now"] if settles else []
        yield from self._unused(f)
        yield from ["      now = m", "      call settle(now, t, y)"] if settles else []
        yield from (f"      {name} = {array}({i + 1})" for name, array, i in loads)
        yield from self._statements(f, speaker)
        for array, trees in f.results.items():
            for i, tree in enumerate(trees):
                yield from wrap(f"{array}({i + 1}) = {speaker.say(tree)}", "      ", FORTRAN.width, FORTRAN.more)
        if f.name == "rhs" and "lambda" not in f.results:
            yield "      lambda = 0.0_dp"
        yield f"   end subroutine {f.name}"

    def _act(self) -> Iterator[str]:
        """The subroutine that gives the values of an event to their places."""
        yield "   !> give the values that acts has computed for an event to the inputs in m and the state y"
        yield "   pure subroutine act(m, event, a, y)"
        yield "      type(model), intent(inout) :: m"
        yield "      integer, intent(in) :: event"
        yield "      real(dp), intent(in) :: a(:)"
        yield "      real(dp), intent(inout) :: y(:)"
        yield "      associate (unused => m); end associate"
        yield "      associate (unused => y); end associate"
        yield "      select case (event)"
        for act in self.x.acts:
            yield f"      case ({act.event + 1})"
            for i, target in enumerate(act.targets, act.first):
                place = f"m%{self.names.field(target.name)}" if target.name else f"y({target.place + 1})"
                yield f"         {place} = a({i + 1})"
        yield "      end select"
        yield "   end subroutine act"

    def _statements(self, f: Function, speaker: Speaker) -> Iterator[str]:
        for section in f.sections:
            if section.title:
                yield f"      ! {fortran_comment(section.title)}"
            for s in section.statements:
                name = speaker.constant(s.name) if s.constant else speaker.local(s.name)
                yield from wrap(f"{name} = {speaker.say(s.tree)}", "      ", FORTRAN.width, FORTRAN.more)

    def _unused(self, f: Function) -> Iterator[str]:
        """Arguments that nobody reads, so that no compiler wonders."""
        used = {array for _, array, _ in self.names.loads(f)} | set(f.results) | {"lambda" if f.name == "rhs" else ""}
        if any(s.kind == "t" for s in f.inputs):
            used.add("t")
        if self.x.settles(f):
            used |= {"m", "t", "y"}
        if any(s.kind in ("p", "w") for s in f.inputs) or any(
            t.op in ("constant", "call") for tree in f.trees for t in walk(tree)
        ):
            used.add("m")
        for name in ("m", "t", *(name for name, _ in self.arguments[f.name])):
            if name not in used:
                yield f"      associate (unused => {name}); end associate"


def _declare(head: str, names: Sequence[str]) -> Iterator[str]:
    """Declarations, one line each."""
    line = ""
    for name in names:
        if line and len(line) + len(name) + 2 > FORTRAN.width - 10:
            yield line
            line = ""
        line = f"{line}, {name}" if line else f"{head}{name}"
    if line:
        yield line


PIECE = 400  # numbers in one statement, which may not have too many lines


def _array(name: str, values: Sequence[str], kind: str = "real(dp)", typed: str = "") -> Iterator[str]:
    """A constant array, in pieces if it is long."""
    pieces = [values[i : i + PIECE] for i in range(0, len(values), PIECE)]
    if len(pieces) > 1:
        for k, piece in enumerate(pieces):
            yield from _array(f"{name}_{k + 1}", piece, kind, typed)
        values = [f"{name}_{k + 1}" for k in range(len(pieces))]
        typed = ""
    size = sum(map(len, pieces))
    head = f"   {kind}, parameter :: {name}({size}) = [{typed if size else kind + ' :: '}"
    yield from wrap_list(head, values, "]", FORTRAN.width, FORTRAN.more)


def _table(i: int, curve: Curve) -> Iterator[str]:
    def row(values: Iterable[float]) -> list[str]:
        return [number(float(x)) for x in values]

    yield from _array(f"curve_{i}_knots", row(curve.knots))
    yield from _array(f"curve_{i}_origins", row(curve.origins))
    shape = f"{curve.degree + 1}, {len(curve.origins)}"
    yield from _array(f"curve_{i}_rows", row(curve.coefficients.ravel()))
    yield f"   real(dp), parameter :: curve_{i}_coefficients({shape}) = reshape(curve_{i}_rows, [{shape}])"


def write_fortran(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in Fortran."""
    return Writer(exported, equations).files()
