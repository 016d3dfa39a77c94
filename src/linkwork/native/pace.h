/* The pace of a run: the step that a series allows, the turns of angles in it, its matrix again. */

static const double HUGE_STEP = 1e300;
static const double SAFETY = 0.9;
/* the first step is at most this fraction of the run, a step at most so many times the one before, and no longer than it
 * after one that had to be shortened: then each may be so much longer than the last, relatively, where few are shortened */
static const double FIRST = 1.0 / 32.0, GROWTH = 10.0, RECOVERY = 0.3, SLOWEST = 0.01;
/* terms left out are a fraction of the last one kept, about a quarter where the tolerance is met: so much more than the
 * tolerance may the last term of the speeds be for their error to stay below it */
static const double LEFT_OUT = 4.0;

/* the largest step over which the multipliers' own series meets the tolerance: drivers do work by them */
static double multiplier_step(const lw_system *s, const lw_run *run, const double *S, double h) {
    const double first = multiplier_norm(s, S), second = h * multiplier_norm(s, S + s->slots);
    const double size = larger(larger(first, second), h * h * multiplier_norm(s, S + 2 * s->slots));
    for (long p = run->order - 2; size > 0.0 && p >= run->order - 3; p--) {
        const double last = multiplier_norm(s, S + p * s->slots);
        if (last > 0.0) h = fmin(h, exp(log(run->tol * size / last) / (double)p));
    }
    return h;
}

/* the same of algebraic values: each beside itself, or a share of the largest */
static const double VALUE_SHARE = 1e-3;
static double value_step(const lw_system *s, const lw_run *run, const double *S, double h) {
    const lw_algebra *a = s->algebra;
    double most = 0.0;
    for (long i = 0; i < a->count; i++) most = larger(fabs(S[a->slot[i]]), most);
    for (long i = 0; i < a->count; i++) {
        const double *c = S + a->slot[i];
        const double first = larger(fabs(c[0]), VALUE_SHARE * most), second = h * fabs(c[s->slots]);
        const double size = larger(larger(first, second), h * h * fabs(c[2 * s->slots]));
        for (long p = run->order - 2; size > 0.0 && p >= run->order - 3; p--) {
            const double last = fabs(c[p * s->slots]);
            if (last > 0.0) h = fmin(h, exp(log(run->tol * size / last) / (double)p));
        }
    }
    return h;
}

/* how fast things move in a step, in sizes of the mechanism a second; what would not move it in the whole run is slow.
 * rates: of the first three terms */
static double find_speed(const lw_run *run, const double *rates, double h) {
    return larger(larger(1.0 / run->span, rates[0]), larger(2.0 * rates[1] * h, 3.0 * rates[2] * h * h));
}

/* a little less than the largest step whose last two terms stay below the tolerance, p |q_p| h^p <= tol, and those of
 * the speeds likewise against what moves: the terms left out are then small against the last ones kept, at any order */
static double choose_step(const lw_system *s, lw_run *run, const double *S) {
    enum { LAST = 3, TERMS = 5 }; /* the first three terms, the last two */
    const long p = run->order, order[TERMS] = {1, 2, 3, p, p - 1};
    double size[TERMS], least = HUGE_VAL;
    for (int i = 0; i < TERMS; i++) size[i] = norm(s, S + order[i] * s->slots);
    run->asked = run->tol;
    for (int i = LAST; i < TERMS; i++) {
        if (!isfinite(size[i])) return size[i];
        if (size[i] > 0.0) least = smaller(log(run->tol / ((double)order[i] * size[i])) / (double)order[i], least);
    }
    double h = least < HUGE_VAL ? exp(least) : HUGE_STEP;
    if (run->driven) h = smaller(multiplier_step(s, run, S, h), h);
    if (s->algebra) h = smaller(value_step(s, run, S, h), h);
    /* p |q_p| h^(p-1) <= 4 tol speed, from p |q_p| h^p <= tol */
    const double free = h;
    double speed = find_speed(run, size, h), before = HUGE_VAL;
    for (int i = 0; i < 2 && speed < before; i++) {
        const double part = LEFT_OUT * speed * free;
        if (part < 1.0) h = free * exp(log(part) / (double)(p - 2));
        before = speed;
        speed = find_speed(run, size, h);
    }
    h = smaller(SAFETY * h, smaller(run->h_max, run->h > 0.0 ? run->growth * run->h : FIRST * run->span));
    run->speed = find_speed(run, size, smaller(h, run->t_end - run->t));
    return h;
}

/* a step of the given length: to the next place of a grid, so that rounding does not add up */
static double fixed_step(const lw_run *run) {
    const double done = (run->t - run->origin) / run->step, slack = 1e-9 + 4e-16 * done;
    const double next = run->origin + (floor(done + slack) + 1.0) * run->step;
    return next < run->t_end - slack * run->step ? smaller(next - run->t, run->h_max) : run->t_end - run->t;
}

/* bring angles back into (-pi, pi], counting the turns */
static void unwind(const lw_system *s, double *q, const double *turns, double *new_turns) {
    static const double REST = 2.4492935982947064e-16; /* of 2 pi, beyond TURN */
    for (long i = 0; i < s->angles; i++) {
        const double k = nearbyint(q[s->angle[i]] / TURN);
        q[s->angle[i]] = (q[s->angle[i]] - k * TURN) - k * REST;
        new_turns[i] = turns[i] + k;
    }
}

/* the matrix at the begin of a step, factorised again */
static void factorise_again(lw_system *s, lw_run *run) {
    assemble(s, run->t, s->S[run->current], s->F);
    factorise(s, run);
    invert(s);
}
