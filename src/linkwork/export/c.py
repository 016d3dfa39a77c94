"""C: a header, the functions, a program that integrates, a Makefile. C99, nothing but the standard library."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from linkwork.export.code import Function, Tree, walk
from linkwork.export.curves import c_tables
from linkwork.export.document import write_document, write_parameters
from linkwork.export.exported import Exported, Named
from linkwork.export.language import Language, Speaker, plain_number, wrap, wrap_list
from linkwork.export.mode_tables import TROUBLE, count_modes, list_tables
from linkwork.export.naming import Naming
from linkwork.export.pieces import Pieces, cut
from linkwork.export.sampling import Controller
from linkwork.export.stubs import Stub
from linkwork.export.template import fill, find_words
from linkwork.export.usage import TOLERANCES, list_usage
from linkwork.quoting import c_comment, c_string, column_name

KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool
_Complex _Imaginary asm bool true false nullptr holds fastest slow user"""
WORDS = """main m t y dy r s g dg out J mm lambda sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow fabs
fmin fmax sign floor ceil abs j0 j1 jn y0 y1 yn gamma printf z held NAN INFINITY
curve settings fail read_parameters number is_number read_parameter read_number read_whole most_rows most_steps tell
read_arguments rates size_of close_constraints try_step try_classical attempt find_change locate advance write_names
write_values write_row mm gg ff cc vv by of kept happen crossed jumped event a act acts curve_piece curve_value
curve_side"""

# of the headers that the program includes: macros, functions and types
MACROS = """NULL offsetof unreachable va_arg va_copy va_end va_start bool true false
HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN SNAN SNANF SNANL FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_FAST_FMA
FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_LLOGB0 FP_LLOGBNAN FP_INT_UPWARD FP_INT_DOWNWARD FP_INT_TOWARDZERO
FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO MATH_ERRNO MATH_ERREXCEPT math_errhandling fpclassify iscanonical iseqsig
isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal issignaling issubnormal
isunordered iszero signbit
M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS HUGE
BUFSIZ EOF FILENAME_MAX FOPEN_MAX L_tmpnam L_ctermid L_cuserid P_tmpdir TMP_MAX SEEK_CUR SEEK_END SEEK_SET SEEK_DATA
SEEK_HOLE stderr stdin stdout getc putc
EXIT_FAILURE EXIT_SUCCESS MB_CUR_MAX RAND_MAX WNOHANG WUNTRACED WEXITSTATUS WTERMSIG WSTOPSIG WIFEXITED WIFSIGNALED
WIFSTOPPED WIFCONTINUED alloca
INTMAX_MIN INTMAX_MAX UINTMAX_MAX INTPTR_MIN INTPTR_MAX UINTPTR_MAX PTRDIFF_MIN PTRDIFF_MAX SIZE_MAX SIG_ATOMIC_MIN
SIG_ATOMIC_MAX WCHAR_MIN WCHAR_MAX WINT_MIN WINT_MAX INTMAX_C UINTMAX_C linux unix i386"""
SIZED = [f"{sign}INT{kind}{bits}" for sign in ("", "U") for kind in ("", "_LEAST", "_FAST") for bits in (8, 16, 32, 64)]
KNOWN_MACROS = frozenset(
    [*MACROS.split(), "@NAME@_APART", *(f"{name}_{end}" for name in SIZED for end in ("MIN", "MAX", "WIDTH", "C"))]
) | find_words(r"^#define ([\w@]+)", "c", "fmu")
TYPES = """FILE fpos_t size_t ssize_t off_t ptrdiff_t wchar_t max_align_t va_list div_t ldiv_t lldiv_t float_t double_t
intmax_t uintmax_t intptr_t uintptr_t instance"""
MATHS = """acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p
log2
logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round
lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma"""
LIBRARY = """abort atexit atof atoi atol strtod bsearch calloc div exit free getenv labs ldiv malloc qsort rand
realloc srand system remove rename tmpfile tmpnam fclose fflush fopen freopen puts putc getc gets perror rewind
scanf memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen strstr strtok acosh asinh atanh cbrt
erf erfc exp2 expm1 fdim fma fmod frexp hypot ilogb ldexp lgamma logb lrint lround modf nan nearbyint nextafter
remainder rint round scalbn tgamma trunc fgetc fgetpos fgets fprintf fputc fputs fread fscanf fseek fsetpos ftell
fwrite getchar putchar printf scanf setbuf setvbuf snprintf sprintf sscanf tmpfile ungetc vfprintf vfscanf vprintf
vscanf vsnprintf vsprintf vsscanf clearerr feof ferror strtof strtold strtol strtoll strtoul strtoull atoll llabs lldiv
mblen mbtowc mbstowcs wctomb wcstombs memccpy strcoll strcspn strdup strerror strncat strncmp strncpy strpbrk strrchr
strspn strxfrm random select signal"""
# what the program itself defines
OWN = find_words(r"^(?!typedef)\w[\w *]*?\b(\w+)\(", "c", "fmu") | find_words(r"^} (\w+);", "c", "fmu")

