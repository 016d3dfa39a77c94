/* Linear algebra: the saddle-point matrix of a system, assembled, factorised, solved; redundant constraints softened. */

/* a multiplier's pivot below this fraction of what it was made of means a redundant constraint at the start; on the way
 * only what rounding leaves of a pivot does, since a motion may come near a singular position and turn there */
static const double REDUNDANT = 1e-10, LOST = 1e-14;
/* E, relative to the natural size 1/W of the block it replaces; the effect on the motion falls by this factor with
 * each refinement, and what rounding leaves in the redundant directions grows by its inverse */
static const double SOFT = 1e-9;
enum { REFINEMENTS = 20 };
static const double REFINED = 1e-15; /* of the constraints' part of the right-hand side */
/* a coordinate's pivot below this fraction of its diagonal means no inertia */
static const double SINGULAR = 1e-14;

static void assemble(const lw_system *s, double t, const double *S, double *F) {
    memcpy(F, s->constant, (s->unknowns + s->column[s->unknowns]) * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        if (term->matrix) term->matrix(term->blocks, t, S, term->from, term->matrix_to, term->matrix_par, F);
    }
}

/* r = b - K x with the matrix K as it was assembled */
static void find_residual(const lw_system *s, const double *b, const double *x, double *r) {
    const long n = s->unknowns;
    const double *L = s->K + n;
    for (long j = 0; j < n; j++) r[j] = b[j] - s->K[j] * x[j];
    for (long j = 0; j < n; j++)
        for (int a = s->column[j]; a < s->column[j + 1]; a++) {
            r[s->row[a]] -= L[a] * x[j];
            r[j] -= L[a] * x[s->row[a]];
        }
}

/* L D L' in place, right-looking; returns the slot without inertia or -1 */
static long factorise(lw_system *s, lw_run *run) {
    const long n = s->unknowns;
    double *F = s->F, *L = s->F + n;
    const int *target = s->update;
    run->factorisations++;
    run->redundant = 0;
    run->weakest = 1.0;
    if (s->redundant) {
        memcpy(s->K, F, (n + s->column[n]) * sizeof(double));
        for (long i = 0; i < s->multipliers; i++) F[s->multiplier[i]] = -SOFT / s->unit[s->multiplier[i]];
    }
    for (long j = 0; j < n; j++) s->reach[j] = fabs(F[j]);
    for (long j = 0; j < n; j++) {
        const double d = F[j];
        const int begin = s->column[j], end = s->column[j + 1];
        double inverse;
        if (s->kind[j]) {
            const double least = s->redundant ? 1e3 * SOFT / s->unit[j] : run->lost * s->reach[j];
            run->redundant += !(-d > least);
            run->weakest = fmin(run->weakest, -d / s->reach[j]);
            if (run->redundant && !s->redundant) return -1; /* to be done again, softened */
            inverse = 1.0 / d;
        } else {
            if (!(d > SINGULAR * s->reach[j])) return j;
            inverse = 1.0 / d;
        }
        s->inverse[j] = inverse;
        for (int a = begin; a < end; a++) {
            const double x = L[a], l = x * inverse;
            s->reach[s->row[a]] += fabs(l * x);
            for (int b = a; b < end; b++) F[*target++] -= l * L[b];
            L[a] = l;
        }
    }
    return -1;
}

static void solve(const lw_system *s, double *x) {
    const long n = s->unknowns;
    const double *L = s->F + n;
    const int *column = s->column, *row = s->row;
    for (long j = 0; j < n; j++) {
        const double xj = x[j];
        for (int a = column[j]; a < column[j + 1]; a++) x[row[a]] -= L[a] * xj;
    }
    /* two sums at a time: they do not wait for each other */
    for (long j = n - 1; j >= 0; j--) {
        double even = x[j] * s->inverse[j], odd = 0.0;
        int a = column[j];
        const int end = column[j + 1];
        for (; a + 1 < end; a += 2) {
            even -= L[a] * x[row[a]];
            odd -= L[a + 1] * x[row[a + 1]];
        }
        if (a < end) even -= L[a] * x[row[a]];
        x[j] = even + odd;
    }
}

/* a system of few unknowns is solved for many right-hand sides: form the inverse, WIDE columns at a time */
static void invert(const lw_system *s) {
    const long n = s->unknowns, groups = (n + WIDE - 1) / WIDE;
    const double *L = s->F + n;
    const int *column = s->column, *row = s->row;
    wide *X = (wide *)s->full;
    for (long g = 0; g < groups; g++) {
        wide *x = X + g;
        const long first = g * WIDE;
        for (long j = 0; j < n; j++) x[j * groups] = (wide){0};
        for (long l = 0; l < WIDE && first + l < n; l++) x[(first + l) * groups][l] = 1.0;
        /* columns before the first unit vector stay zero */
        for (long j = first; j < n; j++) {
            const wide xj = x[j * groups];
            for (int a = column[j]; a < column[j + 1]; a++) x[row[a] * groups] -= L[a] * xj;
        }
        for (long j = n - 1; j >= 0; j--) {
            wide sum = x[j * groups] * s->inverse[j];
            for (int a = column[j]; a < column[j + 1]; a++) sum -= L[a] * x[row[a] * groups];
            x[j * groups] = sum;
        }
    }
}

/* x := K^-1 x by the inverse */
static void multiply(const lw_system *s, double *x) {
    const long n = s->unknowns, groups = (n + WIDE - 1) / WIDE;
    const wide *X = (const wide *)s->full;
    double y[groups * WIDE];
    for (long g = 0; g < groups; g++) {
        wide a = {0}, b = {0};
        long j = 0;
        for (; j + 1 < n; j += 2) {
            a += x[j] * X[j * groups + g];
            b += x[j + 1] * X[(j + 1) * groups + g];
        }
        if (j < n) a += x[j] * X[j * groups + g];
        a += b;
        memcpy(y + g * WIDE, &a, sizeof a);
    }
    memcpy(x, y, n * sizeof(double));
}

static const double CONTRADICTION = 1e-3; /* constraints that cannot be met to this fraction contradict each other */

/* K x = b with redundant constraints: the softened matrix, then refinements with the true one; b becomes x.
 * Returns how much of the constraints' part of b no x can meet, in the units of sqrt(M) x, or 0 if it is a small part. */
static double solve_redundant(const lw_system *s, double *b) {
    const long n = s->unknowns;
    double *x = s->x, *r = s->r, left = HUGE_VAL, all = 0.0;
    for (long i = 0; i < s->multipliers; i++) all = fmax(all, sqrt(s->unit[s->multiplier[i]]) * fabs(b[s->multiplier[i]]));
    memcpy(x, b, n * sizeof(double));
    solve(s, x);
    for (int i = 0; i < REFINEMENTS; i++) {
        const double before = left;
        find_residual(s, b, x, r);
        left = 0.0;
        for (long k = 0; k < s->multipliers; k++) /* constraints in comparable units */
            left = fmax(left, sqrt(s->unit[s->multiplier[k]]) * fabs(r[s->multiplier[k]]));
        if (i > 1 && (left <= REFINED * all || left > 0.5 * before)) break;
        solve(s, r);
        for (long j = 0; j < n; j++) x[j] += r[j];
    }
    memcpy(b, x, n * sizeof(double));
    return left > CONTRADICTION * all ? left : 0.0;
}

static double solve_any(const lw_system *s, double *b) {
    if (s->redundant) return solve_redundant(s, b);
    if (s->full) multiply(s, b);
    else solve(s, b);
    return 0.0;
}
