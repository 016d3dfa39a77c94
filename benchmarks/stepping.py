"""What a call of a stepper costs beyond the solver: microseconds a step, the least of several rounds.

python benchmarks/stepping.py
"""

import time

import linkwork as lw

ROUNDS, STEPS, DT = 20, 500, 0.01
METHODS = {"taylor": {}, "taylor, tol = 1e-6": {"tol": 1e-6}, "rk8, tol = 1e-6": {"method": "rk8", "tol": 1e-6}}
FILES = {"cart-pole": "F", "mult-pend-fp": None, "bouncing-ball": None}


def least(work):
    """Microseconds a step."""
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for i in range(STEPS):
            work(i)
        found.append((time.process_time() - begin) / STEPS * 1e6)
    return min(found)


def main():
    print(f"{'':22}{'method':22}{'step':>8}{'solver':>8}{'beyond':>8}{'read':>8}   [µs]")
    for name, force in FILES.items():
        for label, how in METHODS.items():
            stepper = lw.load(f"examples/{name}.yaml").stepper(**how)
            state = stepper.state

            def step(i, stepper=stepper, state=state, force=force):
                if i % 50 == 0:
                    stepper.state = state
                stepper.step(DT, **({force: 0.1} if force else {}))

            whole, read = least(step), least(lambda i, s=stepper: s[s.system.coordinates[0]])
            quick = stepper._hops
            if quick is None:
                print(f"{name:22}{label:22}{whole:8.1f}{'':8}{'':8}{read:8.1f}")
                continue
            machine = quick.machine
            tables, calls = machine._tables, (machine.runtime.lw_begin, machine.runtime.lw_integrate)

            def solve(i, stepper=stepper, state=state, machine=machine, tables=tables, calls=calls):
                if i % 50 == 0:
                    machine.place(0.0, state.q, state.u)
                machine.run.t_end = machine.run.t + DT
                calls[0](*tables)
                calls[1](*tables)

            solver = least(solve)
            print(f"{name:22}{label:22}{whole:8.1f}{solver:8.1f}{whole - solver:8.1f}{read:8.1f}")


if __name__ == "__main__":
    main()
