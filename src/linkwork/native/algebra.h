/* Algebraic values: numbers w in laws that depend on the accelerations and multipliers that follow from these laws.
 *
 *     K (a, lambda) = b(w),     rho(a, lambda, w) = 0           with the matrix K of the saddle-point problem
 *
 * K is factorised, so a Newton step in w needs one more solution for each value: the column y = -K^-1 dr/dw, and then
 * D = drho/dw + drho/d(a, lambda) y. A coefficient of order k > 0 enters everything of that order linearly, with the slopes of
 * order 0: so D is found by two coefficients of order 1 that differ in w alone, and the same D gives the series of w.
 * Where det(-D) vanishes or changes its sign the values are not determined: friction that jams.
 */

static const double ENOUGH_DIGITS = 1e-13, FEW_DIGITS = 1e-9; /* of a value: a correction so small is the last */
static const double FAINT_DIGITS = 1e-14; /* of the largest acceleration or multiplier: the same */
enum { MOST_LOOPS = 40, PATIENCE = 6 };
#include "slopes.h"

/* what should vanish, of order k */
static void find_rest(const lw_system *s, long k, double t, const double *S, double *rho) {
    const lw_algebra *a = s->algebra;
    for (long i = 0; i < a->count; i++) {
        const lw_program *p = a->program + i;
        run_order(p, 0, a->capacity, k, t, S, s->slots);
        rho[i] = p->work[p->result[0] * a->capacity + k];
    }
}

/* what the terms that read values say at order k, added to R */
static void run_readers(const lw_system *s, long k, double t, const double *S, double *R) {
    for (long i = 0; i < s->algebra->readers; i++) {
        const lw_term *term = s->term + s->algebra->reader[i];
        if (term->stage && k <= term->last_stage)
            term->stage(k, term->blocks, s->capacity, t, S, s->slots, term->from, term->stage_to, term->stage_par, term->work, R);
    }
}

/* accelerations and multipliers of order k from the values of S; what stays of constraints that contradict each other */
static double respond(lw_system *s, long k, double t, double *S, const double *drift) {
    double *row = S + k * s->slots, *top = S + (k + 2) * s->slots, *R = s->R;
    const double factor = (double)(k + 1) * (double)(k + 2);
    const double by_kind[] = {[COORDINATE] = -1.0, [HOLONOMIC] = -factor, [VELOCITY] = -(double)(k + 1)};
    memset(top, 0, s->unknowns * sizeof(double));
    run_stage(s, k, t, S);
    for (long j = 0; j < s->unknowns; j++) R[j] *= by_kind[s->kind[j]];
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        if (drift) R[j] -= drift[i];
        row[j] = s->weight[j] * R[j];
    }
    const double left = solve_any(s, R);
    for (long j = 0; j < s->unknowns; j++) {
        if (s->kind[j]) row[j] += R[j];
        else top[j] = R[j] / factor;
    }
    return left;
}

/* The slopes D and the columns y at the values of S, whose order 0 is done; rows 1 of values and multipliers and row 3 are left
 * zero. JAMMED if the values are not determined. */
static long find_slopes(lw_system *s, double t, double *S) {
    lw_algebra *a = s->algebra;
    const long n = a->count, width = s->slots;
    double *first = S + width, *third = S + 3 * width, *R = s->R, *base = a->room, size;
    for (long i = 0; i < n; i++) first[a->slot[i]] = 0.0;
    for (long i = 0; i < s->multipliers; i++) first[s->multiplier[i]] = 0.0;
    memset(third, 0, s->unknowns * sizeof(double));
    memset(base, 0, width * sizeof(double));
    run_readers(s, 1, t, S, base);
    find_rest(s, 1, t, S, a->rest);
    for (long i = 0; i < n; i++) {
        const double w = fabs(S[a->slot[i]]) + 1.0;
        double *y = a->column + i * s->unknowns;
        first[a->slot[i]] = w;
        memset(R, 0, width * sizeof(double));
        run_readers(s, 1, t, S, R);
        for (long j = 0; j < s->unknowns; j++) R[j] = s->kind[j] ? 0.0 : base[j] - R[j];
        solve_any(s, R);
        for (long j = 0; j < s->unknowns; j++) {
            y[j] = R[j] / w;
            if (s->kind[j]) first[j] = R[j];
            else third[j] = R[j] / 6.0;
        }
        find_rest(s, 1, t, S, a->rho);
        for (long k = 0; k < n; k++) a->D[k * n + i] = -(a->rho[k] - a->rest[k]) / w;
        first[a->slot[i]] = 0.0;
        for (long k = 0; k < s->multipliers; k++) first[s->multiplier[k]] = 0.0;
        memset(third, 0, s->unknowns * sizeof(double));
    }
    a->determinant = factorise_slopes(a, &size);
    if (!isfinite(a->determinant)) return NOT_FINITE;
    const double judged = a->sign == 0.0 ? fabs(a->determinant) : a->sign * a->determinant;
    return judged > NEARLY_SINGULAR * size ? FINISHED : JAMMED;
}

