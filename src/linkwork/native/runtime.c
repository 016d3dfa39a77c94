/* The runtime: sparse factorisation of the system matrix and whole integrations by Taylor series.
 *
 * Unknowns live in slots, in the order of elimination: accelerations of coordinates and multipliers mixed. Behind them
 * come the frozen coordinates (fixed points) and one slot that nobody reads. A series is an array of rows, one per
 * order; a coordinate's slot holds its coefficients of position, a multiplier's slot those of the multiplier.
 *
 *     [ H  G' ] [ a       ]   [ -r       ]        H = M + G' W G  is positive definite,
 *     [ G  0  ] [ lambda' ] = [ -gamma   ]        lambda = lambda' - W gamma
 *
 * with gamma from the second time derivative of constraints of positions and the first of constraints of velocities,
 * which is the saddle-point problem of the equations of motion with its first block made definite, so that L D L'
 * needs no pivoting as long as a multiplier is eliminated after its coordinates.
 *
 * Redundant constraints make the matrix singular. They are noticed by a vanishing pivot; from then on -E, with E small,
 * stands in the place of the zero block and a few refinements with the true matrix remove its effect on the motion.
 */
#include <math.h>
#include <string.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#include "knots.h"

typedef void (*stage_function)(long k, long blocks, long capacity, double t, const double *S, long stride,
                               const int *from, const int *to, const double *par, double *work, double *R);
typedef void (*matrix_function)(long blocks, double t, const double *S, const int *from, const int *to,
                                const double *par, double *F);

/* one kernel and its instances */
typedef struct {
    stage_function stage;
    matrix_function matrix;
    long blocks;
    long last_stage;              /* later stages add nothing */
    const int *from;              /* slots of the local unknowns */
    const int *stage_to;          /* slots of the results */
    const int *matrix_to;         /* places in F */
    const double *stage_par;
    const double *matrix_par;
    double *work;                 /* stored coefficients: (blocks, stored, capacity, lanes) */
    long stored, lanes, instances;
    long hiding;                  /* functions that can hide what they do from a series: */
    const int *argument;          /* where their arguments are stored */
} lw_term;

typedef struct {
    long coordinates, multipliers, unknowns, slots, terms, capacity;
    const int *coordinate;        /* slot of each coordinate */
    const int *multiplier;        /* slot of each multiplier */
    const unsigned char *kind;    /* COORDINATE, HOLONOMIC or VELOCITY, by slot */
    const lw_term *term;
    const int *column, *row;      /* pattern of L, column by column */
    const int *update;            /* targets in F of the outer products, in order of use */
    const double *constant;       /* constant part of the matrix: D then L */
    const double *weight;         /* W, by slot; 0 where masses need no help */
    const double *unit;           /* the same for all constraints: makes them comparable */
    const double *per_size;       /* one over the size of each coordinate, by slot; 0 for multipliers */
    double *F;                    /* D, L and one unread place */
    double *K;                    /* the matrix itself, in the same places */
    double *x, *r;                /* solution and residual of a refinement */
    long redundant;               /* whether the zero block is replaced by -E */
    double *inverse;              /* 1/D */
    double *full;                 /* the inverse of the matrix if it is small, else NULL; rows padded to WIDE */
    double *reach;                /* what a multiplier's pivot is compared with */
    double *R;                    /* right-hand side */
    double *S[2];                 /* series of this step and of the step before */
    long angles;                  /* coordinates that matter only up to whole turns are kept within one, */
    const int *angle;             /* so that they lose no digits after many turns: slots, */
    double *turns[2];             /* and whole turns to add, for each series */
    long cursors;                 /* curves that laws read, one for each argument */
    lw_cursor *const *cursor;
} lw_system;

enum { PLACES = 16 };

