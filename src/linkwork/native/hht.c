/* Implicit steps for stiff mechanics: generalised-alpha (of which HHT is a member) on the stabilised index-2 form.
 *
 *     q1 = q0 + h u0 + h^2 ((1/2 - beta) w0 + beta w1) + z        S z + G' eta = 0
 *     u1 = u0 + h ((1 - gamma) w0 + gamma w1)                     (1 - am) w1 + am w0 = (1 - af) a1 + af a0
 *     r(q1, u1, a1, lambda1) = 0,   g(q1) = 0,   g'(q1, u1) = 0
 *
 * The accelerations w of the method are those at am - af of a step after its end: w = a + h * lag, where lag follows a
 * change of h. A change x of a1 changes u1 by c0 x and q1 by c1 x, so that Newton's iteration is, with the same matrix twice,
 *
 *     [ S  G' ] [ x       ]   [ -r       ]     [ S  G' ] [ z   ]   [ 0                  ]
 *     [ G  0  ] [ dlambda ] = [ -g' / c0 ]     [ G  0  ] [ eta ] = [ -(g - g' c1 / c0)  ]       S = M + c0 C + c1 K
 *
 * which is solved by L U without pivoting in the order of L D L', with G' W G added to S as there. Followers go along the
 * straight line from q0 to q1: for a rotation this is the exponential of the angles turned.
 *
 * Values w in laws (see algebra.h, and calls of opaque functions) are further unknowns, few, whose rho vanishes with the
 * rest. They border the matrix: a change dw changes the rest by Y dw, and rho by -D dw.
 */

#include "method.h"
#include "implicit.h"

static const double NEWTON = 0.01;                  /* of the error allowed in a step is left by its iteration */
static const double SLOW = 0.3, DIVERGES = 0.9;     /* rates of convergence at which the matrix is made anew, or given up */
static const double CHANGED = 0.25;                 /* of c1: then the matrix is made anew */
enum { MAX_ITERATIONS = 8, CLOSELY = 4 };         /* multipliers that are rounding do not converge */
static const double LONGER = 2.0, STEADY = 1.15;    /* next steps; not changed for less than STEADY */
static const double FAR = 0.2, TURNED = 0.01;       /* radians that followers go in one series; tolerances that it may be off by */

/* numbers of the method by its damping, and the leading terms of its errors, cq h^3 q''' and cu h^3 u''' */
static void choose_method(lw_implicit *m) {
    m->am = (2.0 * m->rho - 1.0) / (m->rho + 1.0);
    m->af = m->rho / (m->rho + 1.0);
    const double ahead = m->am - m->af, bend = 0.5 * (1.0 - m->af) - (1.0 - m->am) * (ahead + 0.5);
    m->gamma = 0.5 - ahead;
    m->beta = 0.25 * (m->gamma + 0.5) * (m->gamma + 0.5);
    m->kappa = (1.0 - m->af) / (1.0 - m->am);
    m->cq = 1.0 / 6.0 - m->beta - 0.5 * ahead;
    m->cu = 1.0 / 6.0 - (bend + m->gamma * ahead + 0.5 * m->gamma);
}

/* -- points ---------------------------------------------------------------------------------------------------------------- */

/* followers at the end of a step: along the straight line from q0 to q1 */
static void follow_line(const lw_system *s, const lw_implicit *m, double t, double h) {
    const double *q0 = row_of(s, m, BEGIN);
    double *q1 = row_of(s, m, END), *P = row_of(s, m, PATH), far = 0.0;
    const long slots = s->slots, order = s->capacity - 1;
    if (!s->kinematics) return;
    for (long i = 0; i < s->angles; i++) far = larger(fabs(q1[s->angle[i]] - q0[s->angle[i]]), far);
    if (!(far < 1e3)) far = 1e3;
    const int pieces = 1 + (int)(far / m->far);
    const double piece = h / pieces;
    memset(P, 0, s->capacity * slots * sizeof(double));
    memcpy(P, q0, slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) P[slots + s->coordinate[i]] = (q1[s->coordinate[i]] - q0[s->coordinate[i]]) / h;
    for (int i = 0; i < pieces; i++) {
        for (long k = -1; k + 2 <= order; k++) follow(s, k, t + i * piece, P);
        for (long j = s->unknowns; j < s->moving; j++) {
            double e = P[order * slots + j];
            for (long k = order - 1; k >= 0; k--) e = e * piece + P[k * slots + j];
            P[j] = e;
        }
        for (long k = 0; k < s->coordinates; k++) P[s->coordinate[k]] += piece * P[slots + s->coordinate[k]];
        normalise(s, P);
    }
    for (long j = s->unknowns; j < s->moving; j++)
        if (s->kind[j] != VALUE) q1[j] = P[j];
}

