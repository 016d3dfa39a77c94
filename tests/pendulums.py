"""The four models of Orsino's MoSs documentation (17 Sep 2015), figures 2 to 5, composed of free bodies."""

from math import cos, sin

from linkwork import modular as md

a, g, theta, phi, theta1, phi1 = 1.3, 9.81, 0.7, 0.4, 0.5, 1.1
PLACE = (a * sin(theta) * cos(phi), a * sin(theta) * sin(phi), -a * cos(theta))
SPEED = (
    a * (cos(theta) * cos(phi) * theta1 - sin(theta) * sin(phi) * phi1),
    a * (cos(theta) * sin(phi) * theta1 + sin(theta) * cos(phi) * phi1),
    a * sin(theta) * theta1,
)
PARAMETERS = {"a": a, "g": g, "m_P": 2.0, "Ix_P": 1.0, "Iy_P": 2.0, "Iz_P": 2.5}
START = {
    **dict(zip(("p_Px", "p_Py", "p_Pz"), PLACE, strict=True)),
    **dict(zip(("v_Px", "v_Py", "v_Pz"), SPEED, strict=True)),
    **{"w_Px": 0.1, "w_Py": 0.2, "w_Pz": 0.3},
}
ANGLES = {"theta": theta, "phi": phi, "theta'": theta1, "phi'": phi1}
SPHERE = {"sphere": "p_Px**2 + p_Py**2 + p_Pz**2 - a**2"}
ON_SPHERE = {"p_Px**2 + p_Py**2 + p_Pz**2": "a**2"}


def body():
    return md.newton_euler("P", orientation="position", gravity="-z")


def figure2(**options):
    return md.compose("S", body(), constraints={0: SPHERE}, rules=ON_SPHERE, **options)


def figure3():
    return md.compose(
        "S",
        body(),
        speeds="k",
        constraints={0: SPHERE, 1: {"k": "v_Px**2 + v_Py**2 + v_Pz**2 - k"}},
        rules=ON_SPHERE | {"v_Px**2 + v_Py**2 + v_Pz**2": "k", "p_Px*v_Px + p_Py*v_Py + p_Pz*v_Pz": 0},
    )


def figure4(**options):
    places = {"x": "P.px - a*sin(theta)*cos(phi)", "y": "P.py - a*sin(theta)*sin(phi)", "z": "P.pz + a*cos(theta)"}
    return md.compose("S", body(), coordinates="phi theta", constraints={0: places}, **options)


def figure5():
    bodies = [md.newton_euler(n, orientation="position", gravity="-z") for n in "12"]
    places = {
        "1x": "p_1x - a1*sin(theta1)",
        "1y": "p_1y",
        "1z": "p_1z + a1*cos(theta1)",
        "2x": "p_2x - p_1x - a2*sin(theta2)",
        "2y": "p_2y",
        "2z": "p_2z - p_1z + a2*cos(theta2)",
    }
    return md.compose("D", bodies, coordinates="theta1 theta2", constraints={0: places})