typedef struct {
    /* what is asked; `span`: length of the whole run */
    double t_end, tol, h_max, seconds, span;
    long order, max_records, driven, hiding, lenient; /* lenient: laws may switch inside a step; the caller looks and cuts it there */
    /* where the run is; `expanded`: S[current] holds the series at t, `pending`: a step awaits its check */
    double t, h, h_last, t_last;
    double speed;                 /* of what moves in the step, in sizes of the mechanism a second */
    double asked;                 /* the tolerance of this step: larger only where it leaps */
    double growth;                /* how many times as long as the last step the next one may be */
    long current, expanded, pending, landing, changes; /* landing: on a knot */
    long forced, retries, jumps, calm, suspicious;
    /* places inside the step, after its begin, at which something may hide; NAN: none */
    double place[PLACES];
    /* what it did */
    long records, steps, rejected, factorisations, redundant, status, culprit;
    double worst_projection, worst_defect;
    double h_largest;             /* longest step kept */
    double weakest, weak, lost;   /* smallest pivot of a multiplier, relative; below `weak` a point is too singular, below
                                     `lost` a constraint counts as redundant */
    double noise;                 /* of accelerations, by rounding */
    double *record_t, *record_h, *record_S; /* steps kept: begin, length, series of all unknowns */
    double *acceleration;         /* at the end of the pending step, by slot */
} lw_run;

enum { COORDINATE, HOLONOMIC, VELOCITY }; /* kinds of slots: coordinates, multipliers of positions, of velocities */
enum { ILL = -1, FINISHED = 0, MORE = 1, TOO_SMALL = 2, NOT_FINITE = 3, NO_INERTIA = 4, NOT_CLOSED = 5, JUMP = 6, LOCKED = 7 };

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
/* a correction this small leaves a remainder below rounding after one Newton step */
static const double QUADRATIC = 1e-8;
static const double ROUNDING = 8.0 * 2.2e-16;
static const double HUGE_STEP = 1e300;
enum { LOW_ORDERS = 4 }; /* orders at which a contradiction of the constraints is looked for */
/* an acceleration that still differs by this fraction of all there is, in steps so far below the usual, jumps */
static const double JUMPS = 0.2, ABRUPT = 1e-9;
/* a step this short, as a fraction of the run, does no harm however wrong it is: a law may start on its border */
static const double BRIEF = 4e-12;
enum { LENIENT_REJECTIONS = 4, LENIENT_RETRIES = 3, MAX_RETRIES = 20, CALM = 25 }; /* retries are forgotten after so many good steps */
static const double SAFETY = 0.9;
/* the first step is at most this fraction of the run, a step at most so many times the one before, and no longer than it
 * after one that had to be shortened: then each may be so much longer than the last, relatively */
static const double FIRST = 1.0 / 32.0, GROWTH = 10.0, RECOVERY = 1.3;
/* terms left out are a fraction of the last one kept, about a quarter where the tolerance is met: so much more than the
 * tolerance may the last term of the speeds be for their error to stay below it */
static const double LEFT_OUT = 4.0;
/* where a step is inspected, and what its polynomials may lack there, in tolerances: far more than a step that is
 * resolved lacks, since there the terms left out are small against those at the end */
static const double INNER = 0.62, INSIDE = 10.0;
enum { RHYTHM = 8 };
static const double NOISE = 1e-10; /* of an acceleration: rounding, more of it near singular positions */
/* a multiplier's pivot below this makes a point too singular to land on, if there is a choice */
static const double WEAK = 1e-2;
enum { EVASIONS = 6, LEAPS = 12, LOWEST = 6 };
enum { MOST_CHANGES = 4 }; /* of the pieces of curves in one place */
static const double LEAP = 1e-11; /* the smallest error that is asked for there */
enum { MAX_PROJECTIONS = 8, MAX_REJECTIONS = 80 };

/* Numbers below 1e-308 come from rounding where a coordinate should stay zero, and are a hundred times slower than
 * others: count them as zero while we run. */