/* places and speeds at the end of a step by its accelerations and the shift z */
static void place_end(const lw_system *s, const lw_implicit *m, double t, double h) {
    const double *q0 = row_of(s, m, BEGIN), *u0 = q0 + s->slots, *a0 = u0 + s->slots;
    const double *lag = row_of(s, m, LAG), *z = row_of(s, m, SHIFT);
    double *q1 = row_of(s, m, END), *u1 = q1 + s->slots, *a1 = u1 + s->slots;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        const double w0 = a0[j] + h * lag[j], w1 = m->kappa * a1[j] + (m->af * a0[j] - m->am * w0) / (1.0 - m->am);
        u1[j] = u0[j] + h * ((1.0 - m->gamma) * w0 + m->gamma * w1);
        q1[j] = q0[j] + z[j] + h * (u0[j] + h * ((0.5 - m->beta) * w0 + m->beta * w1));
    }
    follow_line(s, m, t, h);
}

/* -- values ---------------------------------------------------------------------------------------------------------------- */

/* change a value, and all that follows from it */
static void change_value(const lw_system *s, const lw_implicit *m, long i, double change) {
    const double *y = m->border->column + i * s->unknowns;
    double *q1 = row_of(s, m, END), *a1 = q1 + 2 * s->slots;
    q1[m->border->slot[i]] += change;
    for (long j = 0; j < s->unknowns; j++) *(s->kind[j] ? q1 + j : a1 + j) += change * y[j];
}

/* Y and D at the point at the end of the step, by differences; JAMMED where the values are not determined */
static long find_border(lw_system *s, const lw_implicit *m, double t, double h) {
    lw_algebra *b = m->border;
    const double *R = row_of(s, m, RESIDUAL);
    double *q1 = row_of(s, m, END), *kept = b->room, *base = kept + 3 * s->slots, size;
    memcpy(kept, q1, 3 * s->slots * sizeof(double));
    find_residuals(s, m, t + h);
    memcpy(base, R, s->slots * sizeof(double));
    find_left(s, m, t + h, b->rest);
    for (long i = 0; i < b->count; i++) {
        const double change = SLIGHTLY * (fabs(q1[b->slot[i]]) + 1.0);
        double *y = b->column + i * s->unknowns;
        q1[b->slot[i]] += change;
        find_residuals(s, m, t + h);
        q1[b->slot[i]] = kept[b->slot[i]];
        for (long j = 0; j < s->unknowns; j++) y[j] = s->kind[j] ? 0.0 : (base[j] - R[j]) / change;
        solve_unsymmetric(s, m, y);
        change_value(s, m, i, change);
        place_end(s, m, t, h);
        find_left(s, m, t + h, b->rho);
        for (long k = 0; k < b->count; k++) b->D[k * b->count + i] = (b->rest[k] - b->rho[k]) / change;
        memcpy(q1, kept, 3 * s->slots * sizeof(double));
    }
    b->determinant = factorise_slopes(b, &size);
    if (!isfinite(b->determinant)) return NOT_FINITE;
    if (!s->algebra) return b->determinant > NEARLY_SINGULAR * size ? FINISHED : TOO_SMALL;
    s->algebra->determinant = b->determinant;
    return s->algebra->sign * b->determinant > NEARLY_SINGULAR * size ? FINISHED : JAMMED;
}

