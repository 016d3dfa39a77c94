"""Controllers: PID and transfer functions. What they are given in, a formula of their output and states of theirs out.

A controller is a variable with states behind it: `servo` stands for its output wherever a law names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.model.convert import Scalar
from linkwork.model.laws import as_law, law_rate, read_law, read_laws
from linkwork.model.part import set_field
from linkwork.model.signals import Meanings, State, signals_in_laws, state_symbol
from linkwork.symbolic import ONE, ZERO, Expr, free_symbols, substitute, symbol

VARIABLES = "Give variables={'error': 'target - OA.angle'}"
STATES = "Give states=[lw.State(name='X', rate='A.x - X')]"
FORM = "Write highest powers first, as in numerator: [1], denominator: [tau, 1]"


Rate: TypeAlias = Callable[[Expr], Expr]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Pid:
    """The output P e + I ∫e dt + D ė of an error e; with a filter time τ the derivative is that of e/(τ s + 1).

    Its states are NAME_I and, with a filter, NAME_F, both zero at the start. Gains may be laws.

    >>> Pid("target - OA.angle", P=40, I=30).P
    40
    """

    error: Expr
    P: Expr
    I: Expr
    D: Expr
    filter: Expr

    def __init__(self, error: Scalar, *, P: Scalar = 0, I: Scalar = 0, D: Scalar = 0, filter: Scalar = 0) -> None:
        for name, value in {"error": error, "P": P, "I": I, "D": D, "filter": filter}.items():
            set_field(self, name, read_law(value, Ref("controller"), name))

    def state_names(self, name: str) -> list[str]:
        """The states it has under a name."""
        integral = [f"{name}_I"] if self.I != ZERO else []
        return [*integral, f"{name}_F"] if self.D != ZERO and self.filter != ZERO else integral

    @property
    def divisor(self) -> tuple[str, Expr]:
        """What must be positive, with what it is called."""
        return "filter", self.filter if self.filter != ZERO else ONE

    def formulate(self, name: str, rate: Rate) -> tuple[Expr, list[State]]:
        """The output and the states of a controller of this name."""
        if self.filter != ZERO and self.D == ZERO:
            raise ExpressionError("a filter is for the derivative, and there is none", "Give D or leave out the filter")
        e, states = self.error, []
        output = self.P * e
        if self.I != ZERO:
            states.append(State(name=f"{name}_I", rate=e))
            output = output + self.I * symbol(f"{name}_I")
        if self.D != ZERO and self.filter == ZERO:
            output = output + self.D * rate(e)
        elif self.D != ZERO:
            slope = (e - symbol(f"{name}_F")) / self.filter
            states.append(State(name=f"{name}_F", rate=slope))
            output = output + self.D * slope
        return output, states


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Transfer:
    """The output (b s^m + ...)/(a s^n + ...) of an input, m ≤ n, by the states NAME_1 ... NAME_n.

    >>> Transfer("A.x", numerator=[1], denominator=["tau", 1]).denominator
    (tau, 1)
    """

    input: Expr
    numerator: tuple[Expr, ...]
    denominator: tuple[Expr, ...]

    def __init__(self, input: Scalar, *, numerator: Iterable[Scalar], denominator: Iterable[Scalar]) -> None:
        set_field(self, "input", read_law(input, Ref("controller"), "input"))
        for name, values in {"numerator": numerator, "denominator": denominator}.items():
            if isinstance(values, str) or not _is_list(values):
                raise InputError([Problem(part=name, what=f"{show_value(values)} is no list of values", remedy=FORM)])
            set_field(self, name, read_laws(values, Ref("controller"), name))

    def state_names(self, name: str) -> list[str]:
        """The states it has under a name."""
        return [f"{name}_{i}" for i in range(1, len(self.denominator))]

    @property
    def divisor(self) -> tuple[str, Expr]:
        """What must not be zero, with what it is called."""
        return "denominator", self.denominator[0] if self.denominator else ONE

    def formulate(self, name: str, rate: Rate) -> tuple[Expr, list[State]]:
        """The output and the states of a controller of this name: the controllable canonical form.

        ẋᵢ = xᵢ₊₁,   aₙ ẋₙ = w − a₀ x₁ − … − aₙ₋₁ xₙ,   y = Σ bᵢ xᵢ₊₁ + bₙ ẋₙ
        """
        a, b = self.denominator[::-1], self.numerator[::-1]
        if not a or not b:
            raise ExpressionError(f"the {'numerator' if a else 'denominator'} is empty", FORM)
        if len(b) > len(a):
            raise ExpressionError("the numerator has a higher power of s than the denominator", FORM)
        n = len(a) - 1
        x = [symbol(f"{name}_{i + 1}") for i in range(n)]
        lead = a[-1] if a[-1] != ZERO else ONE  # zero is reported, as everything that must not be
        top = (self.input - sum((c * value for c, value in zip(a, x, strict=False)), ZERO)) / lead
        rates = [*x[1:], top] if n else [top]
        output = sum((c * value for c, value in zip(b, [*x, top], strict=False)), ZERO)
        return output, [State(name=f"{name}_{i + 1}", rate=rates[i]) for i in range(n)]


Controller: TypeAlias = Pid | Transfer


def _is_list(values: Any) -> bool:
    return isinstance(values, Iterable)


class Control:
    """Variables of a mechanism, controllers among them: laws by name, states, and what is wrong.

    `held` are the parameters and inputs that some controller takes for constant when it differentiates its error.
    """

    def __init__(
        self,
        variables: Mapping[str, Scalar | Controller] | None,
        states: Iterable[State],
        inputs: Iterable[str],
        meanings: Meanings,
    ) -> None:
        self.meanings = meanings
        self.problems: list[Problem] = []
        self.held: set[str] = set()
        variables, self.states = self._check_variables(variables), self._check_states(states)
        given = {name: x for name, x in variables.items() if isinstance(x, Controller)}
        self.laws = {name: self._law(name, x) for name, x in variables.items() if not isinstance(x, Controller)}
        self.divisors = {name: controller.divisor for name, controller in given.items()}
        own = [state for name, controller in given.items() for state in controller.state_names(name)]
        self.own: dict[Expr, Expr] = {symbol(name): state_symbol(name) for name in own}
        self.controlled = given.keys()
        self.plain = signals_in_laws(self.laws, self.states, inputs, meanings)
        for name, controller in given.items():
            try:
                self.laws[name], more = controller.formulate(name, self.rate)
                self.states += more
            except ExpressionError as error:
                self.laws[name] = ZERO
                self.problems.append(Problem(ref=Ref("controller", name), what=error.what, remedy=error.remedy))

    def _law(self, name: str, given: Scalar) -> Expr:
        try:
            return as_law(given)
        except ExpressionError as error:
            self._fail(Ref("variable", name), error.what, error.remedy)
            return ZERO

    def _check_variables(self, given: Any) -> dict[str, Scalar | Controller]:
        if given is not None and not isinstance(given, Mapping):
            self._fail(Ref("variables"), f"{show_value(given)} does not say what belongs to which name", VARIABLES)
            return {}
        named = {name: x for name, x in (given or {}).items() if isinstance(name, str)}
        for name in (given or {}).keys() - named.keys():
            self._fail(Ref("variables"), f"{show_value(name)} is no name", VARIABLES)
        return named

    def _check_states(self, given: Any) -> list[State]:
        try:
            several = list(given) if not isinstance(given, str) else [given]
        except TypeError:
            several = [given]
        for state in several:
            if not isinstance(state, State) or not isinstance(state.name, str):
                self._fail(Ref("states"), f"{show_value(state)} is no state", STATES)
        return [state for state in several if isinstance(state, State) and isinstance(state.name, str)]

    def _fail(self, part: Ref, what: str, remedy: str) -> None:
        self.problems.append(Problem(ref=part, what=what, remedy=remedy))

    def rate(self, law: Expr) -> Expr:
        """The time derivative of a law; an ExpressionError where that would need accelerations."""
        own: dict[Expr, Expr] = {**self.own}
        own.update(self.meanings(free_symbols(law)).items())
        found = substitute(self.plain.expand(law), own)
        self.held |= {s.name for s in free_symbols(found) if s.kind in ("parameter", "input")}
        if others := sorted(s.name for s in free_symbols(found) if s.name in self.controlled):
            raise ExpressionError(f"the rate of {others[0]} would need accelerations", "Give a filter time")
        return law_rate(found)