C = Language(
    number=plain_number,
    functions={
        "abs": "fabs({0})",
        "min": "fmin({0}, {1})",
        "max": "fmax({0}, {1})",
        "select": "({0} ? {1} : {2})",
    },
    keywords=KNOWN_MACROS.union(KEYWORDS.split()),
    reserved=KNOWN_MACROS.union(KEYWORDS.split(), WORDS.split()),
    defined=find_words(r"@name@_(\w+)", "c"),
    outside=OWN.union(
        LIBRARY.split(), TYPES.split(), (f"{name}{end}" for name in MATHS.split() for end in ("", "f", "l"))
    ),
    value="double",
)

ARGUMENTS = {
    "rhs": ("y", "dy*", "lambda*"),
    "residual": ("y", "dy", "lambda", "r*"),
    "correct": ("y", "dy*"),
    "constraints": ("y", "g*", "dg*"),
    "outputs": ("y", "dy", "lambda", "out*"),
    "events": ("y", "s*"),
    "acts": ("y", "a*"),
    "loop": ("y", "z*", "J*"),
    "clocks": ("z*",),
    "reads": ("y", "dy", "lambda", "z*"),
    "answers": ("y", "dy", "lambda", "z*"),
    "jacobian": ("y", "J*"),
    "mass": ("y", "mm*"),
    "terms": ("y", "mm*", "gg*", "ff*", "cc*"),
    "moves": ("y", "vv", "dy*"),
    "renorm": ("y", "dy*"),
    "readings": ("y", "z*"),
    "slopes": ("y", "z*"),
    "values": ("y", "out*"),
}
# before the pieces of long functions, which a compiler must not put together again
APART = """#ifdef __GNUC__
#define {NAME}_APART __attribute__((noinline))
#else
#define {NAME}_APART
#endif"""
LOOP = ("y", "dy", "lambda", "z*", "J*", "by*", "of*")  # of `loop`, where constraints come and go


USAGE = """
```sh
make
./{name} [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv
```

`{name}.c` and `{name}.h` are the model: fill a struct `{name}` with `{name}_defaults`, change what you like, call
`{name}_init`, then `{name}_rhs`. No function keeps anything: any number of models may run side by side.
`integrate.c` makes steps, which are those of Dormand and Prince (order 5), or with `--step` equally long ones of
order 4{closing}.
C99 with IEEE arithmetic: compile without `-ffast-math`.
"""
MODES = """
`solve.c` has `{name}_rhs` and `{name}_correct`: they solve with the constraints that hold, as the field `holds` tells.
`modes.c` has what happens where they change: `{name}_begin` at the start, `{name}_happen` where something that
`{name}_watch` tells changes its sign.
"""


