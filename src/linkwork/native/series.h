/* Taylor expansion: coefficients at a consistent point, the step they allow, their polynomials. */

static const double HUGE_STEP = 1e300;
enum { LOW_ORDERS = 4 }; /* orders at which a contradiction of the constraints is looked for */
static const double SAFETY = 0.9;
/* the first step is at most this fraction of the run, a step at most so many times the one before, and no longer than it
 * after one that had to be shortened: then each may be so much longer than the last, relatively, where few are shortened */
static const double FIRST = 1.0 / 32.0, GROWTH = 10.0, RECOVERY = 0.3, SLOWEST = 0.01;
/* terms left out are a fraction of the last one kept, about a quarter where the tolerance is met: so much more than the
 * tolerance may the last term of the speeds be for their error to stay below it */
static const double LEFT_OUT = 4.0;

static void run_terms(lw_system *s, long k, double t, const double *S) {
    memset(s->R, 0, s->unknowns * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        if (term->stage && k <= term->last_stage)
            term->stage(k, term->blocks, s->capacity, t, S, s->slots, term->from, term->stage_to, term->stage_par,
                        term->work, s->R);
    }
}

static void run_stage(lw_system *s, long k, double t, double *S) {
    follow(s, k, t, S);
    run_terms(s, k, t, S);
}

/* the size of forces in units of sqrt(M) a, and the rate at which they would move things by their own size */
static void natural_size(const lw_system *s, const double *f, double *size, double *rate) {
    double largest = 0.0;
    *size = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        const double K = fabs(s->K[j]);
        if (K == 0.0) continue;
        *size = fmax(*size, fabs(f[j]) / sqrt(K));
        largest = fmax(largest, fabs(f[j]) / K * s->per_size[j]);
    }
    *rate = sqrt(largest);
}

/* coefficients of order 2 .. order of the coordinates at a consistent, factorised point (stages -2, -1 done);
 * LOCKED if the constraints leave no motion */
static long expand(lw_system *s, double t, double *S, long order, int first) {
    const long width = s->slots, n = s->unknowns;
    double size = 0.0, rate = 0.0;
    for (long k = 0; k + 2 <= order; k++) {
        double *restrict top = S + (k + 2) * width, *restrict row = S + k * width, *restrict R = s->R;
        const double factor = (double)(k + 1) * (double)(k + 2), inverse = 1.0 / factor;
        const double by_kind[] = {[COORDINATE] = -1.0, [HOLONOMIC] = -factor, [VELOCITY] = -(double)(k + 1)};
        run_stage(s, k, t, S);
        for (long j = 0; j < n; j++) {
            R[j] *= by_kind[s->kind[j]];
            row[j] = s->kind[j] ? s->weight[j] * R[j] : row[j];
        }
        if (first && k == 0 && s->redundant) natural_size(s, R, &size, &rate);
        const double contradiction = solve_any(s, R);
        if (size > 0.0 && k <= LOW_ORDERS && contradiction > 1e-6 * size * pow(rate, k)) return LOCKED;
        for (long j = 0; j < n; j++) {
            row[j] = s->kind[j] ? row[j] + R[j] : row[j];
            top[j] = R[j] * inverse; /* a multiplier's place is filled two stages later */
        }
    }
    correct_followers(s, order - 1, t, S);
    return FINISHED;
}

/* the largest entry of each of some rows of what moves in units of its sizes; NAN if one is not finite. Four at a time:
 * they do not wait for each other */
enum { MOST_ROWS = 5 };
INLINE void norms(const lw_system *s, const int rows, const double *const *x, double *size) {
    const long n = s->moving;
    double most[MOST_ROWS][4] = {{0.0}}, bad[MOST_ROWS][4] = {{0.0}};
    long j = 0;
    for (; j + 3 < n; j += 4)
        for (int r = 0; r < rows; r++)
            for (int l = 0; l < 4; l++) {
                const double one = fabs(x[r][j + l]) * s->per_size[j + l];
                most[r][l] = larger(one, most[r][l]);
                bad[r][l] += 0.0 * one;
            }
    for (int r = 0; r < rows; r++) {
        for (long i = j; i < n; i++) {
            const double one = fabs(x[r][i]) * s->per_size[i];
            most[r][0] = larger(one, most[r][0]);
            bad[r][0] += 0.0 * one;
        }
        size[r] = larger(larger(most[r][0], most[r][1]), larger(most[r][2], most[r][3]));
        size[r] += (bad[r][0] + bad[r][1]) + (bad[r][2] + bad[r][3]);
    }
}

static double norm(const lw_system *s, const double *x) {
    double size;
    norms(s, 1, &x, &size);
    return size;
}

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
    const double *row[TERMS];
    double size[TERMS], least = HUGE_VAL;
    for (int i = 0; i < TERMS; i++) row[i] = S + order[i] * s->slots;
    norms(s, TERMS, row, size);
    run->asked = run->tol;
    for (int i = LAST; i < TERMS; i++) {
        if (!isfinite(size[i])) return size[i];
        if (size[i] > 0.0) least = smaller(log(run->tol / ((double)order[i] * size[i])) / (double)order[i], least);
    }
    double h = least < HUGE_VAL ? exp(least) : HUGE_STEP;
    if (run->driven) h = smaller(multiplier_step(s, run, S, h), h);
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

/* rows 0 and 1 of `to`: position and velocity of the polynomial `from` at h; acceleration on request */
static void evaluate(const lw_system *s, const double *from, long order, double h, double *to, double *acceleration) {
    const long width = s->slots, n = s->moving;
    double *q = to, *u = to + width;
    const double *top = from + order * width;
    memset(u, 0, width * sizeof(double));
    memcpy(q + n, from + n, (width - n) * sizeof(double));
    for (long j = 0; j < n; j++) { q[j] = top[j]; u[j] = 0.0; acceleration[j] = 0.0; }
    for (long i = order - 1; i >= 0; i--) {
        const double *c = from + i * width;
        for (long j = 0; j < n; j++) {
            acceleration[j] = acceleration[j] * h + 2.0 * u[j];
            u[j] = u[j] * h + q[j];
            q[j] = q[j] * h + c[j];
        }
    }
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        q[j] = u[j] = acceleration[j] = 0.0;
    }
}

/* the matrix at the begin of a step, factorised again */
static void factorise_again(lw_system *s, lw_run *run) {
    assemble(s, run->t, s->S[run->current], s->F);
    factorise(s, run);
    invert(s);
}
