/* What implicit methods share: rows of a step, its matrix and what the equations lack, the end of a step.
 *
 *     [ S  G' ] [ x       ]   [ -r ]
 *     [ G  0  ] [ dlambda ] = [ .. ]       S = M + c0 C + c1 K
 *
 * is solved by L U without pivoting in the order of L D L', with G' W G added to S as there.
 */
#include "slopes.h"
#include "tape.h"

/* rows in `room`: the point at the begin and at the end of a step, rows of places and multipliers, speeds, accelerations;
 * then what belongs to a step */
enum { BEGIN = 0, END = 3, LAG = 6, JERK, SHIFT, RESIDUAL, RATES, SOLUTION, PUSH, BENDS, KEPT = BENDS + 3, PATH = KEPT + 3 };
static double *row_of(const lw_system *s, const lw_implicit *m, int row) { return m->room + row * s->slots; }

enum { PATIENT = 30 };                              /* iterations where the step is given: it has to be taken somehow */
static const double SHORTER = 0.2;                  /* the least of a step that is tried next */
static const double YIELD = 1e-6;                   /* E as in saddle.h; each iteration removes all but this part of its effect */
static const double LEFT_AWAY = 1e20;               /* E of a constraint that the others make up for: its multiplier stays as it is */
static const double DEPENDENT = 1e-9;               /* what is left of a row of length one if it is */
static const double FLAT_PIVOT = 1e-13;             /* of what it was made of: nothing is left of a pivot */

/* a step of about h, of so much that is left: the last one takes all of it, the one before half, so that none is tiny */
static double fit_step(const lw_run *run, double h, double left, int *last) {
    *last = h >= left * (1.0 - 1e-12) || is_rest(run, left);
    return *last ? left : run->step == 0.0 && h > 0.5 * left ? 0.5 * left : h;
}

/* -- the matrix ------------------------------------------------------------------------------------------------------------ */

/* L U in place; FINISHED, MORE if it has to be done again with yielding constraints, or NO_INERTIA */
static long factorise_unsymmetric(lw_system *s, lw_run *run, lw_implicit *m) {
    const long n = s->unknowns, entries = s->column[n];
    double *A = m->A, *L = A + n, *U = L + entries, *reach = s->reach;
    const int *target = s->update;
    run->factorisations++;
    if (s->redundant)
        for (long i = 0; i < s->multipliers; i++) A[s->multiplier[i]] = -m->yields[s->multiplier[i]];
    for (long j = 0; j < n; j++) reach[j] = fabs(A[j]);
    for (long j = 0; j < n; j++) {
        const int begin = s->column[j], end = s->column[j + 1];
        if (!(fabs(A[j]) > FLAT_PIVOT * reach[j])) {
            if (!s->kind[j] || s->redundant) { run->culprit = j; return NO_INERTIA; }
            s->redundant = 1;
            return MORE;
        }
        const double inverse = m->inverse[j] = 1.0 / A[j];
        for (int a = begin; a < end; a++) {
            L[a] *= inverse;
            reach[s->row[a]] += fabs(L[a] * U[a]);
        }
        for (int a = begin; a < end; a++) {
            const double l = L[a], u = U[a];
            A[*target++] -= l * u;
            for (int b = a + 1; b < end; b++, target++) {
                A[*target] -= L[b] * u;
                A[*target + entries] -= l * U[b];
            }
        }
    }
    return FINISHED;
}

static void solve_unsymmetric(const lw_system *s, const lw_implicit *m, double *restrict x) {
    const long n = s->unknowns;
    const double *L = m->A + n, *U = L + s->column[n];
    const int *column = s->column, *row = s->row;
    for (long j = 0; j < n; j++) {
        const double at = x[j];
        for (int a = column[j]; a < column[j + 1]; a++) x[row[a]] -= L[a] * at;
    }
    for (long j = n - 1; j >= 0; j--) {
        double at = x[j];
        for (int a = column[j]; a < column[j + 1]; a++) at -= U[a] * x[row[a]];
        x[j] = at * m->inverse[j];
    }
}

