"""Random planar linkages for the laws: points anywhere, parts between them, lengths as the points have it.

Every mechanism closes at the positions it is built from; velocities are guesses that the start makes consistent.
"""

import cmath
from dataclasses import dataclass, field

from hypothesis import strategies as st

import linkwork as lw


@dataclass
class Plan:
    """A linkage as plain data, so that a test can turn it, scale it or rename it before it is built."""

    places: dict[str, complex]
    fixed: list[str]
    bars: list[tuple[tuple[str, ...], float]]  # points and mass
    springs: list[tuple[str, str, float, float]] = field(default_factory=list)  # points, stiffness, rest length
    masses: dict[str, float] = field(default_factory=dict)
    speeds: dict[str, complex] = field(default_factory=dict)
    gravity: complex | None = -9.80665j
    torque: float = 0.0  # on the first bar

    @property
    def moving(self):
        return sorted(set(self.places) - set(self.fixed))

    def turned(self, angle=0.0, shift=0j):
        """The same linkage elsewhere, its gravity turned along."""
        turn = cmath.exp(1j * angle)
        return self.copy(
            places={p: turn * z + shift for p, z in self.places.items()},
            speeds={p: turn * v for p, v in self.speeds.items()},
            gravity=None if self.gravity is None else turn * self.gravity,
        )

    def heavier(self, factor):
        """All masses and forces but gravity times a factor."""
        return self.copy(
            bars=[(points, factor * m) for points, m in self.bars],
            springs=[(a, b, factor * k, rest) for a, b, k, rest in self.springs],
            masses={p: factor * m for p, m in self.masses.items()},
            torque=factor * self.torque,
        )

    def renamed(self, names):
        """Other names for the points."""
        return self.copy(
            places={names[p]: z for p, z in self.places.items()},
            fixed=[names[p] for p in self.fixed],
            bars=[(tuple(names[p] for p in points), m) for points, m in self.bars],
            springs=[(names[a], names[b], k, rest) for a, b, k, rest in self.springs],
            masses={names[p]: m for p, m in self.masses.items()},
            speeds={names[p]: v for p, v in self.speeds.items()},
        )

    def copy(self, **changes):
        return Plan(**{**self.__dict__, **changes})

    def assembly(self):
        return lw.Model(self.mechanism())

    def mechanism(self):
        at = self.places
        gravity = None if self.gravity is None else _pair(self.gravity)
        rigids = [self._rigid(points, mass) for points, mass in self.bars]
        return lw.Mechanism(
            fixed={p: _pair(at[p]) for p in self.fixed},
            rigids=rigids,
            springs=[
                lw.Spring(name=a + b, points=(a, b), stiffness=k, rest_length=rest) for a, b, k, rest in self.springs
            ],
            particles=[lw.Particle(point=p, mass=m) for p, m in self.masses.items()],
            gravity=gravity,
            torques=[lw.Torque(part=rigids[0].name, value=self.torque)] if self.torque else [],
            start=lw.InitialValues(
                positions={p: _pair(at[p]) for p in self.moving},
                velocities={p: _pair(self.speeds[p]) for p in self.moving if p in self.speeds},
            ),
        )

    def _rigid(self, points, mass):
        a, b, *others = (self.places[p] for p in points)
        side = abs(b - a)
        local = [0j, side + 0j, *((c - a) * side / (b - a) for c in others)]
        centroid = sum(local) / len(local)
        # a uniform rod; for more points some plausible plate
        inertia = mass * sum(abs(z - centroid) ** 2 for z in local) / 6
        return lw.Rigid(
            name="".join(points), points=points, geometry=[_pair(z) for z in local], centroid=_pair(centroid),
            mass=mass, inertia=inertia,
        )  # fmt: skip


def _pair(z):
    return (float(z.real), float(z.imag))


def numbers(low, high):
    return st.integers(round(1000 * low), round(1000 * high)).map(lambda i: i / 1000)


@st.composite
def linkages(draw, loops=True, springs=True, gravity=True, torque=False, longest=4):
    """A chain of rods and plates from a fixed point; with branches, a closing rod to the ground, springs, particles."""
    places, fixed, bars = {"P0": 0j}, ["P0"], []
    masses, speeds, found_springs = {}, {}, []
    count = draw(st.integers(1, longest))
    end, heading = "P0", draw(numbers(-3.0, 3.0))
    for i in range(1, count + 1):
        name = f"P{i}"
        # a joint is never quite straight, so that no loop starts in a singular position
        heading += draw(st.sampled_from([-1, 1])) * draw(numbers(0.4, 1.4))
        length = draw(numbers(0.4, 1.5))
        places[name] = places[end] + cmath.rect(length, heading)
        points = (end, name)
        if draw(st.booleans()):
            corner = f"T{i}"
            places[corner] = places[end] + (places[name] - places[end]) * complex(
                draw(numbers(0.1, 0.9)), draw(numbers(0.3, 1))
            )
            points = (end, name, corner)
        bars.append((points, draw(numbers(0.3, 3.0))))
        end = name
    if loops and count >= 2 and draw(st.booleans()):
        # a rod from the end of the chain back to the ground
        places["Q"] = places[end] + cmath.rect(draw(numbers(0.5, 1.5)), heading + draw(numbers(0.5, 2.0)))
        fixed.append("Q")
        bars.append(((end, "Q"), draw(numbers(0.3, 3.0))))
    elif draw(st.booleans()):
        masses[end] = draw(numbers(0.2, 2.0))
    if springs and draw(st.booleans()):
        places["S"] = complex(draw(numbers(-2, 2)), 3.0)
        fixed.append("S")
        other = draw(st.sampled_from(sorted(set(places) - set(fixed))))
        gap = abs(places[other] - places["S"])
        found_springs.append(("S", other, draw(numbers(1.0, 40.0)), draw(numbers(0.3, 1.0)) * gap))
    for point in set(places) - set(fixed):
        if draw(st.booleans()):
            speeds[point] = complex(draw(numbers(-2, 2)), draw(numbers(-2, 2)))
    pull = cmath.rect(9.81, draw(numbers(-3.1, 3.1))) if gravity else None
    drive = draw(numbers(-5.0, 5.0)) if torque and draw(st.booleans()) else 0.0
    speeds = dict(sorted(speeds.items()))
    return Plan(places, fixed, bars, found_springs, masses, speeds, pull, drive)