/* Newton's step of the values, added to x with what follows from it */
static void close_border(const lw_system *s, const lw_implicit *m, double t, double h, double *x) {
    lw_algebra *b = m->border;
    find_left(s, m, t + h, b->rho);
    solve_slopes(b, b->rho, b->step);
    for (long i = 0; i < b->count; i++) {
        change_value(s, m, i, b->step[i]);
        for (long j = 0; j < s->unknowns; j++) x[j] += b->step[i] * b->column[i * s->unknowns + j];
    }
}

/* the matrix at the point at the end of the step, factorised, with its border */
static long make_matrix(lw_system *s, lw_run *run, lw_implicit *m, double t, double h) {
    long status;
    do {
        find_tangents(s, m, t + h);
        status = factorise_unsymmetric(s, run, m);
    } while (status == MORE);
    if (!status && m->border) status = find_border(s, m, t, h);
    m->made = status ? 0.0 : m->c[1];
    m->rate = 0.5;
    return status;
}

/* -- iterations ------------------------------------------------------------------------------------------------------------ */

/* what is expected at the end: accelerations, multipliers and values go on as they did */
static void predict(const lw_system *s, const lw_implicit *m, double t, double h) {
    const long slots = s->slots;
    const double *from = row_of(s, m, BEGIN), *jerk = row_of(s, m, JERK);
    double *to = row_of(s, m, END);
    memset(row_of(s, m, SHIFT), 0, slots * sizeof(double));
    memcpy(to, from, 3 * slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) to[2 * slots + s->coordinate[i]] += h * jerk[s->coordinate[i]];
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        to[j] += h * jerk[j];
    }
    for (long i = 0; m->border && i < m->border->count; i++) to[m->border->slot[i]] += h * jerk[m->border->slot[i]];
    place_end(s, m, t, h);
}

/* one change of the point at the end; how large it is, in errors allowed; `closely`: where drivers do work that of multipliers too */
static double iterate(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h, int closely) {
    const double *R = row_of(s, m, RESIDUAL), *V = row_of(s, m, RATES);
    double *x = row_of(s, m, SOLUTION), *y = row_of(s, m, PUSH), *z = row_of(s, m, SHIFT);
    double *q1 = row_of(s, m, END), *u1 = q1 + s->slots, *a1 = u1 + s->slots, largest = 0.0;
    int off = 0;
    find_residuals(s, m, t + h);
    for (long j = 0; j < s->unknowns; j++) {
        x[j] = s->kind[j] ? -V[j] / m->c[0] : -R[j];
        y[j] = s->kind[j] == HOLONOMIC ? V[j] * m->c[1] / m->c[0] - R[j] : 0.0;
        if (s->kind[j]) q1[j] += s->weight[j] * x[j];
        off |= y[j] != 0.0;
    }
    solve_unsymmetric(s, m, x);
    if (off) solve_unsymmetric(s, m, y);
    for (long i = 0; i < s->multipliers; i++) q1[s->multiplier[i]] += x[s->multiplier[i]];
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        z[j] += y[j];
        a1[j] += x[j];
    }
    if (m->border) {
        place_end(s, m, t, h);
        close_border(s, m, t, h, x);
    }
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        /* what rounding hides does not count */
        const double dq = fabs(m->c[1] * x[j] + y[j]) - ROUNDING * fabs(q1[j]), du = fabs(m->c[0] * x[j]) - ROUNDING * fabs(u1[j]);
        const double size = larger(dq, du / (LEFT_OUT * run->speed)) * s->per_size[j];
        if (!(size <= largest)) largest = size;
    }
    place_end(s, m, t, h);
    const double forces = closely && run->driven && !s->redundant ? find_force(run, multiplier_norm(s, q1)) : 0.0;
    if (forces > 0.0) largest = larger(multiplier_norm(s, x) / forces * run->asked / (run->tol + run->noise), largest);
    return largest / run->asked;
}

/* whether a law had a value all the way: the largest of some numbers does not tell that one is none */
static int is_finite_end(const lw_system *s, const lw_implicit *m) {
    const double *q = row_of(s, m, END);
    double sum = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        sum += 0.0 * (q[j] + q[s->slots + j] + q[2 * s->slots + j]);
    }
    return sum == 0.0;
}