class Writer:
    """Writes one model."""

    def __init__(self, exported: Exported, equations: str, language: Language = C) -> None:
        self.x, self.equations, self.language = exported, equations, language
        self.names = Naming(exported, language)
        self.prefix = self.names.model
        self.arguments = ARGUMENTS | ({"loop": LOOP} if exported.modes else {})
        self.cut = {f.name: cut(f) for f in exported.code.functions}

    @cached_property
    def _words(self) -> dict[str, str]:
        """What fills the gaps of all files."""
        x, name = self.x, self.prefix
        words = {"name": name, "NAME": name.upper(), "title": c_comment(x.title), "written": c_comment(x.written)}
        words |= {"t0": plain_number(x.t0), "tend": plain_number(x.tend), "known": self._known()}
        words |= {"fields": self._fields(), "prototypes": self._prototypes(), **self._counts()}
        words |= {"functions": self._functions(), "data": self._data()}
        words["external"] = " external.c" if self.names.flags["stubs"] else ""
        words["closing"] = " Constraints are closed after each step." if x.corrects else ""
        words |= {"stub_prototypes": self._stub_prototypes(), "stub_bodies": self._stub_bodies()}
        words |= TOLERANCES | {"usage": "\n".join(f'    {c_string(line)} "\\n"' for line in list_usage(x, f"./{name}"))}
        words["modal_words"] = " and modes.c" if self.names.flags["happens"] else ""
        words["trouble"] = "\n".join(f'        "{what}",' for what in TROUBLE)
        modal = self.modal
        words |= {"modal": "".join(f" {file}" for file in modal if file.endswith(".c"))}
        return words | {"modal_h": "".join(f" {file}" for file in modal if file.endswith(".h"))}

    def model(self) -> tuple[str, str]:
        """The header and the text of the functions."""
        header, text = (fill(f"c/model.{kind}", self._words, self._flags) for kind in "hc")
        return header, text

    def files(self) -> dict[str, str]:
        """Texts by file name."""
        x, name = self.x, self.prefix
        stubs = ["external.c"] if self.names.flags["stubs"] else []
        own = ("integrate.h", "integrate.c", *self.modal, "main.c", "Makefile", *stubs)
        found = dict(zip((f"{name}.h", f"{name}.c"), self.model(), strict=True))
        found |= {file: fill(f"c/{file}", self._words, self._flags) for file in own}
        found["integrate.c"] += self.events
        closing = ", each followed by closing the constraints" if x.corrects else ""
        usage = (USAGE + MODES if x.modes else USAGE).format(name=name, closing=closing)
        found["parameters.txt"] = write_parameters(x)
        found["README.md"] = write_document(x, self.names, usage, self.equations)
        return found

    @property
    def watching(self) -> dict[str, str]:
        """What is looked at after each step, and how many values these are."""
        if self.names.flags["happens"]:
            return {"seen": "WATCHED", "watch": "watch"}
        return {"seen": "EVENTS", "watch": "events"}

    @property
    def events(self) -> str:
        """The end of integrate.c: how events are found, and what they do."""
        return "\n" + fill("c/events.c", self._words, self._flags) if self.x.watched else ""

    @property
    def modal(self) -> tuple[str, ...]:
        """The files of events, and of constraints that come and go."""
        events = ("events.h",) if self.x.watched else ()
        happens = ("modes.c",) if self.names.flags["happens"] else ()
        return (*(("solve.h", "solve.c", *happens) if self.x.modes else ()), *events)

    @property
    def _flags(self) -> dict[str, bool]:
        return self.names.flags | {"signs": self.x.code.uses("sign")}

    def _known(self) -> str:
        """Parameters by name, as those who read files look for them."""
        rows = [(c_string(n.name), self.names.field(n.name)) for n in self.x.parameters]
        return "\n".join(f"        {{{name}, offsetof({self.prefix}, {field})}}," for name, field in rows)

    # -- the header -----------------------------------------------------------------------------------------------

    def _counts(self) -> dict[str, str]:
        x = self.x
        counts = {"states": x.states, "multipliers": x.multipliers, "outputs": x.outputs, "events": x.watched}
        acts = sum(len(act.targets) for act in x.acts)
        held = sum(len(c.held) for c in x.controllers)
        more = {"parameters": str(len(x.parameters)), "acts": str(acts), "n_held": str(held)}
        more |= {
            "const": "" if x.acts or x.controllers or x.settled or x.modes else "const ",
            "n_controllers": str(len(x.controllers)),
        }
        more |= {f"n_{f.name}": str(len(f.results["z"])) for f in x.code.functions if "z" in f.results}
        more["n_settled"] = str(len(x.settled))
        more |= count_modes(x) if x.modes else {}
        more |= self.watching
        more["most"] = str(max((max(c.reads, c.targets) for c in x.controllers), default=0))
        return {key: str(len(values)) for key, values in counts.items()} | more

    def _fields(self) -> str:
        lines: list[str] = []
        for title, named in (
            ("parameters: set them, then call init", self.x.parameters),
            ("inputs: may change at any time", self.x.inputs),
            ("values in laws that belong to the same instant: where they were settled last", self.x.settled),
        ):
            if named:
                lines.append(f"    /* {title} */")
                lines += [f"    double {self.names.field(n.name)};{_remark(n)}" for n in named]
        constants = self.x.code.constants
        if constants:
            lines.append("    /* constants: computed by init */")
            lines += wrap_list("    double ", map(self.names.constant, constants), ";", C.width)
        if self.x.modes:
            lines += ["    /* which constraints hold */", f"    int holds[{len(self.x.multipliers)}];"]
        if self.names.flags["grips"]:
            lines.append("    /* how fast friction has slid, and a share of that which is slow */")
            lines.append(f"    double fastest[{self.x.modes.count_grips if self.x.modes else 0}], slow;")
        if self.names.flags["stubs"]:
            lines += ["    /* whatever functions in external.c remember */", "    void *user;"]
        return "\n".join(lines or ["    char unused;"])

    def _prototypes(self) -> str:
        return "\n".join(f"{self._head(f.name)};" for f in self.x.code.functions)

    # -- functions to be filled in --------------------------------------------------------------------------------

    def _stub_head(self, stub: Stub) -> str:
        arguments = [f"const {self.prefix} *m", *(f"double {name}" for name in self.names.arguments(stub))]
        head = f"double {self.prefix}_{self.names.function(stub.name)}("
        return "\n".join(wrap_list(head, arguments, ")", C.width))

    def _stub_prototypes(self) -> str:
        heads = [*map(self._stub_head, self.x.stubs), *(self._asked_head(c) for c in self.x.controllers if c.calls)]
        return "\n".join(f"{head};" for head in heads)

    def _asked_head(self, c: Controller) -> str:
        return (
            f"void {self.prefix}_{self.names.function(c.name)}({self.prefix} *m, double t, "
            "const double read[], double set[])"
        )

    def _stub_bodies(self) -> str:
        given = [(s, self.names.arguments(s)) for s in self.x.stubs]
        stubs = [(s.name, s.remarks(names), self._stub_head(s), ["m", *names]) for s, names in given]
        stubs += [
            (c.name, c.remarks("[{}]", 0), self._asked_head(c), ["m", "t", "read", "set"])
            for c in self.x.controllers
            if c.calls
        ]
        parts = []
        for name, remarks, head, arguments in stubs:
            what = f"{self.prefix}: the function {name} in external.c is to be filled in"
            lines = [*(f"/* {c_comment(line)} */" for line in remarks), head, "{"]
            lines.append("    " + " ".join(f"(void){argument};" for argument in arguments))
            lines += [f'    fputs({c_string(what)} "\\n", stderr);', "    exit(1);", "}"]
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    def _head(self, function: str) -> str:
        value = self.language.value
        arguments = [
            f"{value} {a[:-1]}[]" if a.endswith("*") else f"const {value} {a}[]" for a in self.arguments[function]
        ]
        head = f"void {self.prefix}_{function}("
        return "\n".join(wrap_list(head, [f"const {self.prefix} *m", f"{value} t", *arguments], ")", C.width))

    # -- functions ------------------------------------------------------------------------------------------------

    def _data(self) -> str:
        x, lines = self.x, list[str]()

        def table(kind: str, name: str, values: Iterable[str]) -> None:
            lines.extend(wrap_list(f"const {kind}{self.prefix}_{name}[] = {{", values, "};", C.width))

        table("double ", "start", (plain_number(s.value) for s in x.states))
        table("double ", "sizes", (plain_number(s) for s in x.scales))
        for key, named in (
            ("state", x.states),
            ("multiplier", x.multipliers),
            ("output", x.outputs),
            ("event", x.told),
        ):
            if named:
                table("char *const ", f"{key}_names", (c_string(column_name(n.name)) for n in named))
        if x.watched:
            table("int ", "event_directions", (str(w.direction if w.event else 2) for w in x.told))
            table("int ", "event_stops", (str(int(w.stop)) for w in x.told))
        for kind, name, rows in list_tables(x):
            table(f"{self.prefix}_{kind} " if kind else "int ", name, rows)
        if x.controllers:
            rows = [f"{{{', '.join(map(str, c.numbers))}, {plain_number(c.delay)}}}" for c in x.controllers]
            table(f"{self.prefix}_controller ", "controllers", rows)
        return "\n".join(lines) + "\n"

    def _functions(self) -> str:
        parts = [self._defaults(), self._init()]
        parts += ["\n".join(self._function(f)) for f in self.x.code.functions]
        parts += ["\n".join(self._act())] if self.x.acts else []
        parts += ["\n".join(self._settle())] if self.x.settled and not self.x.modes else []
        if self.x.modes and self.x.settled:
            parts.append("\n".join(self._pack("settled", [n.name for n in self.x.settled])))
        if self.x.modes and self.x.modes.grips:
            names = [name for some in self.x.modes.sliding for name in (*some, *[""] * (3 - len(some)))]
            parts.append("\n".join(self._pack("grips", names)))
        parts += ["\n".join(self._hold())] if self.x.controllers else []
        tables = c_tables(self.x.code.curves, self.x.code.uses("side"))
        apart = APART.format(NAME=self.prefix.upper()) if any(self.cut.values()) else ""
        return "\n\n".join([*(text for text in (tables, apart) if text), *parts])

    def _defaults(self) -> str:
        given = [*self.x.parameters, *self.x.inputs, *self.x.settled]
        lines = [f"    m->{self.names.field(n.name)} = {plain_number(n.value)};" for n in given]
        lines += ["    m->user = NULL;"] if self.names.flags["stubs"] else []
        if self.x.modes:
            held = [int(i not in self.x.modes.off) for i in range(len(self.x.multipliers))]
            lines += [f"    m->holds[{i}] = {on};" for i, on in enumerate(held)]
            lines += [f"    m->fastest[{i}] = 0.0;" for i in range(self.x.modes.count_grips)]
            lines += ["    m->slow = 1e-10;"] if self.x.modes.grips else []
        body = lines or ["    (void)m;"]
        return "\n".join([f"void {self.prefix}_defaults({self.prefix} *m)", "{", *body, "}"])

    def _init(self) -> str:
        init = self.x.code.init
        speaker = replace(self._speaker(), language=C)
        lines = [f"int {self.prefix}_init({self.prefix} *m)", "{"]
        lines += self._statements(init, speaker)
        if not init.sections and not self.x.code.bounds:
            lines.append("    (void)m;")
        # as many as the equations do not hold for
        wrong = [f"({speaker.say(tree)} {wrong} 0.0)" for tree, wrong in self.x.code.bounds]
        lines += wrap(f"return {' + '.join(wrong) or '0'};", "    ", C.width)
        return "\n".join([*lines, "}"])

    def _act(self) -> Iterator[str]:
        """The function that gives the values of an event to their places."""
        yield f"void {self.prefix}_act({self.prefix} *m, int event, const double a[], double y[])"
        yield "{"
        yield "    (void)m; (void)y;"
        yield "    switch (event) {"
        for act in self.x.acts:
            yield f"    case {act.event}:"
            for i, target in enumerate(act.targets, act.first):
                place = f"m->{self.names.field(target.name)}" if target.name else f"y[{target.place}]"
                yield f"        {place} = a[{i}];"
            yield "        break;"
        yield "    }"
        yield "}"

    def _settle(self) -> Iterator[str]:
        """The function that finds the values of an instant."""
        fields = [f"&m->{self.names.field(n.name)}" for n in self.x.settled]
        places = wrap_list("double *const w[] = {", fields, "};", C.width - 4)
        words = {"name": self.prefix, "count": str(len(fields)), "places": "\n".join(f"    {line}" for line in places)}
        yield fill("c/settle.c", words, {}).rstrip()

    def _hold(self) -> Iterator[str]:
        """What controllers hold as an array, and who is asked."""
        yield from self._pack("held", [name for c in self.x.controllers for name in c.held])
        if not self.names.flags["asks"]:
            return
        yield ""
        yield f"void {self.prefix}_ask({self.prefix} *m, int controller, double t, const double read[], double set[])"
        yield "{"
        yield "    switch (controller) {"
        for i, c in enumerate(self.x.controllers):
            if c.calls:
                yield f"    case {i}:"
                yield f"        {self.prefix}_{self.names.function(c.name)}(m, t, read, set);"
                yield "        break;"
        yield "    }"
        yield "}"

    def _pack(self, what: str, names: Sequence[str]) -> Iterator[str]:
        """Functions that make an array of some fields, and the other way round; what has no name is zero."""
        fields = [f"m->{self.names.field(name)}" if name else "" for name in names]
        yield f"void {self.prefix}_get_{what}(const {self.prefix} *m, double {what}[])"
        yield "{"
        yield from (f"    {what}[{i}] = {field or '0.0'};" for i, field in enumerate(fields))
        yield "}"
        yield ""
        yield f"void {self.prefix}_set_{what}({self.prefix} *m, const double {what}[])"
        yield "{"
        yield from (f"    {field} = {what}[{i}];" for i, field in enumerate(fields) if field)
        yield "}"

    def _speaker(self, model: str = "m->") -> Speaker:
        numbers = {curve: i + 1 for i, curve in enumerate(self.x.code.curves)}

        def say_curve(tree: Tree, x: str) -> str:
            assert tree.curve is not None
            if tree.op == "side":
                return f"curve_side(&curve_{numbers[tree.curve]}, {x})"
            return f"curve_value(&curve_{numbers[tree.curve]}, {x}, {tree.value:.0f})"

        return self.names.speaker(model, say_curve, f"{self.prefix}_{{0}}(m, {{1}})")

    def _function(self, f: Function) -> Iterator[str]:
        settles, pieces = self.x.settles(f), self.cut[f.name]
        speaker = self._speaker("now." if settles else "m->")
        if pieces:
            yield from self._pieces(f, pieces)
            speaker = replace(speaker, local=lambda name: f"kept.{name}")
        whole = pieces.last if pieces else f
        yield self._head(f.name)
        yield "{"
        if settles:
            yield f"    {self.prefix} now = *m;"
            yield f"    {self.prefix}_settle(&now, t, y);"
        yield from self._loads(whole)
        if pieces:
            yield f"    struct {self.prefix}_{f.name}_kept kept;"
            yield from self._calls(f, pieces, "&now" if settles else "m")
        else:
            yield from self._unused(f)
            yield from self._statements(f, speaker)
        for array, trees in f.results.items():
            yield f"    /* {RESULTS[f.name, array]} */"
            for i, tree in enumerate(trees):
                yield from wrap(f"{array}[{i}] = {speaker.say_value(tree)};", "    ", C.width)
        yield "}"

    def _loads(self, f: Function) -> Iterator[str]:
        for local, array, i in self.names.loads(f):
            yield f"    const {self.language.value} {local} = {array}[{i}];"

    # a long function is compiled in pieces, which hand on what later ones read in a struct

    def _pieces(self, f: Function, found: Pieces) -> Iterator[str]:
        struct = f"struct {self.prefix}_{f.name}_kept"
        yield f"/* what pieces of {self.prefix}_{f.name} hand on */"
        yield f"{struct} {{"
        yield from wrap_list(f"    {self.language.value} ", found.kept, ";", C.width)
        yield "};"
        yield ""
        kept = frozenset(found.kept)
        speaker = replace(self._speaker(), local=lambda name: f"kept->{name}" if name in kept else name)
        value = self.language.value
        arrays = [f"const {value} {a}[]" for a in self.arguments[f.name] if not a.endswith("*")]
        for i, piece in enumerate(found.pieces, 1):
            head = f"static {self.prefix.upper()}_APART void {self.prefix}_{f.name}_{i}("
            words = [f"const {self.prefix} *m", f"{value} t", *arrays, f"{struct} *restrict kept"]
            yield from wrap_list(head, words, ")", C.width)
            yield "{"
            yield from self._loads(piece)
            yield from self._unused(piece, results=False)
            yield from self._statements(piece, speaker, kept)
            yield "}"
            yield ""

    def _calls(self, f: Function, found: Pieces, model: str) -> Iterator[str]:
        arrays = [a for a in self.arguments[f.name] if not a.endswith("*")]
        words = ", ".join([model, "t", *arrays, "&kept"])
        yield from (f"    {self.prefix}_{f.name}_{i}({words});" for i in range(1, len(found.pieces) + 1))
        unread = [a.rstrip("*") for a in self.arguments[f.name] if a.endswith("*") and a.rstrip("*") not in f.results]
        if unread:
            yield "    " + " ".join(f"(void){a};" for a in unread)

    def _statements(self, f: Function, speaker: Speaker, kept: Collection[str] = ()) -> Iterator[str]:
        for section in f.sections:
            if section.title:
                yield f"    /* {c_comment(section.title)} */"
            for s in section.statements:
                name = speaker.constant(s.name) if s.constant else speaker.local(s.name)
                name = name if s.constant or s.name in kept else f"const {speaker.language.value} {name}"
                said = speaker.say(s.tree) if s.constant else speaker.say_value(s.tree)
                yield from wrap(f"{name} = {said};", "    ", C.width)

    def _unused(self, f: Function, results: bool = True) -> Iterator[str]:
        """Arguments that nobody reads, so that no compiler wonders."""
        used = {array for _, array, _ in self.names.loads(f)} | set(f.results)
        if any(s.kind == "t" for s in f.inputs):
            used.add("t")
        if results and self.x.settles(f):
            used |= {"m", "t", "y"}
        if any(s.kind in ("p", "w") for s in f.inputs) or any(
            t.op in ("constant", "call") for tree in f.trees for t in walk(tree)
        ):
            used.add("m")
        known = [a.rstrip("*") for a in self.arguments[f.name] if results or not a.endswith("*")]
        missing = [a for a in ("m", "t", *known) if a not in used]
        if missing:
            yield "    " + " ".join(f"(void){a};" for a in missing)


