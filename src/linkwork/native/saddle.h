/* Linear algebra: the saddle-point matrix of a system, assembled, factorised, solved; redundant constraints softened. */

enum { REFINEMENTS = 20 };
static const double REFINED = 1e-15; /* of the constraints' part of the right-hand side */
static const double ENOUGH = 1e-4;   /* if this much of what was left is left, it was the softening and is gone */
/* a coordinate's pivot below this fraction of its diagonal means no inertia */
static const double SINGULAR = 1e-14;

SEPARATE void assemble(const lw_system *s, double t, const double *S, double *F) {
    memcpy(F, s->constant, (s->unknowns + s->column[s->unknowns]) * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        if (term->matrix) term->matrix(term->blocks, t, S, s->slots, term->from, term->matrix_to, term->matrix_par, F);
    }
}

/* r = b - K x with the matrix K as it was assembled */
SEPARATE void find_residual(const lw_system *s, const double *b, const double *restrict x, double *restrict r) {
    const long n = s->unknowns;
    const double *L = s->K + n;
    const int *row = s->row;
    for (long j = 0; j < n; j++) r[j] = b[j] - s->K[j] * x[j];
    for (long j = 0; j < n; j++) {
        const double at = x[j];
        double own = 0.0;
        for (int a = s->column[j]; a < s->column[j + 1]; a++) {
            r[row[a]] -= L[a] * at;
            own += L[a] * x[row[a]];
        }
        r[j] -= own;
    }
}

/* look at a pivot: whether it is one */
INLINE int judge_pivot(const lw_system *s, lw_run *run, long j) {
    const double d = s->F[j], reach = s->reach[j];
    if (!s->kind[j]) return d > SINGULAR * reach;
    const double least = s->redundant ? 1e3 * s->soft / s->unit[j] : run->lost * reach;
    run->redundant += !(-d > least);
    run->weakest = smaller(-d / reach, run->weakest);
    return s->redundant || !run->redundant; /* else it is to be done again, softened */
}

/* what is wrong with a pivot that is none: its slot has no inertia, or -1 for a constraint */
INLINE long blame(const lw_system *s, long j) { return s->kind[j] ? -1 : j; }

/* L D L' in place, right-looking; returns the slot without inertia or -1 */
SEPARATE long factorise(lw_system *s, lw_run *run) {
    const long n = s->unknowns;
    double *F = s->F, *L = s->F + n;
    const int *target = s->update;
    run->factorisations++;
    s->inverted = 0;
    run->redundant = 0;
    run->weakest = 1.0;
    if (s->redundant) {
        memcpy(s->K, F, (n + s->column[n]) * sizeof(double));
        for (long i = 0; i < s->multipliers; i++) F[s->multiplier[i]] = -s->soft / s->unit[s->multiplier[i]];
    }
    if (s->eliminate) {
        s->eliminate(F, s->inverse, s->reach);
        for (long j = 0; j < n; j++)
            if (!judge_pivot(s, run, j)) return blame(s, j);
        return -1;
    }
    for (long j = 0; j < n; j++) s->reach[j] = fabs(F[j]);
    for (long j = 0; j < n; j++) {
        const int begin = s->column[j], end = s->column[j + 1];
        if (!judge_pivot(s, run, j)) return blame(s, j);
        const double inverse = s->inverse[j] = 1.0 / F[j];
        for (int a = begin; a < end; a++) {
            const double x = L[a], l = x * inverse;
            s->reach[s->row[a]] += fabs(l * x);
            for (int b = a; b < end; b++) F[*target++] -= l * L[b];
            L[a] = l;
        }
    }
    return -1;
}

/* Forward through a block of w columns from j that have the same rows below it, so that its unknowns stay in registers;
 * tied: they act on each other as well. w and tied are known where this is used. The four are written out, since compilers
 * make vectors of so few numbers in vain. */
