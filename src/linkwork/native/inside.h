/* Inside a step: whether its polynomials obey the equations of motion there, and where to look. */

/* where a step is inspected, and what its polynomials may lack there, in tolerances: far more than a step that is
 * resolved lacks, since there the terms left out are small against those at the end */
static const double INNER = 0.62, INSIDE = 10.0;
enum { RHYTHM = 8 };
static const double NOISE = 1e-10; /* of an acceleration: rounding, more of it near singular positions */

/* a polynomial and its derivative at x */
static double polynomial(const double *c, long stride, long degree, double x, double *slope) {
    double y = c[degree * stride], dy = 0.0;
    for (long k = degree - 1; k >= 0; k--) {
        dy = dy * x + y;
        y = y * x + c[k * stride];
    }
    *slope = dy;
    return y;
}

/* A series sees nothing of exp(x) far below its peak nor of tanh(x) where it is flat, but knows the argument x well.
 * What hides inside a step is where x passes zero or turns: half a unit before, where laws such as x exp(-x^2) and
 * 1 - tanh(x)^2 show as well. */
static void note_hiding(lw_run *run, const double *c, long stride, double h) {
    enum { LOOKS = 12, HALVINGS = 40 };
    const long degree = run->order - 3;
    double x[LOOKS + 1], dx[LOOKS + 1], least = HUGE_VAL, most = -HUGE_VAL, slope;
    for (int i = 0; i <= LOOKS; i++) {
        x[i] = polynomial(c, stride, degree, h * i / LOOKS, &dx[i]);
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    if (!(most - least > 1.0)) return; /* it changes too little to hide anything */
    for (int i = 0; i < LOOKS; i++) {
        const int turns = (dx[i] < 0.0) != (dx[i + 1] < 0.0), crosses = (x[i] < 0.0) != (x[i + 1] < 0.0);
        if (!turns && !crosses) continue;
        double low = h * i / LOOKS, high = h * (i + 1) / LOOKS;
        const double bend = fabs(dx[i + 1] - dx[i]) / (high - low);
        for (int k = 0; k < HALVINGS; k++) {
            const double middle = 0.5 * (low + high), y = polynomial(c, stride, degree, middle, &slope);
            if (turns ? (slope < 0.0) == (dx[i] < 0.0) : (y < 0.0) == (x[i] < 0.0)) low = middle;
            else high = middle;
        }
        /* half a unit before a turn, x = x0 - bend d^2 / 2, or before zero, x = -slope d */
        const double place = low - (turns ? 1.0 / sqrt(bend) : 0.5 / fabs(slope));
        if (place > 0.0 && place < h) run->place[(int)(place / h * PLACES)] = place;
    }
}

/* places inside a step of length h from the series just made at which laws may do what the series does not show */
static void note_places(const lw_system *s, lw_run *run, double h) {
    if (!run->hiding) return;
    for (int i = 0; i < PLACES; i++) run->place[i] = NAN;
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        for (long e = 0; e < term->instances * term->hiding; e++) {
            const long instance = e / term->hiding, block = instance / term->lanes, lane = instance % term->lanes;
            const long place = block * s->capacity * term->stored + term->argument[e % term->hiding];
            note_hiding(run, term->work + place * term->lanes + lane, term->stored * term->lanes, h);
        }
    }
}

/* the same for a step of another method, whose polynomials S are known: arguments go along with these; whether there are any places */
static int note_places_along(lw_system *s, lw_run *run, const double *S, double h) {
    int hides = 0;
    for (long i = 0; i < s->terms; i++) hides |= s->term[i].hiding > 0;
    if (!hides) return 0;
    for (long k = -2; k + 2 <= run->order; k++) run_terms(s, k, run->t, S);
    run->hiding = 1;
    note_places(s, run, h);
    return 1;
}

static const double BEFORE_HIDDEN = 0.7; /* of the way to what hides in a step: so long is the next try */

/* How much acceleration the polynomials lack at x after the begin, in sizes a second squared, and how much there is.
 * The equations of motion are made anew there, K y = b with y = (a, lambda'); what is missing is about K0^-1 (b - K y)
 * with the matrix K0 of the begin of the step, whose factors are still there. */
