/* Changes of law: a step ends where a law switches, and the run begins again beyond.
 *
 * The border is found on the polynomials of a step, by Taylor series before the step is taken: so no series runs across it.
 */

static const double LATE = 0.95; /* of a step that ends at a switch: where it is inspected once more */
/* of a usual step: no further than this beyond a switch; unless the point that fits the constraints is still before it, by more
 * than the polynomials knew: there the old law would go on for a whole step, and where forces move nothing nobody would notice */
static const double BEYOND = 1e-12, FARTHEST = 1e-9;
static const double STUCK = 1e-9; /* of the times of a run: in so little time many changes of law are too many */

/* when a law first switches in a step of at most h from the series S, and which; INFINITY if none does */
static double stop_at_switches(lw_system *s, lw_run *run, const double *S, double h, long *which) {
    if (!run->switches) return INFINITY;
    return find_switch(run->switches, run->t, h, S, s->slots, run->order, run->speed, which);
}

/* whether all is rounding up to the switch that was found in a step: it began on the border */
static int begins_on_border(const lw_system *s, const lw_run *run, long law) { return run->switches->largest[law] <= run->switches->noise[law]; }

/* whether polynomials are right just before a switch, where a step is to end */
static int is_right_before(lw_system *s, lw_run *run, const double *from, double x) {
    double largest;
    if (x <= find_smallest(run)) return 1;
    const double lack = find_lack(s, run, from, run->order, LATE * x, &largest);
    return !is_too_much(run, lack, largest, x, INSIDE);
}

/* many changes of law in next to no time mean that the motion sticks to the border between two laws */
static int chatters(lw_run *run, double t) {
    const double first = run->switch_times[run->switched % CHATTER];
    run->switch_times[run->switched++ % CHATTER] = t;
    return run->switched > CHATTER && t - first < STUCK * (fabs(run->t_end) + fabs(run->t_end - run->span));
}

/* End the step at x, where a law switches, and begin again so little beyond that rounding cannot lead back to the old law. */
static long cross(lw_system *s, lw_run *run, double x, double h, long law) {
    lw_watch *w = run->switches;
    const long from = run->current, to = 1 - from;
    const int positive = !(w->value[law] >= 0.0);
    const double t = run->t, at = fmax(fabs(t + x), h), usual = fmax(h, fmax(run->h_largest, FIRST * run->span));
    double beyond = nextafter(at, INFINITY) - at;
    run->current = to;
    for (;; beyond *= 2.0) {
        const double length = fmin(x + beyond, run->t_end - t);
        evaluate(s, s->S[from], run->order, length, s->S[to], run->acceleration);
        run->t = length >= run->t_end - t ? run->t_end : t + length;
        const double clear = beyond > BEYOND * usual ? 0.0 : NEAR_ZERO;
        const int far = beyond > FARTHEST * usual;
        if (!far && !is_across(w, run->t, s->S[to], s->slots, law, positive, clear)) continue;
        unwind(s, s->S[to], s->turns[from], s->turns[to]);
        if (begin(s, run)) break;
        if (far || is_across(w, run->t, s->S[to], s->slots, law, positive, clear)) break;
    }
    const long status = run->status;
    w->side[law] = (signed char)positive;
    run->t_last = t;
    run->h_last = run->t - t;
    run->h_largest = fmax(run->h_largest, run->h_last);
    const int stopped = record(s, run, from);
    run->begun = run->steps;
    run->culprit = status ? run->culprit : law;
    return status ? status : stopped ? STOPPED : chatters(run, run->t) ? CHATTERS : FINISHED;
}