INLINE void eliminate(const lw_system *s, double *restrict x, long j, const int w, const int tied) {
    const int *column = s->column + j, *row = s->row + column[w - 1], below = column[w] - column[w - 1];
    const double *L = s->F + s->unknowns;
    const double *l0 = L + column[0], *l1 = L + column[w > 1], *l2 = L + column[w > 2 ? 2 : 0], *l3 = L + column[w - 1];
    double x0 = x[j], x1 = w > 1 ? x[j + 1] : 0.0, x2 = w > 2 ? x[j + 2] : 0.0, x3 = w > 3 ? x[j + 3] : 0.0;
    if (tied) {
        if (w > 1) x[j + 1] = x1 -= *l0++ * x0;
        if (w > 2) x[j + 2] = x2 = x2 - *l0++ * x0 - *l1++ * x1;
        if (w > 3) x[j + 3] = x3 = x3 - *l0++ * x0 - *l1++ * x1 - *l2++ * x2;
    }
    for (int a = 0; a < below; a++) {
        double y = x[row[a]] - l0[a] * x0;
        if (w > 1) y -= l1[a] * x1;
        if (w > 2) y -= l2[a] * x2;
        if (w > 3) y -= l3[a] * x3;
        x[row[a]] = y;
    }
}

/* and back; rows from far to near, since the near ones are known last */
INLINE void substitute(const lw_system *s, double *restrict x, long j, const int w, const int tied) {
    const int *column = s->column + j, *row = s->row + column[w - 1], below = column[w] - column[w - 1];
    const double *L = s->F + s->unknowns, *D = s->inverse + j;
    const double *l0 = L + column[0], *l1 = L + column[w > 1], *l2 = L + column[w > 2 ? 2 : 0], *l3 = L + column[w - 1];
    double x0 = x[j] * D[0], x1 = w > 1 ? x[j + 1] * D[1] : 0.0;
    double x2 = w > 2 ? x[j + 2] * D[2] : 0.0, x3 = w > 3 ? x[j + 3] * D[3] : 0.0;
    if (tied) l0 += w - 1, l1 += w - 2, l2 += w - 3;
    for (int a = below - 1; a >= 0; a--) {
        const double y = x[row[a]];
        x0 -= l0[a] * y;
        if (w > 1) x1 -= l1[a] * y;
        if (w > 2) x2 -= l2[a] * y;
        if (w > 3) x3 -= l3[a] * y;
    }
    if (tied) {
        if (w > 3) x2 -= l2[-1] * x3, x1 -= l1[-1] * x3, x0 -= l0[-1] * x3;
        if (w > 2) x1 -= l1[2 - w] * x2, x0 -= l0[2 - w] * x2;
        if (w > 1) x0 -= l0[1 - w] * x1;
    }
    x[j] = x0;
    if (w > 1) x[j + 1] = x1;
    if (w > 2) x[j + 2] = x2;
    if (w > 3) x[j + 3] = x3;
}

#if GROUPS && !defined(BY_FACTORS)
/* next to nothing is solved before there is an inverse: column by column will do */
SEPARATE void solve_by_factors(const lw_system *s, double *restrict x) {
    for (long j = 0; j < s->unknowns; j++) eliminate(s, x, j, 1, 0);
    for (long j = s->unknowns - 1; j >= 0; j--) substitute(s, x, j, 1, 0);
}
#else
#define PASS(stretch, loop, step) \
    switch ((stretch)->width + 4 * (stretch)->tied) { \
        case 1: loop step(s, x, j, 1, 0); break; \
        case 2: loop step(s, x, j, 2, 0); break; \
        case 3: loop step(s, x, j, 3, 0); break; \
        case 4: loop step(s, x, j, 4, 0); break; \
        case 6: loop step(s, x, j, 2, 1); break; \
        case 7: loop step(s, x, j, 3, 1); break; \
        default: loop step(s, x, j, 4, 1); \
    }

SEPARATE void solve_by_factors(const lw_system *s, double *restrict x) {
    long j = 0;
    for (const lw_stretch *k = s->stretch; k < s->stretch + s->stretches; k++) {
        const long width = k->width, end = j + width * k->blocks;
        PASS(k, for (; j < end; j += width), eliminate)
    }
    for (const lw_stretch *k = s->stretch + s->stretches - 1; k >= s->stretch; k--) {
        const long width = k->width, begin = j - width * k->blocks;
        PASS(k, while ((j -= width) >= begin), substitute)
        j = begin;
    }
}
#endif

