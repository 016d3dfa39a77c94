"""Functional mock-up units: FMI 2.0 and 3.0, model exchange and co-simulation, exported C inside.

A unit has the sources and, where there is a compiler, the library for this machine; it needs nothing of ours.
"""

from __future__ import annotations

import hashlib
import io
import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from linkwork.errors import CompilerError, show_line
from linkwork.export.c import Writer
from linkwork.export.document import write_document
from linkwork.export.exported import Exported
from linkwork.export.fmu_units import define_units, plain_unit, unit_by_time
from linkwork.export.language import plain_number
from linkwork.export.template import fill
from linkwork.export.usage import TOLERANCES
from linkwork.native import find_compiler
from linkwork.quoting import c_comment, xml_attribute

FLAGS = ("-O2", "-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off")
EARLY = (1980, 1, 1, 0, 0, 0)  # the time of all files, so that units are the same whenever they are made
LAW = "flat"
# how the versions of the standard call things
STANDARD_WORDS = ("fmi", "Handle", "State", "FMUState", "De", "Real", "Kind", "Byte", "sized")
WORDS = {
    "2.0": ("fmi2", "fmi2Component", "fmi2FMUstate", "FMUstate", "DeS", "fmi2Real", "Real", "fmi2Byte", ""),
    "3.0": (
        "fmi3", "fmi3Instance", "fmi3FMUState", "FMUState", "Des", "fmi3Float64", "Float64", "uint8_t", ", size_t size",
    ),
}  # fmt: skip
USAGE = """
`{name}.fmu` is a functional mock-up unit of FMI {version}, for model exchange and co-simulation. It has its sources and
{binary}. In model exchange whoever integrates is asked for an event where constraints have opened
by more than 1e-9 of their size, and they are closed there; co-simulation makes steps of Dormand and Prince (order 5)
and closes constraints after each.
"""
USAGE_MODES = """
Constraints come and go in it. In model exchange there are event indicators for stops that are struck or would have to
pull, and for friction that comes to a stop or must slip; what happens is done in event mode.
"""


class Variable(NamedTuple):
    """A variable of a unit.

    state       the state that it is the rate of, counted from 1, or 0
    reference   how it is asked for
    words       what it is
    """

    name: str
    causality: str
    variability: str
    initial: str
    start: float | None = None
    unit: str = ""
    state: int = 0
    reference: int = 0
    words: str = ""

    def describe(self, kind: str, offset: int) -> tuple[str, str]:
        """What describes it, and its values; rates name their state counted from `offset`."""
        first = f' initial="{self.initial}"' if self.initial else ""
        begin = f' start="{self.start!r}"' if self.start is not None else ""
        rate = f' derivative="{self.state - 1 + offset}"' if self.state else ""
        unit = f" unit={xml_attribute(name)}" if (name := plain_unit(self.unit)) else ""
        words = f" description={xml_attribute(self.words)}" if self.words else ""
        about = (
            f'{kind} name={xml_attribute(self.name)}{words} valueReference="{self.reference}" '
            f'causality="{self.causality}" variability="{self.variability}"{first}'
        )
        return about, f"{begin}{rate}{unit}"