static unsigned flush_tiny(void) {
#if defined(__SSE__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

static void restore_tiny(unsigned before) {
#if defined(__SSE__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* numbers in a register of the processor that this is compiled for: a compiler takes wider ones apart, clumsily */
#if defined(__AVX512F__)
enum { WIDE = 8 };
#elif defined(__AVX__)
enum { WIDE = 4 };
#else
enum { WIDE = 2 };
#endif
typedef double wide __attribute__((vector_size(8 * WIDE)));

long lw_width(void) { return WIDE; }

/* -- linear algebra ---------------------------------------------------------------------------------------------- */

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

/* -- Taylor expansion -------------------------------------------------------------------------------------------- */

static void run_stage(lw_system *s, long k, double t, const double *S) {
    memset(s->R, 0, s->unknowns * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        if (term->stage && k <= term->last_stage)
            term->stage(k, term->blocks, s->capacity, t, S, s->slots, term->from, term->stage_to, term->stage_par,
                        term->work, s->R);
    }
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
    return FINISHED;
}

/* the largest entry of the coordinates in units of their sizes; NAN if one is not finite. Four at a time: they do not
 * wait for each other */
static double norm(const lw_system *s, const double *x) {
    const long n = s->unknowns;
    double most[4] = {0.0}, bad[4] = {0.0};
    long j = 0;
    for (; j + 3 < n; j += 4)
        for (int l = 0; l < 4; l++) {
            const double size = fabs(x[j + l]) * s->per_size[j + l];
            most[l] = size > most[l] ? size : most[l];
            bad[l] += 0.0 * size;
        }
    for (; j < n; j++) {
        const double size = fabs(x[j]) * s->per_size[j];
        most[0] = size > most[0] ? size : most[0];
        bad[0] += 0.0 * size;
    }
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3])) + ((bad[0] + bad[1]) + (bad[2] + bad[3]));
}

/* the size of the multipliers in one row, in comparable units */
static double multiplier_norm(const lw_system *s, const double *row) {
    double largest = 0.0;
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        largest = fmax(largest, fabs(row[j]) / sqrt(s->unit[j]));
    }
    return largest;
}

/* the largest step over which the multipliers' own series meets the tolerance: drivers do work by them */
static double multiplier_step(const lw_system *s, const lw_run *run, const double *S, double h) {
    double size = 0.0;
    for (long k = 0; k <= 2; k++) size = fmax(size, multiplier_norm(s, S + k * s->slots) * pow(h, (double)k));
    for (long p = run->order - 2; size > 0.0 && p >= run->order - 3; p--) {
        const double last = multiplier_norm(s, S + p * s->slots);
        if (last > 0.0) h = fmin(h, exp(log(run->tol * size / last) / (double)p));
    }
    return h;
}

/* how fast things move in a step, in sizes of the mechanism a second; what would not move it in the whole run is slow.
 * rates: of the first three terms */
static double find_speed(const lw_run *run, const double *rates, double h) {
    return fmax(fmax(1.0 / run->span, rates[0]), fmax(2.0 * rates[1] * h, 3.0 * rates[2] * h * h));
}

/* a little less than the largest step whose last two terms stay below the tolerance, p |q_p| h^p <= tol, and those of
 * the speeds likewise against what moves: the terms left out are then small against the last ones kept, at any order */
static double choose_step(const lw_system *s, lw_run *run, const double *S) {
    double h = HUGE_STEP;
    run->asked = run->tol;
    for (long p = run->order; p >= run->order - 1; p--) {
        const double size = norm(s, S + p * s->slots);
        if (!isfinite(size)) return size;
        if (size > 0.0) h = fmin(h, exp(log(run->tol / ((double)p * size)) / (double)p));
    }
    if (run->driven) h = fmin(h, multiplier_step(s, run, S, h));
    /* p |q_p| h^(p-1) <= 4 tol speed, from p |q_p| h^p <= tol */
    const double rates[] = {norm(s, S + s->slots), norm(s, S + 2 * s->slots), norm(s, S + 3 * s->slots)}, free = h;
    for (int i = 0; i < 2; i++) {
        const double part = LEFT_OUT * find_speed(run, rates, h) * free;
        if (part < 1.0) h = free * exp(log(part) / (double)(run->order - 2));
    }
    h = fmin(SAFETY * h, fmin(run->h_max, run->h > 0.0 ? run->growth * run->h : FIRST * run->span));
    run->speed = find_speed(run, rates, fmin(h, run->t_end - run->t));
    return h;
}