/* what a kernel adds to F, by its code or its tape, if it has any */
static void add_up(plain_function code, const lw_tape *tape, const lw_stiff *term, double t, const double *S, long stride,
                   const double *c, const int *to, const double *par, double *F) {
    if (code) code(term->blocks, t, S, stride, c, term->from, to, par, F);
    else if (tape) run_tape(tape, term->blocks, t, S, stride, c, term->from, to, par, F);
}

/* the matrix at the point at the end of the step */
static void find_tangents(const lw_system *s, const lw_implicit *m, double t) {
    memcpy(m->A, m->constant, (s->unknowns + 2 * s->column[s->unknowns]) * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_stiff *term = &m->term[i];
        add_up(term->tangent, term->tangent_tape, term, t, row_of(s, m, END), s->slots, m->c, term->tangent_to,
               term->tangent_par, m->A);
    }
}

/* r and g, g' or h at the point at the end of the step */
static void find_residuals(const lw_system *s, const lw_implicit *m, double t) {
    double *R = row_of(s, m, RESIDUAL);
    memset(R, 0, 2 * s->slots * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_stiff *term = &m->term[i];
        add_up(term->residual, term->residual_tape, term, t, row_of(s, m, END), s->slots, m->c, term->residual_to,
               term->residual_par, R);
    }
}

/* -- values ---------------------------------------------------------------------------------------------------------------- */

static const double SLIGHTLY = 1e-5; /* of a value: by so much it is changed to see what follows */

/* what should vanish at the end of the step: of calls of opaque functions, then of algebraic values */
static void find_left(const lw_system *s, const lw_implicit *m, double t, double *rho) {
    const double *q1 = row_of(s, m, END);
    double *P = row_of(s, m, PATH);
    const long slots = s->slots, calls = s->opaque ? s->opaque->count : 0;
    memcpy(P, q1, 2 * slots * sizeof(double));
    for (long j = 0; j < slots; j++) P[2 * slots + j] = 0.5 * q1[2 * slots + j];
    if (calls) find_opaque(s, t, P);
    for (long i = 0; i < calls; i++) rho[i] = P[s->opaque->slot[i]] - q1[s->opaque->slot[i]];
    if (s->algebra) find_rest(s, 0, t, P, rho + calls);
}

/* rates of followers and rates of these at a point of three rows */
static void find_rates(const lw_system *s, const lw_implicit *m, double t, double *point) {
    const long slots = s->slots;
    double *P = row_of(s, m, PATH);
    if (!s->kinematics) return;
    memset(P, 0, s->capacity * slots * sizeof(double));
    memcpy(P, point, 2 * slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) P[2 * slots + s->coordinate[i]] = 0.5 * point[2 * slots + s->coordinate[i]];
    follow(s, -1, t, P);
    follow(s, 0, t, P);
    correct_followers(s, 1, t, P);
    for (long j = s->unknowns; j < s->moving; j++) {
        point[slots + j] = P[slots + j];
        point[2 * slots + j] = 2.0 * P[2 * slots + j];
    }
}

/* -- inside a step --------------------------------------------------------------------------------------------------------- */

enum { NOW_AND_THEN = 16 };       /* steps: one of so many is looked into in any case */
static const double GROWN = 1.5;  /* a step so many times as long as the one before is looked into */
static const double BLUR = 1e-13; /* in sizes: what rounding leaves of places there, and of speeds if divided by the step */

/* Followers at x after the begin of a step of length h, as its polynomials S say and, in three rows from `inside` on, with the
 * rates that follow from these; how much both differ, in errors allowed between the ends of steps. Accelerations are those of
 * the polynomials or change evenly, by `slope`. */