static double find_lack(lw_system *s, lw_run *run, const double *from, long order, double x, double *largest) {
    static const double by_kind[] = {[COORDINATE] = -1.0, [HOLONOMIC] = -2.0, [VELOCITY] = -1.0};
    double *to = s->S[1 - run->current], *b = s->R, *y = run->acceleration;
    const double t = run->t + x;
    evaluate(s, from, order, x, to, y);
    for (long k = -2; k <= 0; k++) run_stage(s, k, t, to);
    assemble(s, t, to, s->K);
    for (long j = 0; j < s->unknowns; j++) b[j] *= by_kind[s->kind[j]];
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        double slope;
        y[j] = polynomial(from + j, s->slots, order - 2, x, &slope) - s->weight[j] * b[j];
    }
    *largest = norm(s, y);
    find_residual(s, b, y, s->r);
    solve(s, s->r);
    return norm(s, s->r);
}

static const double FAINT_FORCE = 0.1; /* of what turns things: smaller forces of constraints need no digits of their own */

/* sqrt(M) times the sizes of coordinates: with the square of a rate, forces that turn things as they go, in units of multipliers */
static double find_inertia(lw_system *s, double t, const double *S) {
    double largest = 0.0;
    assemble(s, t, S, s->K);
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        if (s->per_size[j] > 0.0 && j < s->unknowns) largest = larger(sqrt(fabs(s->K[j])) / s->per_size[j], largest);
    }
    return largest;
}

/* by what errors of multipliers of such a norm are judged */
static double find_force(const lw_run *run, double norm) { return larger(norm, FAINT_FORCE * run->inertia * run->speed * run->speed); }

/* whether the forces of ties lack so much, where this was just found out, that drivers would seem to do other work */
static int lacks_forces(const lw_system *s, const lw_run *run) {
    const double allowed = INSIDE * run->asked + run->noise;
    return run->driven && !s->redundant && multiplier_norm(s, s->r) > allowed * multiplier_norm(s, run->acceleration);
}

/* the smallest step that changes t */
static double find_smallest(const lw_run *run) { return 2.0 * ROUNDING * fmax(fabs(run->t), fabs(run->t_end)); }

/* whether so much is left that no two steps fit in: an event beside the end of a run */
static int is_rest(const lw_run *run, double left) { return 0.5 * left < find_smallest(run); }

/* whether so much acceleration, missing in a step of length h, is too much for positions or speeds */
static int is_too_much(const lw_run *run, double lack, double largest, double h, double tolerances) {
    const double noise = run->noise * largest, allowed = tolerances * run->asked;
    return !(lack * h * h <= allowed + 1e-12 + noise * h * h) || !(lack * h <= LEFT_OUT * allowed * run->speed + 1e-12 * run->speed + noise * h);
}

/* Whether to look inside a step where nothing is known to hide: always if something can, or the last try was wrong, or
 * steps grow fast; else at every eighth, to be sure. */
static int is_of_interest(const lw_run *run, double h) {
    return run->hiding || run->retries || run->steps % RHYTHM == 0 || h > 2.0 * run->h;
}

/* note that a step was too long so many times */
static void reject(lw_run *run, long times) {
    run->rejected += times;
    if (!times) return;
    run->growth = 1.0;
    run->recovery = fmax(SLOWEST, 0.5 * run->recovery);
}

/* a step of at most h from the series `from`, inside of which its polynomials are right as far as it shows */
static double inspect(lw_system *s, lw_run *run, const double *from, double h) {
    const double smallest = find_smallest(run);
    long rejected = 0;
    const int first = run->hiding ? 0 : PLACES;
    for (int i = first; i <= PLACES && h > smallest; i++) {
        const double x = i < PLACES ? run->place[i] : is_of_interest(run, h) ? INNER * h : h;
        double largest;
        if (!(x < h)) continue;
        const double lack = find_lack(s, run, from, run->order, x, &largest);
        if (is_too_much(run, lack, largest, h, INSIDE) || (i < PLACES && lacks_forces(s, run))) {
            rejected++;
            h = BEFORE_HIDDEN * x;
            i = first - 1; /* all of it again */
        }
    }
    reject(run, rejected);
    return h;
}