/* bring angles back into (-pi, pi], counting the turns */
static void unwind(const lw_system *s, double *q, const double *turns, double *new_turns) {
    static const double TURN = 6.283185307179586, REST = 2.4492935982947064e-16; /* 2 pi in two pieces */
    for (long i = 0; i < s->angles; i++) {
        const double k = nearbyint(q[s->angle[i]] / TURN);
        q[s->angle[i]] = (q[s->angle[i]] - k * TURN) - k * REST;
        new_turns[i] = turns[i] + k;
    }
}

/* rows 0 and 1 of `to`: position and velocity of the polynomial `from` at h; acceleration on request */
static void evaluate(const lw_system *s, const double *from, long order, double h, double *to, double *acceleration) {
    const long width = s->slots, n = s->unknowns;
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
    if (s->full && !s->redundant) invert(s);
}

/* -- inside a step ----------------------------------------------------------------------------------------------- */

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
    for (int i = 0; i < PLACES; i++) run->place[i] = NAN;
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        for (long e = 0; e < term->instances * term->hiding; e++) {
            const long instance = e / term->hiding, block = instance / term->lanes, lane = instance % term->lanes;
            const long row = block * term->stored + term->argument[e % term->hiding];
            note_hiding(run, term->work + row * s->capacity * term->lanes + lane, term->lanes, h);
        }
    }
}

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
    if (s->full && !s->redundant) multiply(s, s->r);
    else solve(s, s->r);
    return norm(s, s->r);
}

/* the smallest step that changes t */
static double find_smallest(const lw_run *run) { return 2.0 * ROUNDING * fmax(fabs(run->t), fabs(run->t_end)); }

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
    if (times) run->growth = 1.0;
}

/* a step of at most h from the series `from`, inside of which its polynomials are right as far as it shows; in a lenient
 * run one that is wrong may be forced, since a law may switch in it */
static double inspect(lw_system *s, lw_run *run, const double *from, double h) {
    const double smallest = find_smallest(run);
    long rejected = 0;
    run->forced = 0;
    for (int i = 0; i <= PLACES && h > smallest; i++) {
        const double x = i < PLACES ? run->place[i] : is_of_interest(run, h) ? INNER * h : h;
        double largest;
        if (!(x < h)) continue;
        if (is_too_much(run, find_lack(s, run, from, run->order, x, &largest), largest, h, INSIDE)) {
            if (run->lenient && rejected == LENIENT_REJECTIONS) { run->forced = 1; return h; }
            rejected++;
            h = 0.7 * x;
            i = -1; /* all of it again */
        }
    }
    reject(run, rejected);
    return h;
}

/* -- consistent points ------------------------------------------------------------------------------------------- */

/* correction of one row (positions: order 0, velocities: order 1) by the multipliers' residual now in R;
 * inverted: whether the inverse of the matrix is there, if it is small */