/* A system of few unknowns is solved for many right-hand sides: form the inverse, whose rows are `groups` registers wide.
 * This forms so many groups of WIDE columns from a first one on; how many is known where this is used. */
INLINE void invert_some(const lw_system *s, long groups, long first, const int count) {
    const long n = s->unknowns;
    const double *L = s->F + n;
    const int *column = s->column, *row = s->row;
    wide *X = (wide *)s->full + first;
    for (long j = 0; j < n; j++)
        for (int g = 0; g < count; g++) X[j * groups + g] = (wide){0};
    for (long j = first * WIDE; j < n && j < (first + count) * WIDE; j++) X[j * groups + j / WIDE - first][j % WIDE] = 1.0;
    /* rows before the first unit vector stay zero */
    for (long j = first * WIDE; j < n; j++)
        for (int a = column[j]; a < column[j + 1]; a++)
            for (int g = 0; g < count; g++) X[row[a] * groups + g] -= L[a] * X[j * groups + g];
    for (long j = n - 1; j >= 0; j--) {
        wide sum[PANEL];
        for (int g = 0; g < count; g++) sum[g] = X[j * groups + g] * s->inverse[j];
        for (int a = column[j]; a < column[j + 1]; a++)
            for (int g = 0; g < count; g++) sum[g] -= L[a] * X[row[a] * groups + g];
        for (int g = 0; g < count; g++) X[j * groups + g] = sum[g];
    }
}

/* the matrix itself, as wide as its inverse */
SEPARATE void widen(const lw_system *s, long groups) {
    const long n = s->unknowns, width = groups * WIDE;
    const double *L = s->K + n;
    double *X = s->whole;
    memset(X, 0, n * width * sizeof(double));
    for (long j = 0; j < n; j++) {
        X[j * width + j] = s->K[j];
        for (int a = s->column[j]; a < s->column[j + 1]; a++) X[j * width + s->row[a]] = X[s->row[a] * width + j] = L[a];
    }
}

/* x := A x with such a matrix; behind x there is room for a whole register */
SEPARATE void multiply(const lw_system *s, const double *A, double *x) {
    const long n = s->unknowns;
    const wide *X = (const wide *)A;
    enum { groups = GROUPS ? GROUPS : 1 };
    const int paired = 2 * groups <= REGISTERS; /* sums in two chains, where there is room for them */
    wide even[groups] = {{0}}, odd[groups] = {{0}};
    long j = 0;
    for (; paired && j + 1 < n; j += 2)
        for (int g = 0; g < groups; g++) {
            even[g] += x[j] * X[j * groups + g];
            odd[g] += x[j + 1] * X[(j + 1) * groups + g];
        }
    for (; j < n; j++)
        for (int g = 0; g < groups; g++) even[g] += x[j] * X[j * groups + g];
    for (int g = 0; g < groups; g++) {
        if (paired) even[g] += odd[g];
        memcpy(x + g * WIDE, &even[g], sizeof even[g]);
    }
}

/* the inverse of the matrix just factorised, if its rows fit in few registers; what a softened one was before */
SEPARATE void invert(lw_system *s) {
    if (!s->full) return;
    if (s->invert) s->invert(s->F, s->inverse, s->full);
    else {
        for (long first = 0; first + PANEL <= GROUPS; first += PANEL) invert_some(s, GROUPS, first, PANEL);
        if (GROUPS % PANEL) invert_some(s, GROUPS, GROUPS - GROUPS % PANEL, GROUPS % PANEL);
    }
    if (s->redundant) widen(s, GROUPS);
    s->inverted = 1;
}

/* by the inverse where there is one */
static void solve(const lw_system *s, double *x) {
    if (s->inverted) multiply(s, s->full, x);
    else if (s->solve) s->solve(s->F, s->inverse, x);
    else solve_by_factors(s, x);
}