/* the Newton step at the values of S and its size: 1 if it is as large as they are */
static double find_correction(lw_system *s, const double *S) {
    lw_algebra *a = s->algebra;
    double most = 0.0, size = 0.0;
    solve_slopes(a, a->rho, a->step);
    for (long i = 0; i < a->count; i++) most = larger(fabs(S[a->slot[i]] + a->step[i]), most);
    for (long i = 0; i < a->count; i++) {
        const double w = fabs(S[a->slot[i]] + a->step[i]) + VALUE_SHARE * most;
        if (w > 0.0) size = larger(fabs(a->step[i]) / w, size);
    }
    return size;
}

/* whether a Newton step is what rounding leaves of accelerations and multipliers: values that pass zero have no digits of their own */
static int is_faint(const lw_system *s, const double *S) {
    const lw_algebra *a = s->algebra;
    const double *top = S + 2 * s->slots;
    double most = 0.0, step = 0.0;
    for (long j = 0; j < s->unknowns; j++) most = larger(s->kind[j] ? fabs(S[j]) : 2.0 * fabs(top[j]), most);
    for (long i = 0; i < a->count; i++) step = larger(fabs(a->step[i]), step);
    return step <= FAINT_DIGITS * most;
}

/* the values at a point, with its accelerations and multipliers */
static long close_loops(lw_system *s, double t, double *S, const double *drift) {
    lw_algebra *a = s->algebra;
    double worst = INFINITY;
    long status = FINISHED;
    for (int i = 0; i < MOST_LOOPS; i++) {
        respond(s, 0, t, S, drift);
        find_rest(s, 0, t, S, a->rho);
        for (long j = 0; j < a->count; j++)
            if (!isfinite(a->rho[j])) return NOT_FINITE;
        if (i) {
            const double size = find_correction(s, S);
            if (size <= ENOUGH_DIGITS || (i >= PATIENCE && (size <= FEW_DIGITS || is_faint(s, S)))) return status;
        }
        memcpy(a->kept, a->rho, a->count * sizeof(double));
        status = find_slopes(s, t, S);
        if (status == NOT_FINITE) return status;
        worst = smaller(a->sign * a->determinant, worst);
        memcpy(a->rho, a->kept, a->count * sizeof(double));
        find_correction(s, S);
        for (long j = 0; j < a->count; j++) S[a->slot[j]] += a->step[j];
    }
    a->endless = 1;
    a->determinant = worst;
    return JAMMED;
}

/* whether laws have no other branch beyond zero on which the values would be determined otherwise: abs(w) of a large share */
static long check_branches(lw_system *s, double t, double *S) {
    lw_algebra *a = s->algebra;
    for (long i = 0; i < a->mirrored; i++) S[a->slot[i]] = -S[a->slot[i]];
    memset(a->room, 0, s->slots * sizeof(double));
    run_readers(s, 0, t, S, a->room);
    const long status = find_slopes(s, t, S);
    for (long i = 0; i < a->mirrored; i++) S[a->slot[i]] = -S[a->slot[i]];
    memset(a->room, 0, s->slots * sizeof(double));
    run_readers(s, 0, t, S, a->room);
    return status == NOT_FINITE ? FINISHED : status;
}

/* what `expand` does, with values */
static long expand_loops(lw_system *s, double t, double *S, long order) {
    lw_algebra *a = s->algebra;
    const long width = s->slots, n = s->unknowns;
    long status = close_loops(s, t, S, NULL);
    if (!status) status = check_branches(s, t, S);
    if (!status) status = find_slopes(s, t, S);
    if (status) return status;
    if (a->sign == 0.0) a->sign = a->determinant < 0.0 ? -1.0 : 1.0;
    for (long k = 1; k + 2 <= order; k++) {
        const double inverse = 1.0 / ((double)(k + 1) * (double)(k + 2));
        double *row = S + k * width, *top = S + (k + 2) * width;
        for (long i = 0; i < a->count; i++) row[a->slot[i]] = 0.0;
        respond(s, k, t, S, NULL);
        find_rest(s, k, t, S, a->rho);
        solve_slopes(a, a->rho, a->step);
        for (long i = 0; i < a->count; i++) {
            const double *y = a->column + i * n, w = a->step[i];
            row[a->slot[i]] = w;
            for (long j = 0; j < n; j++) {
                if (s->kind[j]) row[j] += y[j] * w;
                else top[j] += y[j] * w * inverse;
            }
        }
        /* what the stage has stored of values */
        memset(a->room, 0, width * sizeof(double));
        run_readers(s, k, t, S, a->room);
        find_rest(s, k, t, S, a->rho);
    }
    for (long k = order < 3 ? 1 : order - 1; k <= order; k++)
        for (long i = 0; i < a->count; i++) S[k * width + a->slot[i]] = 0.0;
    correct_followers(s, order - 1, t, S);
    return FINISHED;
}