static double correct(lw_system *s, double *row, int inverted) {
    double *R = s->R;
    for (long j = 0; j < s->unknowns; j++) R[j] = s->kind[j] ? -R[j] : 0.0;
    if (inverted || s->redundant) solve_any(s, R);
    else solve(s, R);
    double largest = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        row[j] += R[j];
        /* what rounding hides does not count: an angle of a thousand turns cannot be set more finely */
        const double size = (fabs(R[j]) - ROUNDING * fabs(row[j])) * s->per_size[j];
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* project rows 0 and 1 of S onto the constraints, leave the matrix factorised and stages -2, -1 done;
 * ILL if the point is nearly singular and need not be taken */
static long settle(lw_system *s, lw_run *run, double t, double *S, double *moved, int must) {
    *moved = 0.0;
    if (!run->redundant) s->redundant = 0; /* what was singular need not be so here */
    for (long i = 0;; i++) {
        run_stage(s, -2, t, S);
        assemble(s, t, S, s->F);
        const long culprit = factorise(s, run);
        if (culprit >= 0) { run->culprit = culprit; return NO_INERTIA; }
        if (!s->redundant && !must && run->weakest < run->weak) return ILL;
        if (!s->redundant && run->redundant) { s->redundant = 1; continue; }
        const double size = correct(s, S, 0);
        if (!isfinite(size)) return NOT_FINITE;
        if (size > *moved) *moved = size;
        if (size <= fmin(QUADRATIC, fmax(run->tol, 1e-14))) break;
        if (i == MAX_PROJECTIONS) return NOT_CLOSED;
    }
    if (s->full && !s->redundant) invert(s);
    run_stage(s, -2, t, S);
    run_stage(s, -1, t, S);
    const double size = correct(s, S + s->slots, 1) / run->speed;
    if (!isfinite(size)) return NOT_FINITE;
    if (size > *moved) *moved = size;
    run_stage(s, -1, t, S);
    return FINISHED;
}

/* -- the integration --------------------------------------------------------------------------------------------- */

/* whether the pending step was right: its acceleration at the end must be the one found anew there */
static int pending_is_right(lw_system *s, lw_run *run, const double *S) {
    const double h = run->h_last, *before = s->S[1 - run->current];
    double lack = 0.0, largest = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        const double begin = 2.0 * before[2 * s->slots + j], end = run->acceleration[j], fresh = 2.0 * S[2 * s->slots + j];
        const double defect = fabs(end - fresh) * s->per_size[j];
        if (!(defect <= lack)) lack = defect;
        largest = fmax(largest, fmax(fabs(begin), fmax(fabs(fresh), fabs(end))) * s->per_size[j]);
    }
    /* rounding is relative to the accelerations themselves */
    const double usual = fmax(run->h_largest, FIRST * run->span);
    run->jumps = lack > JUMPS * largest && lack * usual * usual > run->tol && h > BRIEF * run->span;
    const int wrong = run->forced || run->jumps || is_too_much(run, lack, largest, h, 100.0 * (double)run->order);
    run->suspicious = wrong && run->lenient && (run->forced || run->retries >= LENIENT_RETRIES);
    if (wrong) return run->suspicious;
    if (run->retries && ++run->calm > CALM) run->retries = 0;
    run->h_largest = fmax(run->h_largest, run->h_last);
    run->worst_defect = fmax(run->worst_defect, lack * h * h);
    return 1;
}

static void record(const lw_system *s, lw_run *run, long buffer) {
    const long i = run->records++, n = s->unknowns;
    double *to = run->record_S + i * (run->order + 1) * n;
    run->record_t[i] = run->t_last;
    run->record_h[i] = run->h_last;
    for (long k = 0; k <= run->order; k++) memcpy(to + k * n, s->S[buffer] + k * s->slots, n * sizeof(double));
    for (long a = 0; a < s->angles; a++) to[s->angle[a]] += 6.283185307179586 * s->turns[buffer][a];
}

/* The landing at h is nearly singular. A motion that passes such a position is smooth, but the matrix there is not
 * regular: the higher a coefficient, the more of it is rounding, and what is left of the step would be cut in half again
 * and again. So go beyond with the low coefficients alone, if the equations of motion hold all the way and the landing
 * is about as good as the begin was. Returns 0 if not. */
static double leap(lw_system *s, lw_run *run, double *from, double h, double begin) {
    const double farthest = s->cursors ? 0.0 : fmin(run->t_end - run->t, run->h_max); /* a knot may be beyond */
    const double enough = fmin(run->weak, 0.5 * begin);
    double *to = s->S[1 - run->current], length = 1.25 * h;
    for (int i = 0; i < LEAPS && length < farthest; i++, length *= 1.25) {
        double least = HUGE_VAL, power = pow(length, LOWEST);
        long order = 0;
        for (long k = LOWEST; k <= run->order; k++, power *= length) {
            const double term = (double)k * norm(s, from + k * s->slots) * power;
            if (term == 0.0) break; /* an earlier leap was tried */
            if (term < least) { least = term; order = k; }
        }
        run->asked = fmax(run->tol, LEAP);
        if (!(least <= run->asked)) break;
        evaluate(s, from, order, length, to, run->acceleration);
        assemble(s, run->t + length, to, s->F);
        if (factorise(s, run) >= 0 || run->redundant || run->weakest < enough) continue;
        factorise_again(s, run);
        int right = 1;
        for (int k = 1; right && k < 8; k++) {
            double largest, lack = find_lack(s, run, from, order, length * k / 8, &largest);
            right = !is_too_much(run, lack, largest, length, INSIDE);
        }
        if (!right) continue;
        for (long k = order + 1; k <= run->order; k++) /* multipliers end two orders before coordinates */
            for (long j = 0; j < s->unknowns; j++) from[(s->kind[j] ? k - 2 : k) * s->slots + j] = 0.0;
        return length;
    }
    run->asked = run->tol;
    return 0.0;
}