static double find_stray(const lw_system *s, const lw_run *run, const lw_implicit *m, double x, double h, double *inside, const double *slope) {
    const double *S = s->S[run->current];
    double *told = s->moved, *a = inside + 2 * s->slots, off = 0.0;
    evaluate(s, S, run->order, x, inside, a);
    for (long j = 0; slope && j < s->moving; j++) a[j] = 2.0 * S[2 * s->slots + j] + x * slope[j];
    memcpy(told, inside + s->slots, s->slots * sizeof(double));
    find_rates(s, m, run->t + x, inside);
    for (long j = s->unknowns; j < s->moving; j++) {
        if (s->kind[j] == VALUE) continue;
        const double size = fabs(inside[s->slots + j] - told[j]) * s->per_size[j];
        if (!(size <= off)) off = size;
    }
    off = larger(off - BLUR / h, 0.0);
    return larger(off * h, off / run->speed) / (INSIDE * run->tol);
}

/* The places of the equations of motion inside the step where they are looked at: another one in each, so that nothing
 * periodic hides. */
static double place_inside(const lw_run *run, double h) {
    const double turn = 0.618033988749895 * (double)run->steps;
    return (0.3 + 0.4 * (turn - floor(turn))) * h;
}

/* whether to look there: always if drivers or laws depend on time, or the step is longer than those before; else now and then */
static int is_looked_into(const lw_run *run, const lw_implicit *m, double h, int attempt) {
    return run->driven || attempt || run->steps % NOW_AND_THEN == 0 || h > GROWN * m->h_before;
}

/* What the polynomials of a step lack at x after its begin, in errors allowed between the ends of steps: what one more iteration
 * with the matrix of c0 and c1 would change of places and speeds and, beside themselves, of multipliers. Accelerations are
 * those of the polynomials or, if these are not their second derivatives, a = a0 + e1 x + e2 x^2 + e3 x^3 of rows `bends`. */
static double find_lack_at(lw_system *s, lw_run *run, const lw_implicit *m, double x, double h, double c0, double c1, const double *bends, double *force) {
    const double *S = s->S[run->current], *R = row_of(s, m, RESIDUAL), *V = row_of(s, m, RATES);
    double *P = row_of(s, m, END), *a = P + 2 * s->slots, *y = row_of(s, m, SOLUTION), *z = row_of(s, m, PUSH);
    double *forces = s->moved, largest = 0.0, slope;
    memcpy(row_of(s, m, KEPT), P, 3 * s->slots * sizeof(double));
    evaluate(s, S, run->order, x, P, a);
    for (long i = 0; i < s->multipliers; i++) P[s->multiplier[i]] = polynomial(S + s->multiplier[i], s->slots, run->order, x, &slope);
    for (long j = 0; bends && j < s->moving; j++)
        a[j] = 2.0 * S[2 * s->slots + j] + x * (bends[j] + x * (bends[s->slots + j] + x * bends[2 * s->slots + j]));
    memset(forces, 0, s->slots * sizeof(double));
    /* what multipliers lack is not small where they go along a line, and acts in directions that are not quite those of the matrix */
    for (int round = s->multipliers && (bends || s->redundant) ? 0 : 1; round < 2; round++) {
        find_residuals(s, m, run->t + x);
        for (long j = 0; j < s->unknowns; j++) {
            y[j] = s->kind[j] ? -V[j] / c0 : -R[j];
            z[j] = s->kind[j] == HOLONOMIC ? V[j] * c1 / c0 - R[j] : 0.0;
            if (s->kind[j]) forces[j] += s->weight[j] * y[j];
        }
        solve_unsymmetric(s, m, y);
        for (long i = 0; i < s->multipliers; i++) {
            const int j = s->multiplier[i];
            forces[j] += y[j];
            if (round == 0) P[j] += forces[j];
        }
    }
    if (s->multipliers) solve_unsymmetric(s, m, z);
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        const double dq = fabs(c1 * y[j] + z[j]) * s->per_size[j] - BLUR, du = fabs(c0 * y[j]) * s->per_size[j] - BLUR / h;
        const double size = larger(dq, du / (LEFT_OUT * run->speed));
        if (!(size <= largest)) largest = size;
    }
    const double size = find_force(run, multiplier_norm(s, P));
    *force = size > 0.0 && run->driven && !s->redundant ? multiplier_norm(s, forces) / size : 0.0;
    memcpy(P, row_of(s, m, KEPT), 3 * s->slots * sizeof(double));
    return largest / (INSIDE * run->tol);
}