/* Newton's iteration with the matrix that there is; FINISHED, MORE if it does not converge, or NOT_FINITE */
static long find_end(lw_system *s, const lw_run *run, lw_implicit *m, double t, double h) {
    double before = 0.0;
    predict(s, m, t, h);
    for (int i = 0; i < (run->step > 0.0 ? PATIENT : MAX_ITERATIONS); i++) {
        const double size = iterate(s, run, m, t, h, i < CLOSELY);
        m->iterations++;
        if (!isfinite(size)) return NOT_FINITE;
        if (i > 0) {
            const double rate = size / before;
            if (size > NEWTON && rate > DIVERGES) return MORE;
            m->rate = larger(rate, 0.02);
        }
        if (size * smaller(1.0, m->rate / (1.0 - smaller(m->rate, 0.9))) <= NEWTON) return is_finite_end(s, m) ? FINISHED : NOT_FINITE;
        before = size;
    }
    return MORE;
}

/* Where constraints are redundant, the iteration leaves anything in directions of the multipliers in which they do
 * nothing: of all that balance the forces at the end, take the smallest. */
static void choose_multipliers(const lw_system *s, const lw_implicit *m, double t) {
    double *q1 = row_of(s, m, END), *x = row_of(s, m, SOLUTION);
    for (long i = 0; i < s->multipliers; i++) q1[s->multiplier[i]] = 0.0;
    find_residuals(s, m, t);
    const double *R = row_of(s, m, RESIDUAL);
    for (long j = 0; j < s->unknowns; j++) x[j] = s->kind[j] ? 0.0 : -R[j];
    solve_unsymmetric(s, m, x);
    for (long i = 0; i < s->multipliers; i++) q1[s->multiplier[i]] = x[s->multiplier[i]];
}

/* -- steps ----------------------------------------------------------------------------------------------------------------- */

/* How large an error of accelerations e is once stiffness has softened it and constraints have taken their part: S^-1 M e.
 * Where constraints leave nothing free they would take all of it at the ends of steps, but not inside. */