/* Where there is no way beyond: of some shorter steps the one that lands best, a longer one if in doubt. */
static double evade(lw_system *s, lw_run *run, const double *from, double *to, double h) {
    double best = h, strongest = run->weakest;
    for (int i = 1; i <= EVASIONS; i++) {
        const double shorter = h * (1.0 - 0.6 * i / EVASIONS);
        evaluate(s, from, run->order, shorter, to, run->acceleration);
        assemble(s, run->t + shorter, to, s->F);
        if (factorise(s, run) < 0 && run->weakest > 2.0 * strongest) { best = shorter; strongest = run->weakest; }
    }
    return best;
}

/* take one step of at most `h` from the series at t; the new point goes to the other buffer */
static long take_step(lw_system *s, lw_run *run, double h) {
    double *from = s->S[run->current], *to = s->S[1 - run->current];
    const double smallest = find_smallest(run), begin = run->weakest;
    int must = 0;
    for (int attempt = 0; attempt < MAX_REJECTIONS; attempt++) {
        const double left = run->t_end - run->t;
        const int last = h >= left;
        if (last) h = left;
        else if (h > 0.5 * left && !must) h = 0.5 * left;
        if (h < smallest && !last) return TOO_SMALL;
        const double t = last ? run->t_end : run->t + h;
        double moved;
        evaluate(s, from, run->order, h, to, run->acceleration);
        unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
        const long status = settle(s, run, t, to, &moved, must || last);
        if (status == ILL) {
            const double beyond = leap(s, run, from, h, begin);
            h = beyond > 0.0 ? beyond : evade(s, run, from, to, h);
            must = 1;
            continue;
        }
        run->forced |= run->lenient && attempt == LENIENT_REJECTIONS;
        if (status == FINISHED && (run->forced || moved <= 1e3 * run->asked + 1e-10)) {
            run->worst_projection = fmax(run->worst_projection, moved);
            run->noise = NOISE + ROUNDING / fmin(begin, run->weakest);
            run->t_last = run->t;
            run->h_last = h;
            run->t = t;
            run->current = 1 - run->current;
            run->pending = 1;
            run->expanded = 0;
            return FINISHED;
        }
        reject(run, 1);
        h *= attempt < 4 ? 0.7 : 0.25;
    }
    return TOO_SMALL;
}

/* undo the pending step and try it again with a smaller one, from the matrix at its begin */
static long retry(lw_system *s, lw_run *run) {
    reject(run, 1);
    run->calm = 0;
    const int abrupt = run->h_last < ABRUPT * fmax(run->h_largest, FIRST * run->span);
    if (++run->retries > MAX_RETRIES && run->jumps && abrupt && run->weakest > run->weak) return JUMP;
    run->current = 1 - run->current;
    run->t = run->t_last;
    run->pending = 0;
    factorise_again(s, run);
    return take_step(s, run, inspect(s, run, s->S[run->current], 0.5 * run->h_last));
}

