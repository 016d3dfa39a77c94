"""What an instant of a sampled controller costs: microseconds, the least of several runs, with the solver between.

python benchmarks/sampling.py
"""

import time

import linkwork as lw

RUNS, INSTANTS = 5, 2000


def slider(**controller):
    """A mass that a controller pushes."""
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)],
            forces=[lw.Force(point="A", components=("F", 0))],
            controllers=[lw.Sampled("hand", period=1e-3, **controller)],
            start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )


CASES = {
    "a function of two values": {"reads": ["A.x", "A.vx"], "sets": ["F"], "call": lambda t, x, v: -3 * x - 4 * v},
    "formulas with memory": {"reads": {"x": "A.x"}, "memory": {"sum": "sum + x"}, "outputs": {"F": "-x - sum/9"}},
    "the same, late": {"reads": {"x": "A.x"}, "outputs": {"F": "-x"}, "delay": 0.5},
}


def main():
    for name, controller in CASES.items():
        model, found = slider(**controller), []
        model.simulate(0.01)
        for _ in range(RUNS):
            begin = time.process_time()
            model.simulate(1e-3 * INSTANTS)
            found.append((time.process_time() - begin) / INSTANTS * 1e6)
        print(f"{name:28} {min(found):6.1f} µs an instant")


if __name__ == "__main__":
    main()