class Unit:
    """One unit to be written."""

    def __init__(self, exported: Exported, equations: str, version: str) -> None:
        self.x, self.version, self.equations = exported, version, equations
        self.c = Writer(exported, equations)
        self.name = self.c.prefix
        texts = self.c.files()
        self.sources = {
            file: texts[file]
            for file in (f"{self.name}.h", f"{self.name}.c", "integrate.h", "integrate.c", *self.c.modal)
        }
        digest = hashlib.sha256("".join(self.sources.values()).encode() + version.encode()).hexdigest()
        self.token = f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
        self.sources["fmu.c"] = self._adapter()

    def _adapter(self) -> str:
        x, names = self.x, self.c.names
        fields = [names.field(n.name) for n in (*x.parameters, *x.inputs)]
        words = {"name": self.name, "NAME": self.name.upper(), "title": c_comment(x.title), "version": self.version}
        words |= dict(zip(STANDARD_WORDS, WORDS[self.version], strict=True))
        words |= {"token": self.token, "t0": plain_number(x.t0), "fields_count": str(len(fields))}
        words["offsets"] = "".join(f"\n    offsetof({self.name}, {field})," for field in fields) + "\n    "
        words |= self.c.watching | TOLERANCES
        flags = names.flags | {"two": self.version == "2.0", "three": self.version == "3.0"}
        return "".join(fill(f"fmu/{part}", words, flags) for part in ("core.c", "fmi.c"))

    def files(self) -> dict[str, str | bytes]:
        """The unit and what is to be read about it."""
        library = build(self.sources)
        binary = "a library for this machine" if library else "no library, since there is no compiler of C here"
        usage = USAGE.format(name=self.name, version=self.version, binary=binary)
        usage += USAGE_MODES if self.x.modes else ""
        document = write_document(self.x, self.c.names, usage, self.equations)
        inside: dict[str, str | bytes] = {
            "modelDescription.xml": self.description(),
            "documentation/README.md": document,
        }
        inside |= {f"sources/{file}": text for file, text in self.sources.items()}
        if self.version == "3.0":
            inside["sources/buildDescription.xml"] = self._build_description()
        if library:
            inside[f"binaries/{_platform(self.version)}/{self.name}{_ending()}"] = library
        return {f"{self.name}.fmu": pack(inside), "README.md": document}

    # -- the description ------------------------------------------------------------------------------------------

    def description(self) -> str:
        """modelDescription.xml."""
        lines = self._describe_two() if self.version == "2.0" else self._describe_three()
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(lines) + "\n"

    @property
    def indicators(self) -> list[str]:
        """What changes its sign where something happens: events, then what stops push and friction could hold more."""
        modes = self.x.modes
        found = [w.name for w in self.x.watched]
        if modes is not None and modes.happens:
            found += [*(f"{b.name}: pushes" for b in modes.barriers), *(f"{g.name}: holds" for g in modes.grips)]
        return found

    def _variables(self) -> list[Variable]:
        """All variables, by names that nobody else has."""
        x, acted = self.x, self.x.acted
        found = [Variable(n.name, "local", "continuous", "exact", n.value, n.unit, words=n.words) for n in x.states]
        found += [
            Variable(f"der({n.name})", "local", "continuous", "calculated", None, unit_by_time(n.unit), state=i + 1)
            for i, n in enumerate(x.states)
        ]
        told = (*x.multipliers, *x.outputs)
        found += [Variable(n.name, "output", "continuous", "calculated", None, n.unit, words=n.words) for n in told]
        found += [Variable(n.name, "parameter", "fixed", "exact", n.value, n.unit, words=n.words) for n in x.parameters]
        # what events change is not for others to change; its copy among the outputs is left out
        found += [
            Variable(n.name, "output", "discrete", "exact", n.value, n.unit)
            if n.name in acted
            else Variable(n.name, "input", "continuous", "", n.value, n.unit)
            for n in x.inputs
        ]
        kept, taken = list[Variable](), {"time"}
        for i, v in enumerate(found):
            if v.initial == "calculated" and v.name in acted:
                continue
            first, count = show_line(v.name), 1
            name = first
            while name in taken:
                count += 1
                name = f"{first} ({count})"
            taken.add(name)
            kept.append(v._replace(name=name, reference=i))
        return kept

    def _describe_two(self) -> Iterator[str]:
        x, count, events = self.x, len(self.x.states), len(self.indicators)
        files = "".join(f'<File name="{file}"/>' for file in self.sources if file.endswith(".c"))
        common = f'modelIdentifier="{self.name}" canGetAndSetFMUstate="true" canSerializeFMUstate="true"'
        yield (
            f'<fmiModelDescription fmiVersion="2.0" modelName={xml_attribute(x.title)} guid="{self.token}" '
            f'generationTool="linkwork" variableNamingConvention="{LAW}" numberOfEventIndicators="{events}">'
        )
        yield f"  <ModelExchange {common}><SourceFiles>{files}</SourceFiles></ModelExchange>"
        steps = 'canHandleVariableCommunicationStepSize="true"'
        yield f"  <CoSimulation {common} {steps}><SourceFiles>{files}</SourceFiles></CoSimulation>"
        variables = self._variables()
        yield from define_units(v.unit for v in variables)
        yield f'  <DefaultExperiment startTime="{x.t0!r}" stopTime="{x.tend!r}" tolerance="1e-10"/>'
        yield "  <ModelVariables>"
        for v in variables:
            about, values = v.describe("ScalarVariable", 1)
            yield f"    <{about}><Real{values}/></ScalarVariable>"
        yield "  </ModelVariables>"
        outputs = [i + 1 for i, v in enumerate(variables) if v.causality == "output"]
        unknown = [i for i in outputs if variables[i - 1].initial == "calculated"]
        rates = list(range(count + 1, 2 * count + 1))
        yield "  <ModelStructure>"
        for title, some in (
            ("Outputs", outputs),
            ("Derivatives", rates),
            ("InitialUnknowns", sorted([*unknown, *rates])),
        ):
            if some:
                yield f"    <{title}>" + "".join(f'<Unknown index="{i}"/>' for i in some) + f"</{title}>"
        yield "  </ModelStructure>"
        yield "</fmiModelDescription>"

    def _describe_three(self) -> Iterator[str]:
        x, count = self.x, len(self.x.states)
        common = f'modelIdentifier="{self.name}" canGetAndSetFMUState="true" canSerializeFMUState="true"'
        yield (
            f'<fmiModelDescription fmiVersion="3.0" modelName={xml_attribute(x.title)} '
            f'instantiationToken="{self.token}" generationTool="linkwork" variableNamingConvention="{LAW}">'
        )
        yield f"  <ModelExchange {common}/>"
        yield f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true"/>'
        variables = self._variables()
        yield from define_units([*(v.unit for v in variables), "s"])
        yield f'  <DefaultExperiment startTime="{x.t0!r}" stopTime="{x.tend!r}" tolerance="1e-10"/>'
        yield "  <ModelVariables>"
        for v in variables:
            yield f"    <{''.join(v.describe('Float64', 0))}/>"
        last = 2 * count + sum(map(len, (x.multipliers, x.outputs, x.parameters, x.inputs)))
        time = f'name="time" valueReference="{last}" causality="independent"'
        yield f'    <Float64 {time} variability="continuous" unit="s"/>'
        events = range(last + 1, last + 1 + len(self.indicators))
        for i, indicator in zip(events, self.indicators, strict=True):
            name = f'name={xml_attribute(f"event {i - last}: {indicator}")} valueReference="{i}" causality="local"'
            yield f'    <Float64 {name} variability="continuous" initial="calculated"/>'
        yield "  </ModelVariables>"
        yield "  <ModelStructure>"
        outputs = [v.reference for v in variables if v.causality == "output"]
        unknown = [v.reference for v in variables if v.causality == "output" and v.initial == "calculated"]
        rates = list(range(count, 2 * count))
        for title, some in (
            ("Output", outputs),
            ("ContinuousStateDerivative", rates),
            ("InitialUnknown", sorted([*unknown, *rates])),
        ):
            yield from (f'    <{title} valueReference="{i}"/>' for i in some)
        yield from (f'    <EventIndicator valueReference="{i}"/>' for i in events)
        yield "  </ModelStructure>"
        yield "</fmiModelDescription>"

    def _build_description(self) -> str:
        files = "".join(f'<SourceFile name="{file}"/>' for file in self.sources if file.endswith(".c"))
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">'
            f'<BuildConfiguration modelIdentifier="{self.name}"><SourceFileSet language="C99">{files}</SourceFileSet>'
            "</BuildConfiguration></fmiBuildDescription>\n"
        )


def build(sources: Mapping[str, str]) -> bytes:
    """The library of some sources; nothing if there is no compiler."""
    command = find_compiler()
    if command is None:
        return b""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        files = [file for file in sources if file.endswith(".c")]
        call = [*command, *FLAGS, "-o", "unit.so", *files, "-lm"]
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompilerError(f"the unit cannot be compiled: {done.stderr[:500]}")
        return (folder / "unit.so").read_bytes()


def pack(files: Mapping[str, str | bytes]) -> bytes:
    """A unit: files in an archive, the same bytes whenever it is made."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EARLY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return made.getvalue()


def _ending() -> str:
    return ".dylib" if sys.platform == "darwin" else ".so"


def _platform(version: str) -> str:
    """What the standard calls this machine."""
    system = "darwin" if sys.platform == "darwin" else "linux"
    if version == "2.0":
        return f"{system}64"
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{machine}-{system}"


def write_fmu(exported: Exported, equations: str = "") -> dict[str, str | bytes]:
    """A unit of FMI 2.0."""
    return Unit(exported, equations, "2.0").files()


def write_fmu3(exported: Exported, equations: str = "") -> dict[str, str | bytes]:
    """A unit of FMI 3.0."""
    return Unit(exported, equations, "3.0").files()
