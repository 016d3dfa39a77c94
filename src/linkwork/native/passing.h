/* Passing singular positions. A motion that passes one is smooth, but the matrix there is not regular: the nearer a point,
 * the more of its coefficients is rounding, of high ones most. So a step goes beyond, from well before. */

enum { EVASIONS = 6, LEAPS = 12, LOWEST = 6 };
/* what the last term of a step beyond may be: of the tolerance, at least, and where there is no better way */
static const double STRICT = 0.1, LEAST = 1e-13, LEAP = 1e-11;
/* a landing up to so many times stronger than a weak one is faint, if this is a small part of what the begin was */
static const double FAINT = 10.0, FALL = 0.25;

/* whether laws may change on the way, so that a step must not go beyond where they were looked at */
static int has_borders(const lw_system *s, const lw_run *run) { return s->cursors || run->switches; }

/* the pivot below which a landing is so much nearer to a singular position that the next step would not pass it well */
static double find_faint(const lw_system *s, const lw_run *run) {
    return has_borders(s, run) ? run->weak : fmax(run->weak, fmin(FAINT * run->weak, FALL * run->weakest));
}

/* the order at which a series is best cut off for a step: there its terms are least, and from there on they are rounding */
static long find_best_order(const lw_system *s, const lw_run *run, const double *from, double h, double *least) {
    double power = pow(h, LOWEST);
    long order = 0;
    *least = HUGE_VAL;
    for (long k = LOWEST; k <= run->order; k++, power *= h) {
        const double term = (double)k * norm(s, from + k * s->slots) * power;
        if (term == 0.0) break; /* an earlier leap was tried */
        if (term < *least) { *least = term; order = k; }
    }
    return order;
}

/* whether a point is about as regular as the begin was */
static int is_firm(lw_system *s, lw_run *run, double begin, double t, const double *S) {
    assemble(s, t, S, s->F);
    return factorise(s, run) < 0 && !run->redundant && run->weakest >= fmin(run->weak, 0.5 * begin);
}

/* The landing at h is nearly singular. Go beyond with the low coefficients alone, if they are exact enough, the equations of
 * motion hold all the way, and the landing is firm or the end of the run. Returns 0 if not; `whole`: for want of orders. */
static double leap(lw_system *s, lw_run *run, double *from, double h, double begin, int strict, int *whole) {
    const double left = run->t_end - run->t, farthest = fmin(left, run->h_max);
    const double asked = strict ? fmax(STRICT * run->tol, LEAST) : fmax(run->tol, LEAP);
    double *to = s->S[1 - run->current], length = h, least;
    for (int i = 0; i < LEAPS && !has_borders(s, run); i++) {
        length = fmin(1.25 * length, left);
        const int last = length == left;
        if (length > farthest || (length == farthest && !last)) break;
        const long order = find_best_order(s, run, from, length, &least);
        *whole = order == run->order;
        /* of positions, and of speeds against what moves */
        if (!(least <= asked * smaller(1.0, LEFT_OUT * run->speed * length))) break;
        run->asked = fmax(run->tol, asked);
        evaluate(s, from, order, length, to, run->acceleration);
        if (!last && !is_firm(s, run, begin, run->t + length, to)) continue;
        factorise_again(s, run);
        int right = 1;
        for (int k = 1; right && k < 8; k++) {
            double largest, lack = find_lack(s, run, from, order, length * k / 8, &largest);
            right = !is_too_much(run, lack, largest, length, INSIDE);
        }
        if (!right && last) break;
        if (!right) continue;
        for (long k = order + 1; k <= run->order; k++) /* multipliers end two orders before coordinates */
            for (long j = 0; j < s->moving; j++) from[(s->kind[j] ? k - 2 : k) * s->slots + j] = 0.0;
        run->trusted = last;
        return length;
    }
    run->asked = run->tol;
    return 0.0;
}

/* Of some shorter steps the one that lands best, a longer one if in doubt; its pivot is the weakest now. */
static double evade(lw_system *s, lw_run *run, const double *from, double *to, double h) {
    double best = h, strongest = run->weakest;
    for (int i = 1; i <= EVASIONS; i++) {
        const double shorter = h * (1.0 - 0.6 * i / EVASIONS);
        evaluate(s, from, run->order, shorter, to, run->acceleration);
        assemble(s, run->t + shorter, to, s->F);
        if (factorise(s, run) < 0 && run->weakest > 2.0 * strongest) { best = shorter; strongest = run->weakest; }
    }
    run->weakest = strongest;
    return best;
}

/* The length of a step instead of h, whose landing is weak or faint: beyond; up to a firm point from which there are orders
 * enough to go beyond; or what is left to do. */
static double pass(lw_system *s, lw_run *run, double *from, double *to, double h, double begin) {
    const int weak = run->weakest < run->weak, last = h >= run->t_end - run->t;
    const double landing = run->weakest;
    int whole = 0;
    double beyond = leap(s, run, from, h, begin, 1, &whole);
    if (beyond > 0.0) return beyond;
    if (last && (!weak || has_borders(s, run))) return h;
    run->weakest = landing;
    const int wanting = whole;
    const double shorter = evade(s, run, from, to, h);
    if (!weak || (wanting && run->weakest >= run->weak)) return shorter;
    beyond = leap(s, run, from, h, begin, 0, &whole);
    return beyond > 0.0 ? beyond : shorter;
}

/* at the end of a run in a singular position the accelerations are those of the way there: the equations leave them open */
static void keep_acceleration(const lw_system *s, const lw_run *run, double *S) {
    for (long i = 0; i < s->coordinates; i++) S[2 * s->slots + s->coordinate[i]] = 0.5 * run->acceleration[s->coordinate[i]];
}