/* The lack in the middle of a step of length h, see above, with that of multipliers: what does not fall with the step is
 * rounding of these. */
static double find_lack_inside(lw_system *s, lw_run *run, lw_implicit *m, double h, double c0, double c1, const double *bends, int attempt) {
    double force;
    const double lack = find_lack_at(s, run, m, place_inside(run, h), h, c0, c1, bends, &force);
    if (attempt && m->lacked > 0.0 && force * m->lacked_in > m->lacked * h) run->noise = larger(run->noise, force);
    m->lacked = force;
    m->lacked_in = h;
    return larger(force / (INSIDE * run->tol + run->noise), lack);
}

/* where in a step that is otherwise right laws do what its polynomials do not show; INFINITY: nowhere. See inside.h. */
static double find_hidden(lw_system *s, lw_run *run, lw_implicit *m, double h, double c0, double c1, const double *bends) {
    double force;
    if (run->step > 0.0 || !note_places_along(s, run, s->S[run->current], h)) return INFINITY;
    for (int i = 0; i < PLACES; i++)
        if (run->place[i] < h && !(find_lack_at(s, run, m, run->place[i], h, c0, c1, bends, &force) <= 1.0)) return run->place[i];
    return INFINITY;
}

/* -- changes of law --------------------------------------------------------------------------------------------------------- */

static const double BEFORE_BORDER = 1e-8; /* of the way to the border of a law: so far before it a step ends */
static const double RESUMED = 0.05;       /* of a usual step: the next one after such an end, which finds the border */
enum { APPROACHES = 12 };                 /* tries of a step that is to end before a border */

/* A step that goes beyond the border of a law feels another law there, and may be wrong by as much before it: whether it has to
 * be made anew, to end a little before the border that its polynomials tell. */
static int goes_too_far(const lw_system *s, const lw_run *run, const lw_implicit *m, double border, double h, long law, int approaches) {
    const double *a0 = row_of(s, m, BEGIN) + 2 * s->slots, *a1 = row_of(s, m, END) + 2 * s->slots;
    if (!(border <= h) || run->step > 0.0 || approaches >= APPROACHES) return 0;
    double change = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        change = larger(fabs(a1[j] - a0[j]) * s->per_size[j], change);
    }
    const double wrong = change * border;
    if (border <= 4.0 * find_smallest(run) || larger(wrong * border, wrong / (LEFT_OUT * run->speed)) <= run->asked) return 0;
    return !begins_on_border(s, run, law);
}

/* -- steps ----------------------------------------------------------------------------------------------------------------- */

/* record the step just made and go on to its end; whether a stop was asked for */
static int go_on(lw_system *s, lw_run *run, lw_implicit *m, double t, double h) {
    double *from = row_of(s, m, BEGIN), *to = row_of(s, m, END);
    run->t_last = run->t;
    run->h_last = h;
    run->t = t;
    const int stopped = record(s, run, run->current);
    unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
    memcpy(from, to, 3 * s->slots * sizeof(double));
    run->current = 1 - run->current;
    return stopped;
}

typedef long (*implicit_function)(lw_system *s, lw_run *run, lw_implicit *m);

/* step after step; `begin` finds what a method needs at the start, and beyond each switch */
INLINE long integrate_implicitly(lw_system *s, lw_run *run, implicit_function begin, implicit_function step) {
    const double deadline = seconds_now() + run->seconds;
    lw_implicit *m = run->implicit;
    run->records = 0;
    for (;;) {
        if (!run->expanded) {
            run->status = begin(s, run, m);
            if (run->status) return run->status;
            run->expanded = 1;
        }
        if (run->t >= run->t_end) return run->status = FINISHED;
        if (run->records == run->max_records || (run->records % 16 == 0 && run->records && seconds_now() > deadline))
            return run->status = MORE;
        run->status = step(s, run, m);
        if (run->status) return run->status;
    }
}