/* r = b - K x with the matrix that was softened */
SEPARATE void find_softening(const lw_system *s, const double *b, const double *x, double *r) {
    if (!s->inverted) {
        find_residual(s, b, x, r);
        return;
    }
    memcpy(r, x, s->unknowns * sizeof(double));
    multiply(s, s->whole, r);
    for (long j = 0; j < s->unknowns; j++) r[j] = b[j] - r[j];
}

static const double CONTRADICTION = 1e-3; /* constraints that cannot be met to this fraction contradict each other */

/* the size of what constraints lack, and of multipliers, in comparable units */
SEPARATE double largest_gap(const lw_system *s, const double *gap) {
    double largest = 0.0;
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        largest = larger(s->root[j] * fabs(gap[j]), largest);
    }
    return largest;
}

SEPARATE double multiplier_norm(const lw_system *s, const double *row) {
    double largest = 0.0;
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        largest = larger(fabs(row[j]) * s->per_root[j], largest);
    }
    return largest;
}

/* K x = b with redundant constraints: the softened matrix, then refinements with the true one; b becomes x.
 * Returns how much of the constraints' part of b no x can meet, in the units of sqrt(M) x, or 0 if it is a small part. */
SEPARATE double solve_redundant(const lw_system *s, double *b) {
    const long n = s->unknowns;
    double *x = s->x, *r = s->r, left = HUGE_VAL, all = largest_gap(s, b);
    const int least = s->soft > SOFT; /* what is left of the softening is its power of the number of solutions */
    memcpy(x, b, n * sizeof(double));
    solve(s, x);
    for (int i = 0; i < REFINEMENTS; i++) {
        const double before = left;
        find_softening(s, b, x, r);
        left = largest_gap(s, r);
        if (i > 0 && (left <= REFINED * all || left > 0.5 * before)) break;
        solve(s, r);
        /* (K + E) dx = r, so that what this refinement leaves is E dx, but for rounding; what no x can meet stays */
        const double rest = s->soft * multiplier_norm(s, r);
        for (long j = 0; j < n; j++) x[j] += r[j];
        if (rest <= ENOUGH * left && i >= least) { left = 0.0; break; }
    }
    memcpy(b, x, n * sizeof(double));
    return left > CONTRADICTION * all ? left : 0.0;
}

SEPARATE double solve_any(const lw_system *s, double *b) {
    if (s->redundant) return solve_redundant(s, b);
    solve(s, b);
    return 0.0;
}

/* the largest of the first n entries of a row in units of its sizes; NAN if one is not finite. Four at a time: they do not wait
 * for each other */
INLINE double largest_of(const lw_system *s, const double *x, long n) {
    double most[4] = {0.0}, bad[4] = {0.0};
    long j = 0;
    for (; j + 3 < n; j += 4)
        for (int l = 0; l < 4; l++) {
            const double one = fabs(x[j + l]) * s->per_size[j + l];
            most[l] = larger(one, most[l]);
            bad[l] += 0.0 * one;
        }
    for (; j < n; j++) {
        const double one = fabs(x[j]) * s->per_size[j];
        most[0] = larger(one, most[0]);
        bad[0] += 0.0 * one;
    }
    const double size = larger(larger(most[0], most[1]), larger(most[2], most[3]));
    return size + ((bad[0] + bad[1]) + (bad[2] + bad[3]));
}

/* of what moves */
SEPARATE double norm(const lw_system *s, const double *x) { return largest_of(s, x, s->moving); }

/* correction of one row (positions: order 0, velocities: order 1) by the multipliers' residual now in R */
SEPARATE double correct(lw_system *s, double *row) {
    const long n = s->unknowns;
    const double *per_size = s->per_size; /* 0 for multipliers */
    double *R = s->R, *size = s->x;
    for (long j = 0; j < n; j++) R[j] = per_size[j] == 0.0 ? -R[j] : 0.0;
    solve_any(s, R);
    for (long j = 0; j < n; j++) {
        row[j] += per_size[j] == 0.0 ? 0.0 : R[j];
        /* what rounding hides does not count: an angle of a thousand turns cannot be set more finely */
        size[j] = larger(0.0, fabs(R[j]) - ROUNDING * fabs(row[j]));
    }
    return largest_of(s, size, n);
}