RESULTS = {
    ("rhs", "dy"): "rates of the state",
    ("rhs", "lambda"): "multipliers",
    ("residual", "r"): "what is missing in M a + G' lambda = f",
    ("correct", "dy"): "corrections of the state",
    ("constraints", "g"): "by how much constraints are open",
    ("constraints", "dg"): "and how fast they open",
    ("outputs", "out"): "outputs",
    ("values", "out"): "values of formulas",
    ("jacobian", "J"): "derivatives of the rates by the state, row by row",
    ("mass", "mm"): "mass matrix, row by row",
    ("events", "s"): "these change sign where something happens",
    ("clocks", "z"): "of each controller its period, its offset, and in which steps values are read and set",
    ("reads", "z"): "what controllers read",
    ("answers", "z"): "what controllers set and remember by formulas",
    ("loop", "z"): "what vanishes",
    ("loop", "J"): "its slopes, row by row",
    ("acts", "a"): "what events make of speeds, states and inputs",
    ("terms", "mm"): "mass matrix M, row by row",
    ("terms", "gg"): "constraint matrix G, row by row",
    ("terms", "ff"): "forces f: M a + G' lambda = f",
    ("terms", "cc"): "right-hand side c: G a = c",
    ("moves", "dy"): "rates of places, with the speeds vv",
    ("renorm", "dy"): "corrections of what must have length one",
    ("readings", "z"): "restitutions of stops, and what friction holds",
    ("slopes", "z"): "slopes of the speeds that events give values, by all speeds",
    ("loop", "by"): "slopes by rates of speeds and multipliers,",
    ("loop", "of"): "and those of f and c by the values",
}


def _remark(n: Named) -> str:
    words = " ".join(w for w in (f"[{n.unit}]" if n.unit else "", n.words) if w)
    return f" /* {c_comment(words)} */" if words else ""


def write_c(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in C."""
    return Writer(exported, equations).files()
