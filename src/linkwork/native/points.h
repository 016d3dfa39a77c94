/* Consistent points: projection of positions and velocities onto the constraints. */

/* a correction d leaves d^2, and a second one with the same matrix d^3: either is below rounding if d is this small */
static const double QUADRATIC = 1e-8, CUBIC = 1e-5;
/* of the tolerance: the matrix of a point that is moved by no more serves all that follows there */
static const double SAME = 0.1;
enum { MAX_PROJECTIONS = 8 };
/* a multiplier's pivot below this fraction of what it was made of may be rounding: of redundant constraints between slender
 * parts it leaves more than nothing. Then a solution that its own refinement changes by VAGUE is none. */
static const double FIRM = 1e-6, VAGUE = 0.1;

/* whether pivots in doubt are rounding: K x = b with b = 1 in their rows, refined once with the true matrix */
static int is_rounding(lw_system *s, double t, const double *S) {
    const long n = s->unknowns;
    double *x = s->x, *r = s->r, *b = s->R;
    for (long j = 0; j < n; j++) x[j] = b[j] = s->kind[j] && !(-1.0 / s->inverse[j] > FIRM * s->reach[j]);
    assemble(s, t, S, s->K);
    solve(s, x);
    find_residual(s, b, x, r);
    solve(s, r);
    for (long j = 0; j < n; j++)
        if (b[j] != 0.0 && !(fabs(r[j]) <= VAGUE * fabs(x[j]))) return 1;
    return 0;
}

/* project rows 0 and 1 of S onto the constraints, leave the matrix factorised and stages -2, -1 done;
 * ILL if the point is nearly singular and need not be taken */
static long settle(lw_system *s, lw_run *run, double t, double *S, double *moved, int must) {
    const long soft = s->redundant;
    s->soft = SOFT;
    *moved = normalise(s, S);
    if (!run->redundant) s->redundant = 0; /* what was singular need not be so here */
    long i = 0;
    int again = 0; /* whether a second correction follows each, with the same matrix */
    for (;; i++) {
        assemble(s, t, S, s->F);
        const long culprit = factorise(s, run);
        if (culprit >= 0) { run->culprit = culprit; return NO_INERTIA; }
        if (!s->redundant) {
            const int lost = run->redundant || (run->weakest < FIRM && is_rounding(s, t, S));
            if (!must && !(lost && soft) && run->weakest < run->faint) return ILL;
            if (lost) { s->redundant = 1; continue; }
        }
        if (i || !run->twice) invert(s); /* where one correction does, what follows is solved with the same matrix */
        run_stage(s, -2, t, S);
        const double size = correct(s, S);
        if (!isfinite(size)) return NOT_FINITE;
        if (s->kinematics) move_followers(s, t, S, s->R);
        if (size > *moved) *moved = size;
        if (size <= fmin(QUADRATIC, fmax(run->tol, 1e-14))) break;
        again = size <= fmin(CUBIC, SAME * run->tol) && !s->kinematics;
        if (again) break;
        if (i == MAX_PROJECTIONS) return NOT_CLOSED;
    }
    run->twice = i > 0;
    if (!s->inverted) invert(s);
    run_stage(s, -2, t, S);
    if (again) {
        correct(s, S);
        run_stage(s, -2, t, S);
    }
    run_stage(s, -1, t, S);
    const double size = correct(s, S + s->slots) / run->speed;
    if (!isfinite(size)) return NOT_FINITE;
    if (size > *moved) *moved = size;
    if (again) {
        run_stage(s, -1, t, S);
        correct(s, S + s->slots);
    }
    if (s->quick && size > 0.0) {
        assemble(s, t, S, s->F);
        factorise(s, run);
        invert(s);
    }
    run_stage(s, -1, t, S);
    return FINISHED;
}