static double soften(const lw_system *s, const lw_implicit *m, double t, const double *e) {
    if (s->multipliers >= s->coordinates) return norm(s, e);
    const double *R = row_of(s, m, RESIDUAL);
    double *a1 = row_of(s, m, END) + 2 * s->slots, *kept = row_of(s, m, SOLUTION), *x = row_of(s, m, RATES), largest = 0.0;
    memcpy(kept, a1, s->slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) a1[s->coordinate[i]] += e[s->coordinate[i]];
    find_residuals(s, m, t); /* M e, since there are none without it */
    memcpy(a1, kept, s->slots * sizeof(double));
    for (long j = 0; j < s->unknowns; j++) x[j] = s->kind[j] ? 0.0 : R[j];
    solve_unsymmetric(s, m, x);
    for (long i = 0; i < s->coordinates; i++) {
        const double size = fabs(x[s->coordinate[i]]) * s->per_size[s->coordinate[i]];
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* the error of a step, in errors allowed: its leading terms, softened, of places cq h^2 (h a') and of speeds cu h (h^2 a'') */
static double find_error(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const double *a0 = row_of(s, m, BEGIN) + 2 * s->slots, *a1 = row_of(s, m, END) + 2 * s->slots, *jerk = row_of(s, m, JERK);
    double *e = row_of(s, m, PUSH);
    for (long i = 0; i < s->coordinates; i++) e[s->coordinate[i]] = m->cq * (a1[s->coordinate[i]] - a0[s->coordinate[i]]);
    const double place = h * h * soften(s, m, t + h, e), bend = 2.0 * h * h * m->cu / (h + m->h_before);
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        e[j] = bend * ((a1[j] - a0[j]) / h - jerk[j]);
    }
    const double speed = h * soften(s, m, t + h, e);
    return larger(place, speed / (LEFT_OUT * run->speed)) / run->asked;
}

/* the begin of a run: accelerations, multipliers and their rates from the series at the start */
static long begin_implicitly(lw_system *s, lw_run *run, lw_implicit *m) {
    const long slots = s->slots;
    double *S = s->S[run->current], *from = row_of(s, m, BEGIN), *jerk = row_of(s, m, JERK), *lag = row_of(s, m, LAG);
    const long status = expand(s, run->t, S, 3, run->steps == run->begun);
    if (status) return status;
    choose_method(m);
    run->asked = run->step > 0.0 ? run->tol : m->part * run->tol;
    m->far = smaller(FAR, pow(720.0 * TURNED * run->asked, 1.0 / 6.0)); /* x^6/6! is left out */
    m->c[2] = 0.0; /* constraints of positions are iterated */
    for (long i = 0; i < s->multipliers; i++) m->yields[s->multiplier[i]] = YIELD / s->unit[s->multiplier[i]];
    memset(m->room, 0, PATH * slots * sizeof(double));
    for (long j = 0; j < slots; j++) from[j] = S[j];
    for (long j = 0; j < s->moving; j++) {
        if (s->kind[j]) { jerk[j] = S[slots + j]; continue; }
        from[slots + j] = S[slots + j];
        from[2 * slots + j] = 2.0 * S[2 * slots + j];
        jerk[j] = 6.0 * S[3 * slots + j];
    }
    const double size = norm(s, jerk);
    if (!isfinite(size)) return NOT_FINITE;
    /* a start that is not resolved says nothing of the step */
    if (run->step * size > norm(s, from + 2 * slots)) memset(jerk, 0, slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) lag[s->coordinate[i]] = (m->am - m->af) * jerk[s->coordinate[i]];
    if (!(run->h > 0.0)) run->h = smaller(FIRST * run->span, size > 0.0 ? 0.5 * cbrt(run->asked / (fabs(m->cq) * size)) : HUGE_STEP);
    m->h_before = m->made = 0.0;
    m->begun = 1;
    return FINISHED;
}

/* How accelerations change in the step just made, whose polynomials are S: a = a0 + e1 x + e2 x^2 + e3 x^3 after x.
 *
 * Errors of steps are as large as h^3, so that second derivatives of polynomials through both ends are wrong by as much as h
 * inside. There accelerations of coordinates go along a line, a' = (a1 - a0) / h. Those of followers are what places, speeds
 * and these make of them; they are off that line by d1 at h/3 and by d2 at 2h/3, and the cubic through these is
 *
 *     d = (c + e x/h) (1 - x/h) x/h        c = 9 d1 - 9/2 d2     e = 27/2 (d2 - d1)
 */
static double find_bends(const lw_system *s, const lw_run *run, const lw_implicit *m, double h) {
    const long slots = s->slots;
    const double *a0 = row_of(s, m, BEGIN) + 2 * slots, *a1 = row_of(s, m, END) + 2 * slots;
    double *e = row_of(s, m, BENDS), *inside = row_of(s, m, RESIDUAL), *a = inside + 2 * slots, stray = 0.0;
    memset(e, 0, 3 * slots * sizeof(double));
    for (long j = 0; j < s->moving; j++) e[j] = s->kind[j] ? 0.0 : (a1[j] - a0[j]) / h;
    for (int i = 1; i <= 2 && s->kinematics; i++) {
        const double x = i * h / 3.0;
        stray = larger(find_stray(s, run, m, x, h, inside, e), stray);
        for (long j = s->unknowns; j < s->moving; j++) e[i * slots + j] = a[j] - a0[j] - x * e[j];
    }
    for (long j = s->unknowns; j < s->moving && s->kinematics; j++) {
        const double d1 = e[slots + j], d2 = e[2 * slots + j], bend = 13.5 * (d2 - d1), slope = 9.0 * d1 - 4.5 * d2;
        e[j] += slope / h;
        e[slots + j] = (bend - slope) / (h * h);
        e[2 * slots + j] = -bend / (h * h * h);
    }
    return stray;
}

/* hand over how accelerations change in the step that is kept */
static void note_bends(const lw_system *s, const lw_run *run, const lw_implicit *m) {
    const long n = run->results ? run->results + 1 : s->moving;
    const double *e = row_of(s, m, BENDS);
    double *to = m->accelerations + run->records * m->bends * n;
    for (long k = 0; k < m->bends; k++, to += n, e += s->slots) {
        if (run->results) hand_over_row(s, run, e, to);
        else memcpy(to, e, n * sizeof(double));
    }
}

/* the step just made, as polynomials of order 5 through both ends and of order 1 for multipliers; how far followers stray from
 * them between the ends, in errors allowed there */
static double interpolate(lw_system *s, const lw_run *run, const lw_implicit *m, double h) {
    const long slots = s->slots;
    double *from = row_of(s, m, BEGIN), *to = row_of(s, m, END), *S = s->S[run->current];
    find_rates(s, m, run->t + h, to);
    for (long j = 0; j < s->moving; j++) {
        if (s->kind[j]) {
            S[slots + j] = (to[j] - from[j]) / h;
            for (long k = 2; k <= run->order; k++) S[k * slots + j] = 0.0;
            continue;
        }
        const double u0 = from[slots + j], a0 = from[2 * slots + j], a1 = to[2 * slots + j];
        const double d = (to[j] - from[j]) / h - u0 - 0.5 * h * a0, v = to[slots + j] - u0 - h * a0, w = 0.5 * h * (a1 - a0);
        S[3 * slots + j] = (10.0 * d - 4.0 * v + w) / (h * h);
        S[4 * slots + j] = (-15.0 * d + 7.0 * v - 2.0 * w) / (h * h * h);
        S[5 * slots + j] = (6.0 * d - 3.0 * v + w) / (h * h * h * h);
    }
    return find_bends(s, run, m, h);
}

/* how much the polynomials of a step miss between its ends, in errors allowed there: as an error that goes with h^3 as those at
 * the ends; those of followers go with h^5, those of the equations with h^4 */
static double look_inside(lw_system *s, lw_run *run, lw_implicit *m, double h, int attempt) {
    const double stray = interpolate(s, run, m, h);
    double error = pow(stray, 0.6);
    if (run->step > 0.0 || !is_looked_into(run, m, h, attempt)) return error;
    const double lack = find_lack_inside(s, run, m, h, m->c[0], m->c[1], row_of(s, m, BENDS), attempt);
    return larger(pow(lack, 0.75), error);
}

/* on to the end of the step just made, or begin anew at the border of a law in it */
static long keep_step(lw_system *s, lw_run *run, lw_implicit *m, double t, double h, double border, long law) {
    const long slots = s->slots;
    double *from = row_of(s, m, BEGIN), *to = row_of(s, m, END), *jerk = row_of(s, m, JERK), *lag = row_of(s, m, LAG);
    double *S = s->S[run->current];
    for (long j = 0; j < s->moving; j++) {
        if (s->kind[j]) { jerk[j] = S[slots + j]; continue; }
        const double a0 = from[2 * slots + j], a1 = to[2 * slots + j];
        const double w0 = a0 + h * lag[j], w1 = m->kappa * a1 + (m->af * a0 - m->am * w0) / (1.0 - m->am);
        lag[j] = (w1 - a1) / h;
        jerk[j] = (a1 - a0) / h;
    }
    note_bends(s, run, m);
    if (border <= h) return cross(s, run, border, h, law);
    const int stopped = go_on(s, run, m, t, h);
    S = s->S[run->current];
    memcpy(S, from, 2 * slots * sizeof(double));
    for (long j = 0; j < slots; j++) S[2 * slots + j] = 0.5 * from[2 * slots + j];
    m->h_before = h;
    run->h_largest = fmax(run->h_largest, h);
    return stopped ? STOPPED : FINISHED;
}

/* the point at the end of a step of length h, by the matrix that there is if it will do */
static long make_step(lw_system *s, lw_run *run, lw_implicit *m, double h) {
    long status = MORE;
    m->c[0] = m->gamma * m->kappa * h;
    m->c[1] = m->beta * m->kappa * h * h;
    if (m->made > 0.0 && fabs(m->c[1] / m->made - 1.0) <= CHANGED && m->rate <= SLOW) status = find_end(s, run, m, run->t, h);
    if (status) {
        predict(s, m, run->t, h);
        status = make_matrix(s, run, m, run->t, h);
        if (!status) status = find_end(s, run, m, run->t, h);
    }
    if (!status && s->redundant && !m->border) choose_multipliers(s, m, run->t + h);
    return status;
}

/* one step, as long as errors allow or as given */
static long step_implicitly(lw_system *s, lw_run *run, lw_implicit *m) {
    const double smallest = find_smallest(run), left = run->t_end - run->t;
    run->speed = larger(1.0 / run->span, norm(s, row_of(s, m, BEGIN) + s->slots)); /* as in series.h */
    double h = run->step > 0.0 ? fixed_step(run) : smaller(run->h, run->h_max), resumed = 0.0;
    long law = 0;
    int approaches = 0;
    for (int attempt = 0; attempt < MAX_REJECTIONS; attempt++) {
        int last;
        h = fit_step(run, h, left, &last);
        if (h < smallest && !last) return TOO_SMALL;
        const long status = make_step(s, run, m, h);
        double error = 64.0;
        if (!status) error = run->step > 0.0 ? 0.0 : find_error(s, run, m, run->t, h);
        double border = INFINITY;
        if (!status && (error <= 1.0 || run->switches)) {
            const double inside = look_inside(s, run, m, h, attempt);
            if (run->step == 0.0) error = larger(error, inside);
            border = stop_at_switches(s, run, s->S[run->current], h, &law);
            if (goes_too_far(s, run, m, border, h, law, approaches)) {
                if (!approaches++) resumed = RESUMED * h;
                h = border * (1.0 - BEFORE_BORDER);
                continue;
            }
        }
        if (error <= 1.0) {
            const double hidden = find_hidden(s, run, m, h, m->c[0], m->c[1], row_of(s, m, BENDS));
            if (hidden < smaller(h, border)) { reject(run, 1); h = BEFORE_HIDDEN * hidden; continue; }
            const double factor = smaller(LONGER, 0.9 / cbrt(larger(error, 1e-3)));
            run->worst_defect = larger(error * run->asked, run->worst_defect);
            const long kept = keep_step(s, run, m, last ? run->t_end : run->t + h, h, border, law);
            if (!last && run->expanded) run->h = larger(factor > STEADY || factor < 1.0 ? factor * h : h, resumed);
            return kept;
        }
        if (run->step > 0.0) return status == MORE ? NOT_CLOSED : status;
        if (status && attempt + 1 == MAX_REJECTIONS) return status == MORE ? TOO_SMALL : status;
        run->rejected++;
        if (status) m->made = 0.0;
        h *= isfinite(error) && !status ? larger(SHORTER, 0.9 / cbrt(error)) : 0.25;
    }
    return TOO_SMALL;
}

static long integrate(lw_system *s, lw_run *run) { return integrate_implicitly(s, run, begin_implicitly, step_implicitly); }
const lw_method lw_method_table = {integrate, 0};

/* -- what integrators of others ask ---------------------------------------------------------------------------------------- */

/* r and g, g' or h at the point in `room`, into it */
void lw_find_residuals(lw_system *s, lw_implicit *m, double t) { find_residuals(s, m, t); }

/* what should vanish of values in laws at the point in `room` */
void lw_find_left(lw_system *s, lw_implicit *m, double t, double *rho) { find_left(s, m, t, rho); }

/* M + c0 C + c1 K, G and G' at the point in `room`, into A */
void lw_find_tangents(lw_system *s, lw_implicit *m, double t, double c0, double c1) {
    m->c[0] = c0;
    m->c[1] = c1;
    m->c[2] = 0.0;
    find_tangents(s, m, t);
}

/* accelerations and multipliers at a consistent point */
long lw_accelerate(lw_system *s, lw_run *run) { return run->status = expand(s, run->t, s->S[run->current], 2, run->steps == 0); }