/* make rows 0 and 1 of S[current] consistent at t: the first thing to call */
long lw_begin(lw_system *s, lw_run *run) {
    double moved;
    for (long i = 0; i < s->cursors; i++) s->cursor[i]->piece = -1;
    run->landing = run->changes = 0;
    run->redundant = 0;
    run->weak = 0.0;
    run->lost = REDUNDANT;
    run->speed = fmax(1.0 / run->span, norm(s, s->S[run->current] + s->slots));
    run->status = settle(s, run, run->t, s->S[run->current], &moved, 1);
    run->weak = fmin(WEAK, 1e-2 * run->weakest);
    run->lost = LOST;
    run->growth = GROWTH;
    run->noise = NOISE + ROUNDING / run->weakest;
    run->expanded = run->pending = 0;
    return run->status;
}

/* -- curves ------------------------------------------------------------------------------------------------------ */

/* a step of at most h, from the series just made, that no knot of a curve is inside of */
static double stop_at_knots(lw_system *s, double h) {
    for (long i = 0; i < s->cursors; i++) {
        lw_cursor *c = s->cursor[i];
        if (c->piece < 0) c->piece = find_piece(c, c->series[0]); /* the one that the series was made for */
        find_exit(c, h);
        h = fmin(h, c->exit);
    }
    return h;
}

/* change over to the pieces that are entered within so much time */
static void change_pieces(lw_system *s, double time) {
    for (long i = 0; i < s->cursors; i++) {
        lw_cursor *c = s->cursor[i];
        if (c->exit <= time) c->piece = c->next;
    }
}

/* on the pieces changed over to, make the point consistent and its series anew */
static long expand_again(lw_system *s, lw_run *run, double *S, long order) {
    double moved;
    const long status = settle(s, run, run->t, S, &moved, 1);
    return status ? status : expand(s, run->t, S, order, 0);
}

static long integrate(lw_system *s, lw_run *run) {
    const double deadline = seconds_now() + run->seconds;
    run->records = 0;
    for (;;) {
        double *S = s->S[run->current];
        const int ended = run->t >= run->t_end;
        if (!run->expanded) {
            /* on a knot the end of a step is compared with the piece it was made for */
            const int landed = run->pending && run->landing;
            run->status = expand(s, run->t, S, ended || landed ? 2 : run->order, run->steps == 0 && !run->pending);
            if (run->status) return run->status;
            if (run->pending && !pending_is_right(s, run, S)) {
                run->landing = 0;
                run->status = retry(s, run);
                if (run->status) return run->status;
                continue;
            }
            if (landed) {
                change_pieces(s, run->h_last + 2.0 * find_smallest(run));
                run->status = expand_again(s, run, S, ended ? 2 : run->order);
                if (run->status) return run->status;
            }
            run->landing = run->changes = 0;
            run->expanded = 1;
        }
        if (run->pending) {
            record(s, run, 1 - run->current);
            run->pending = 0;
            run->steps++;
        }
        if (ended) return run->status = FINISHED;
        if (run->suspicious && run->records) return run->status = MORE;
        if (run->records == run->max_records || (run->records % 16 == 0 && run->records && seconds_now() > deadline))
            return run->status = MORE;
        double h = choose_step(s, run, S);
        if (!isfinite(h)) return run->status = NOT_FINITE;
        h = fmin(h, run->t_end - run->t);
        const double free = h;
        double knot = stop_at_knots(s, h);
        if (knot <= find_smallest(run)) {
            /* on a knot: the piece is the one that the argument goes into, unless it cannot make up its mind */
            if (run->changes++ < MOST_CHANGES) {
                change_pieces(s, find_smallest(run));
                run->status = expand_again(s, run, S, run->order);
                if (run->status) return run->status;
                continue;
            }
            knot = free;
        }
        h = knot;
        note_places(s, run, h);
        run->growth = fmin(GROWTH, RECOVERY * run->growth);
        run->status = take_step(s, run, inspect(s, run, S, h));
        if (run->status) return run->status;
        /* a step that was cut at a knot does not make the next one short */
        run->landing = knot < free && run->h_last >= knot;
        run->h = run->landing ? free : run->h_last;
    }
}

/* integrate until t_end, or until the records are full or the time slice is over (status MORE) */
long lw_integrate(lw_system *s, lw_run *run) {
    const unsigned before = flush_tiny();
    integrate(s, run);
    restore_tiny(before);
    return run->status;
}
