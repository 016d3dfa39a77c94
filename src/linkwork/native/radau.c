/* Radau IIA steps for stiff mechanics and many digits: collocation at s Radau points, order 2 s - 1 (radau.py).
 *
 *     U_i = u0 + h sum A_ij a_j,   Q_i = q0 + h c_i u0 + h^2 sum A2_ij a_j
 *     r(Q_i, U_i, a_i, lambda_i) = 0,   g'(Q_i, U_i) = 0      at each stage: index 2, with full order of places and speeds
 *
 * followed by z and v, which bring the end onto g and g', and by accelerations and multipliers found anew there: so all of
 * them have full order. In coordinates in which A is diagonal Newton's iteration falls into systems of the size of one
 * stage, one real and (s - 1) / 2 complex, each with c = h mu for an eigenvalue mu of A:
 *
 *     [ M + c C + c^2 K   G' ] [ x       ]   [ -r      ]
 *     [ G + c D           0  ] [ dlambda ] = [ -g' / c ]            D = dg'/dq
 *
 * z and v obey S z + G' eta = 0 with the real matrix: what is stiff stays as it is. Followers are collocated along with the
 * iteration, e_i = e0 + h sum A_ij N(e_j) U_j.
 */

#include "method.h"
#include "implicit.h"

static const double RADAU_NEWTON = 1e-4;    /* of the error allowed in a step is left by its iteration */
static const double RADAU_ROUNDED = 1e-15;  /* in sizes: no less than this is left of any */
static const double RADAU_SLOW = 0.03;      /* rate of convergence beyond which the matrix is made anew for the next step */
static const double RADAU_DIVERGES = 0.8;
static const double RADAU_NEXT = 0.1;       /* no better rate is trusted: they go up and down */
static const double RADAU_LONGER = 6.0, RADAU_STEADY = 1.2, RADAU_SAFETY = 0.9;
static const double RADAU_OTHERS = 0.9;     /* of their squares: rows of constraints that were left away before */
static const double RADAU_CLOSED = 1e-14;   /* in sizes: corrections of the end that matter no more */
static const double RADAU_FOLLOWED = 1e-3;  /* of the error allowed: changes of followers that matter no more */
enum { RADAU_ITERATIONS = 10, RADAU_CLOSING = 4, RADAU_SWEEPS = 20 };

/* three rows of a stage; two of its residuals; one of the iteration; one of the step before */
static double *radau_stage(const lw_system *s, const lw_radau *r, long i) { return r->room + 3 * i * s->slots; }
static double *radau_residual(const lw_system *s, const lw_radau *r, long i) { return r->room + (3 * STAGES + 2 * i) * s->slots; }
static double *radau_change(const lw_system *s, const lw_radau *r, long i) { return r->room + (5 * STAGES + i) * s->slots; }
static double *radau_before(const lw_system *s, const lw_radau *r, long i) { return r->room + (6 * STAGES + i) * s->slots; }
static long radau_places(const lw_system *s) { return s->unknowns + 2 * s->column[s->unknowns]; }

/* -- complex matrices ------------------------------------------------------------------------------------------------------ */

typedef struct { double re, im; } pair;
static inline pair times(pair a, pair b) { return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static inline void take(pair *from, pair a, pair b) {
    from->re -= a.re * b.re - a.im * b.im;
    from->im -= a.re * b.im + a.im * b.re;
}
static inline double extent(pair a) { return fabs(a.re) + fabs(a.im); }
static inline pair reciprocal(pair a) {
    const double per = 1.0 / (a.re * a.re + a.im * a.im);
    return (pair){a.re * per, -a.im * per};
}

/* as factorise_unsymmetric, of numbers with two parts */
static long factorise_pairs(lw_system *s, lw_run *run, const double *yields, pair *A, pair *inverses) {
    const long n = s->unknowns, entries = s->column[n];
    pair *L = A + n, *U = L + entries;
    double *reach = s->reach;
    const int *target = s->update;
    run->factorisations++;
    if (s->redundant)
        for (long i = 0; i < s->multipliers; i++) A[s->multiplier[i]] = (pair){-yields[s->multiplier[i]], 0.0};
    for (long j = 0; j < n; j++) reach[j] = extent(A[j]);
    for (long j = 0; j < n; j++) {
        const int begin = s->column[j], end = s->column[j + 1];
        if (!(extent(A[j]) > FLAT_PIVOT * reach[j])) {
            if (!s->kind[j] || s->redundant) { run->culprit = j; return NO_INERTIA; }
            s->redundant = 1;
            return MORE;
        }
        const pair inverse = inverses[j] = reciprocal(A[j]);
        for (int a = begin; a < end; a++) {
            L[a] = times(L[a], inverse);
            reach[s->row[a]] += extent(L[a]) * extent(U[a]);
        }
        for (int a = begin; a < end; a++) {
            const pair l = L[a], u = U[a];
            take(&A[*target++], l, u);
            for (int b = a + 1; b < end; b++, target++) {
                take(&A[*target], L[b], u);
                take(&A[*target + entries], l, U[b]);
            }
        }
    }
    return FINISHED;
}

static void solve_pairs(const lw_system *s, const pair *A, const pair *inverse, pair *restrict x) {
    const long n = s->unknowns;
    const pair *L = A + n, *U = L + s->column[n];
    const int *column = s->column, *row = s->row;
    for (long j = 0; j < n; j++) {
        const pair at = x[j];
        for (int a = column[j]; a < column[j + 1]; a++) take(&x[row[a]], L[a], at);
    }
    for (long j = n - 1; j >= 0; j--) {
        pair at = x[j];
        for (int a = column[j]; a < column[j + 1]; a++) take(&at, U[a], x[row[a]]);
        x[j] = times(at, inverse[j]);
    }
}

/* y = F x with a matrix that is not factorised */
static void multiply_places(const lw_system *s, const double *F, const double *x, double *restrict y) {
    const long n = s->unknowns;
    const double *L = F + n, *U = L + s->column[n];
    for (long j = 0; j < n; j++) y[j] = F[j] * x[j];
    for (long j = 0; j < n; j++)
        for (int a = s->column[j]; a < s->column[j + 1]; a++) {
            y[s->row[a]] += L[a] * x[j];
            y[j] += U[a] * x[s->row[a]];
        }
}

/* -- matrices of blocks ----------------------------------------------------------------------------------------------------- */

/* Where stiff directions turn within a step one matrix does not do for all stages: then all stages are solved for at once, each
 * with its own matrix, by the same factorisation of blocks (stages x stages), whose rows are padded to whole quads. */
typedef double quad __attribute__((vector_size(32)));
enum { QUADS = (STAGES + 3) / 4 };

#define EACH_STAGE _Pragma("GCC unroll 8") for /* written out, whatever the compiler likes */

/* C -= A B */
SEPARATE void block_take(quad *restrict C, const quad *A, const quad *B) {
    for (int i = 0; i < STAGES; i++, C += QUADS, A += QUADS) {
        const double *a = (const double *)A;
        quad sum = C[0], more = C[QUADS - 1];
        EACH_STAGE (int k = 0; k < STAGES; k++) {
            sum -= a[k] * B[k * QUADS];
            if (QUADS > 1) more -= a[k] * B[k * QUADS + 1];
        }
        C[0] = sum;
        if (QUADS > 1) C[1] = more;
    }
}

/* A B^-1 B = A: the inverse by Gauss and Jordan, with pivots from the block; whether there is one */
SEPARATE int block_invert(const quad *A, quad *restrict inverse) {
    quad left[STAGES][QUADS];
    memcpy(left, A, sizeof left);
    memset(inverse, 0, sizeof left);
    for (int i = 0; i < STAGES; i++) ((double *)(inverse + i * QUADS))[i] = 1.0;
    for (int k = 0; k < STAGES; k++) {
        int best = k;
        for (int i = k + 1; i < STAGES; i++)
            if (fabs(((double *)left[i])[k]) > fabs(((double *)left[best])[k])) best = i;
        const double pivot = ((double *)left[best])[k];
        if (!(fabs(pivot) > 0.0)) return 0;
        for (int q = 0; q < QUADS; q++) {
            const quad one = left[k][q], other = inverse[k * QUADS + q];
            left[k][q] = left[best][q] / pivot;
            inverse[k * QUADS + q] = inverse[best * QUADS + q] / pivot;
            if (best != k) left[best][q] = one, inverse[best * QUADS + q] = other;
        }
        for (int i = 0; i < STAGES; i++) {
            const double factor = ((double *)left[i])[k];
            for (int q = 0; i != k && q < QUADS; q++) {
                left[i][q] -= factor * left[k][q];
                inverse[i * QUADS + q] -= factor * inverse[k * QUADS + q];
            }
        }
    }
    return 1;
}

static long factorise_blocks(lw_system *s, lw_run *run, quad *A, quad *inverses) {
    const long unknowns = s->unknowns, entries = s->column[unknowns], size = STAGES * QUADS;
    quad *L = A + unknowns * size, *U = L + entries * size, scaled[2 * STAGES];
    const int *target = s->update;
    run->factorisations++;
    for (long j = 0; j < unknowns; j++) {
        const int begin = s->column[j], end = s->column[j + 1];
        quad *inverse = inverses + j * size;
        if (!block_invert(A + j * size, inverse)) { run->culprit = j; return NO_INERTIA; }
        for (int a = begin; a < end; a++) {
            memset(scaled, 0, sizeof scaled);
            block_take(scaled, L + a * size, inverse);
            for (int i = 0; i < size; i++) L[a * size + i] = -scaled[i];
        }
        for (int a = begin; a < end; a++) {
            const quad *l = L + a * size, *u = U + a * size;
            block_take(A + *target++ * size, l, u);
            for (int b = a + 1; b < end; b++, target++) {
                block_take(A + *target * size, L + b * size, u);
                block_take(A + (*target + entries) * size, l, U + b * size);
            }
        }
    }
    return FINISHED;
}

/* x: by unknown, the numbers of all stages */
static void solve_blocks(const lw_system *s, const quad *A, const quad *inverses, double *restrict x) {
    const long unknowns = s->unknowns, size = STAGES * QUADS;
    const quad *L = A + unknowns * size, *U = L + s->column[unknowns] * size;
    for (long j = 0; j < unknowns; j++)
        for (int a = s->column[j]; a < s->column[j + 1]; a++)
            for (int i = 0; i < STAGES; i++) {
                const double *l = (const double *)(L + a * size + i * QUADS);
                EACH_STAGE (int k = 0; k < STAGES; k++) x[s->row[a] * STAGES + i] -= l[k] * x[j * STAGES + k];
            }
    for (long j = unknowns - 1; j >= 0; j--) {
        double at[STAGES];
        for (int i = 0; i < STAGES; i++) at[i] = x[j * STAGES + i];
        for (int a = s->column[j]; a < s->column[j + 1]; a++)
            for (int i = 0; i < STAGES; i++) {
                const double *u = (const double *)(U + a * size + i * QUADS);
                EACH_STAGE (int k = 0; k < STAGES; k++) at[i] -= u[k] * x[s->row[a] * STAGES + k];
            }
        for (int i = 0; i < STAGES; i++) {
            const double *inverse = (const double *)(inverses + j * size + i * QUADS);
            double sum = 0.0;
            EACH_STAGE (int k = 0; k < STAGES; k++) sum += inverse[k] * at[k];
            x[j * STAGES + i] = sum;
        }
    }
}

/* -- the matrix ------------------------------------------------------------------------------------------------------------ */

/* M and G, then what C and D and what K add to them, at a point */
static void radau_tangents(const lw_system *s, lw_implicit *m, double t, const double *point) {
    static const double ASKED[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {0.0, 1.0, 0.0}};
    const long places = radau_places(s);
    memcpy(row_of(s, m, END), point, 3 * s->slots * sizeof(double));
    for (int i = 0; i < 3; i++) {
        double *part = m->radau->parts + i * places;
        memcpy(m->c, ASKED[i], sizeof m->c);
        find_tangents(s, m, t);
        memcpy(part, m->A, places * sizeof(double));
        for (long e = 0; i && e < places; e++) part[e] -= m->radau->parts[e];
    }
}

/* the rows of G in the matrix, of length one in sizes of the coordinates: (multipliers, unknowns) */
static void radau_gather(const lw_system *s, const lw_implicit *m, double *G) {
    const long n = s->unknowns;
    const double *L = m->A + n, *U = L + s->column[n];
    memset(G, 0, s->multipliers * n * sizeof(double));
    for (long i = 0; i < s->multipliers; i++) {
        const int row = s->multiplier[i];
        double *g = G + i * n, square = 0.0;
        for (int a = s->column[row]; a < s->column[row + 1]; a++)
            if (!s->kind[s->row[a]]) g[s->row[a]] = U[a];
        for (long j = 0; j < row; j++)
            for (int a = s->column[j]; a < s->column[j + 1]; a++)
                if (s->row[a] == row && !s->kind[j]) g[j] = L[a];
        for (long j = 0; j < n; j++) {
            if (!s->kind[j]) g[j] /= s->per_size[j];
            square += g[j] * g[j];
        }
        for (long j = 0; square > 0.0 && j < n; j++) g[j] /= sqrt(square);
    }
}

/* Where constraints are redundant at the begin of a step they contradict each other at its stages, which are off them by a little:
 * those that the others make up for are left away until the end, which meets all of them. Rows of G are taken by what they add to
 * those before, the largest first, and those of the last step rather than others. */
static void radau_choose(lw_system *s, lw_run *run, lw_implicit *m) {
    const long count = s->multipliers, n = s->unknowns;
    double *G = m->radau->rows, *square = G + count * n;
    if (!s->redundant || !G) return;
    memcpy(row_of(s, m, END), row_of(s, m, BEGIN), 3 * s->slots * sizeof(double));
    memset(m->c, 0, sizeof m->c);
    find_tangents(s, m, run->t);
    radau_gather(s, m, G);
    for (long i = 0; i < count; i++) square[i] = 1.0;
    for (;;) {
        long best = -1;
        double most = DEPENDENT * DEPENDENT;
        for (long i = 0; i < count; i++) {
            const double size = square[i] * (m->yields[s->multiplier[i]] > 0.0 ? RADAU_OTHERS : 1.0);
            if (size > most) { most = size; best = i; }
        }
        if (best < 0) break;
        double *g = G + best * n, own = 0.0;
        for (long j = 0; j < n; j++) own += g[j] * g[j];
        square[best] = -1.0;
        if (!(own > DEPENDENT * DEPENDENT)) { square[best] = 0.0; continue; }
        for (long j = 0; j < n; j++) g[j] /= sqrt(own);
        for (long i = 0; i < count; i++) {
            double *other = G + i * n, along = 0.0, left = 0.0;
            if (square[i] <= 0.0) continue;
            for (long j = 0; j < n; j++) along += g[j] * other[j];
            for (long j = 0; j < n; j++) { other[j] -= along * g[j]; left += other[j] * other[j]; }
            square[i] = left;
        }
    }
    for (long i = 0; i < count; i++) m->yields[s->multiplier[i]] = square[i] < 0.0 ? 0.0 : LEFT_AWAY / s->unit[s->multiplier[i]];
}

/* matrices of all systems for steps of length h, factorised */
static long radau_factorise_all(lw_system *s, lw_run *run, lw_implicit *m, double h) {
    const lw_radau *r = m->radau;
    const long places = radau_places(s);
    const double *P = r->parts, *C = P + places, *K = C + places, c0 = h * r->spectrum[0];
    for (long e = 0; e < places; e++) m->A[e] = P[e] + c0 * (C[e] + c0 * K[e]);
    long status = factorise_unsymmetric(s, run, m);
    for (long k = 1; k < STAGES && !status; k += 2) {
        const pair c = {h * r->spectrum[k], h * r->spectrum[k + 1]}, cc = times(c, c);
        pair *A = (pair *)r->pairs + (k / 2) * (places + s->unknowns);
        for (long e = 0; e < places; e++) A[e] = (pair){P[e] + c.re * C[e] + cc.re * K[e], c.im * C[e] + cc.im * K[e]};
        status = factorise_pairs(s, run, m->yields, A, A + places);
    }
    return status;
}

static long radau_factorise(lw_system *s, lw_run *run, lw_implicit *m, double h) {
    long status;
    do status = radau_factorise_all(s, run, m, h);
    while (status == MORE);
    m->made = status ? 0.0 : h;
    return status;
}

/* row i of the block at a place of the matrix: of an equation of motion, or of a constraint (divided by h), for coordinates; of
 * an equation of motion for a multiplier */
static void radau_place_block(const lw_radau *r, long i, double h, const double *part, long places, int constraint, int multiplier, double *block) {
    const long n = STAGES, width = n > 4 ? 8 : 4;
    const double P = part[0], C = part[places], K = part[2 * places], *A = r->A + i * n, *A2 = r->A2 + i * n;
    double *to = block + i * width;
    if (multiplier) {
        for (long j = 0; j < n; j++) to[j] = 0.0;
        if (!constraint) to[i] = P;
    } else if (constraint) {
        EACH_STAGE (long j = 0; j < n; j++) to[j] = A[j] * P + h * A2[j] * C;
    } else {
        EACH_STAGE (long j = 0; j < n; j++) to[j] = h * (A[j] * C + h * A2[j] * K);
        to[i] += P;
    }
}

/* all matrices with those of each stage, at the stages that are expected */
static long radau_factorise_full(lw_system *s, lw_run *run, lw_implicit *m, double t, double h) {
    lw_radau *r = m->radau;
    const long n = STAGES, places = radau_places(s), entries = s->column[s->unknowns], size = n * (n > 4 ? 8 : 4);
    const double c0 = h * r->spectrum[0];
    double *part = r->parts;
    long status;
    do {
        for (long i = 0; i < n; i++) {
            radau_tangents(s, m, t + r->nodes[i] * h, radau_stage(s, r, i));
            for (long j = 0; j < s->unknowns; j++) {
                const int kind = s->kind[j] != COORDINATE;
                radau_place_block(r, i, h, part + j, places, kind, kind, r->blocks + j * size);
                if (kind && s->redundant) r->blocks[j * size + i * (size / n) + i] = -m->yields[j];
                for (int a = s->column[j]; a < s->column[j + 1]; a++) {
                    const long lower = s->unknowns + a, upper = lower + entries;
                    const int other = s->kind[s->row[a]] != COORDINATE;
                    radau_place_block(r, i, h, part + lower, places, other, kind, r->blocks + lower * size);
                    radau_place_block(r, i, h, part + upper, places, kind, other, r->blocks + upper * size);
                }
            }
        }
        for (long e = 0; e < places; e++) m->A[e] = part[e] + c0 * (part[places + e] + c0 * part[2 * places + e]);
        status = factorise_unsymmetric(s, run, m);
    } while (status == MORE);
    if (!status) status = factorise_blocks(s, run, (quad *)r->blocks, (quad *)r->block_inverses);
    m->made = status ? 0.0 : h;
    return status;
}

/* -- stages ---------------------------------------------------------------------------------------------------------------- */

/* followers at all stages, from their rates there, again and again until that changes nothing */
static void radau_follow(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    const double *e0 = row_of(s, m, BEGIN), enough = RADAU_FOLLOWED * run->tol;
    double changed = HUGE_VAL;
    for (int sweep = 0; s->kinematics && changed > enough && sweep < RADAU_SWEEPS; sweep++) {
        changed = 0.0;
        for (long i = 0; i < STAGES; i++) advance_followers(s, -1, t + r->nodes[i] * h, radau_stage(s, r, i));
        for (long i = 0; i < STAGES; i++) {
            double *e = radau_stage(s, r, i);
            for (long j = s->unknowns; j < s->moving; j++) {
                if (s->kind[j] == VALUE) continue;
                double sum = 0.0;
                for (long k = 0; k < STAGES; k++) sum += r->A[i * STAGES + k] * radau_stage(s, r, k)[s->slots + j];
                const double next = e0[j] + h * sum;
                changed = larger(fabs(next - e[j]), changed);
                e[j] = next;
            }
        }
    }
}

/* places and speeds of all stages by their accelerations; by how much they change, in errors allowed */
static double radau_place(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    const long n = STAGES, slots = s->slots;
    const double *q0 = row_of(s, m, BEGIN), *u0 = q0 + slots, per_speed = 1.0 / (LEFT_OUT * run->speed);
    double largest = 0.0, bad = 0.0; /* what is not finite is not the largest of some numbers */
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        double *X = r->room + j, a[STAGES], moved = 0.0, faster = 0.0;
        for (long k = 0; k < n; k++) a[k] = X[(3 * k + 2) * slots];
        for (long k = 0; k < n; k++) {
            const double *A = r->A + k * n, *A2 = r->A2 + k * n;
            double u = 0.0, q = 0.0;
            for (long l = 0; l < n; l++) { u += A[l] * a[l]; q += A2[l] * a[l]; }
            u = u0[j] + h * u;
            q = q0[j] + h * (r->nodes[k] * u0[j] + h * q);
            /* what rounding hides does not count */
            moved = larger(fabs(q - X[3 * k * slots]) - ROUNDING * fabs(q), moved);
            faster = larger(fabs(u - X[(3 * k + 1) * slots]) - ROUNDING * fabs(u), faster);
            bad += 0.0 * (q + u);
            X[3 * k * slots] = q;
            X[(3 * k + 1) * slots] = u;
        }
        const double size = larger(moved, faster * per_speed) * s->per_size[j];
        if (!(size <= largest)) largest = size;
    }
    radau_follow(s, run, m, t, h);
    return largest / run->tol + bad;
}

/* what is expected of all stages: accelerations, multipliers and values go on as in the step before */
static void radau_predict(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    const long n = STAGES, slots = s->slots;
    const double *from = row_of(s, m, BEGIN);
    for (long i = 0; i < n; i++) {
        double *X = radau_stage(s, r, i), weight[STAGES];
        memcpy(X, from, 3 * slots * sizeof(double));
        if (!(m->h_before > 0.0)) continue;
        const double x = 1.0 + r->nodes[i] * h / m->h_before;
        for (long k = 0; k < n; k++) {
            weight[k] = 1.0;
            for (long l = 0; l < n; l++)
                if (l != k) weight[k] *= (x - r->nodes[l]) / (r->nodes[k] - r->nodes[l]);
        }
        for (long j = 0; j < s->moving; j++) {
            if (j >= s->unknowns && s->kind[j] != VALUE) continue;
            double sum = 0.0;
            for (long k = 0; k < n; k++) sum += weight[k] * radau_before(s, r, k)[j];
            X[(s->kind[j] ? 0 : 2 * slots) + j] = sum;
        }
    }
    radau_place(s, run, m, t, h);
}

/* what the equations lack at all stages */
static void radau_residuals(const lw_system *s, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    memset(radau_residual(s, r, 0), 0, 2 * STAGES * s->slots * sizeof(double));
    for (long k = 0; k < s->terms; k++) {
        const lw_stiff *term = &m->term[k];
        for (long i = 0; i < STAGES; i++)
            add_up(term->residual, term->residual_tape, term, t + r->nodes[i] * h, radau_stage(s, r, i), s->slots, m->c,
                   term->residual_to, term->residual_par, radau_residual(s, r, i));
    }
    for (long i = 0; s->redundant && i < STAGES; i++)
        for (long k = 0; k < s->multipliers; k++) {
            const int j = s->multiplier[k];
            double *R = radau_residual(s, r, i);
            if (m->yields[j] > 0.0) R[j] = R[s->slots + j] = 0.0;
        }
}

/* the real system and those of pairs, in coordinates in which A is diagonal */
static void radau_solve(const lw_system *s, const lw_implicit *m, double h) {
    const lw_radau *r = m->radau;
    const long n = STAGES, unknowns = s->unknowns, places = radau_places(s);
    for (long k = 0; k < n; k++) {
        double *x = radau_change(s, r, k);
        memset(x, 0, unknowns * sizeof(double));
        for (long i = 0; i < n; i++) {
            const double *R = radau_residual(s, r, i), *V = R + s->slots, weight = r->there[k * n + i];
            for (long j = 0; j < unknowns; j++) x[j] -= weight * (s->kind[j] ? V[j] : R[j]);
        }
    }
    double *x = radau_change(s, r, 0), *own = radau_residual(s, r, 0);
    for (long i = 0; i < s->multipliers; i++) x[s->multiplier[i]] /= h * r->spectrum[0];
    for (long j = 0; j < unknowns; j++) own[j] = s->kind[j] ? s->weight[j] * x[j] : 0.0;
    solve_unsymmetric(s, m, x);
    for (long j = 0; j < unknowns; j++) x[j] += own[j];
    for (long k = 1; k < n; k += 2) {
        double *one = radau_change(s, r, k), *other = radau_change(s, r, k + 1);
        const pair per = reciprocal((pair){h * r->spectrum[k], h * r->spectrum[k + 1]});
        const pair *A = (const pair *)r->pairs + (k / 2) * (places + unknowns);
        pair *z = (pair *)r->scratch;
        for (long j = 0; j < unknowns; j++) {
            z[j] = (pair){one[j], other[j]};
            if (s->kind[j]) z[j] = times(z[j], per);
            one[j] = s->kind[j] ? s->weight[j] * z[j].re : 0.0;
            other[j] = s->kind[j] ? s->weight[j] * z[j].im : 0.0;
        }
        solve_pairs(s, A, A + places, z);
        for (long j = 0; j < unknowns; j++) { one[j] += z[j].re; other[j] += z[j].im; }
    }
}

/* the same of all stages at once */
static void radau_solve_full(const lw_system *s, const lw_implicit *m, double h) {
    const lw_radau *r = m->radau;
    const long n = STAGES;
    for (long i = 0; i < n; i++) {
        const double *R = radau_residual(s, r, i), *V = R + s->slots;
        for (long j = 0; j < s->unknowns; j++) r->scratch[j * n + i] = s->kind[j] ? -V[j] / h : -R[j];
    }
    solve_blocks(s, (const quad *)r->blocks, (const quad *)r->block_inverses, r->scratch);
    for (long i = 0; i < n; i++) {
        double *x = radau_change(s, r, i);
        for (long j = 0; j < s->unknowns; j++) x[j] = r->scratch[j * n + i];
    }
}

/* the change of all stages that follows from their residuals */
static void radau_change_stages(const lw_system *s, const lw_implicit *m, double h) {
    const lw_radau *r = m->radau;
    const long n = STAGES;
    if (r->full) radau_solve_full(s, m, h);
    else radau_solve(s, m, h);
    for (long i = 0; i < n; i++) {
        double *X = radau_stage(s, r, i);
        for (long k = 0; k < n; k++) {
            const double *x = radau_change(s, r, k), weight = r->full ? i == k : r->back[i * n + k];
            if (weight == 0.0) continue;
            for (long j = 0; j < s->unknowns; j++) X[(s->kind[j] ? 0 : 2 * s->slots) + j] += weight * x[j];
        }
    }
}

/* -- values ---------------------------------------------------------------------------------------------------------------- */

/* Values in laws (hht.c) of all stages are further unknowns, which border the matrix of all stages: a change of value i of
 * stage k, number i + k values of them, changes everything at all stages. */

/* what should vanish at all stages */
static void radau_find_left(const lw_system *s, const lw_implicit *m, double t, double h, double *rho) {
    const lw_radau *r = m->radau;
    for (long i = 0; i < STAGES; i++) {
        memcpy(row_of(s, m, END), radau_stage(s, r, i), 3 * s->slots * sizeof(double));
        find_left(s, m, t + r->nodes[i] * h, rho + i * m->border->count);
    }
}

/* change a value of a stage, and all that follows from it */
static void radau_change_value(const lw_system *s, const lw_implicit *m, long i, double change) {
    const lw_radau *r = m->radau;
    const long values = m->border->count;
    radau_stage(s, r, i / values)[m->border->slot[i % values]] += change;
    for (long k = 0; k < STAGES; k++) {
        const double *y = r->border->column + (i * STAGES + k) * s->unknowns;
        double *X = radau_stage(s, r, k);
        for (long j = 0; j < s->unknowns; j++) X[(s->kind[j] ? 0 : 2 * s->slots) + j] += change * y[j];
    }
}

/* Y of a value of a stage, by a difference: what follows from it at all stages, which `kept` holds */
static void radau_find_column(const lw_system *s, const lw_implicit *m, double t, double h, long i, double change, const double *kept) {
    const lw_radau *r = m->radau;
    const long values = m->border->count, k = i / values, slots = s->slots;
    double *X = radau_stage(s, r, k), *R = radau_residual(s, r, k), *x = radau_change(s, r, 0);
    radau_residuals(s, m, t, h);
    memcpy(x, R, slots * sizeof(double));
    X[m->border->slot[i % values]] += change;
    radau_residuals(s, m, t, h);
    for (long j = 0; j < slots; j++) x[j] = R[j] - x[j];
    memset(radau_residual(s, r, 0), 0, 2 * STAGES * slots * sizeof(double));
    memcpy(R, x, slots * sizeof(double));
    radau_change_stages(s, m, h);
    for (long l = 0; l < STAGES; l++) {
        double *y = r->border->column + (i * STAGES + l) * s->unknowns;
        for (long j = 0; j < s->unknowns; j++) {
            const long at = (3 * l + (s->kind[j] ? 0 : 2)) * slots + j;
            y[j] = (r->room[at] - kept[at]) / change;
        }
    }
}

/* Y and D at the stages that are expected */
static void radau_find_border(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    lw_algebra *b = r->border;
    const size_t all = 3 * STAGES * s->slots * sizeof(double);
    double *kept = b->room, size;
    memcpy(kept, r->room, all);
    radau_find_left(s, m, t, h, b->rest);
    for (long i = 0; i < b->count; i++) {
        const double change = SLIGHTLY * (fabs(radau_stage(s, r, i / m->border->count)[m->border->slot[i % m->border->count]]) + 1.0);
        radau_find_column(s, m, t, h, i, change, kept);
        radau_place(s, run, m, t, h);
        radau_find_left(s, m, t, h, b->rho);
        for (long k = 0; k < b->count; k++) b->D[k * b->count + i] = (b->rest[k] - b->rho[k]) / change;
        memcpy(r->room, kept, all);
    }
    factorise_slopes(b, &size); /* where the values are not determined, what follows is not finite */
}

/* -- iterations ------------------------------------------------------------------------------------------------------------ */

/* one change of all stages; how large it is, in errors allowed */
static double radau_iterate(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    lw_algebra *b = m->radau->border;
    radau_residuals(s, m, t, h);
    radau_change_stages(s, m, h);
    const double size = radau_place(s, run, m, t, h);
    if (!b) return size;
    radau_find_left(s, m, t, h, b->rho);
    solve_slopes(b, b->rho, b->step);
    for (long i = 0; i < b->count; i++) radau_change_value(s, m, i, b->step[i]);
    return size + radau_place(s, run, m, t, h);
}

/* Newton's iteration with the matrices that there are; FINISHED, MORE if it does not converge, or NOT_FINITE */
static long radau_find_stages(lw_system *s, const lw_run *run, lw_implicit *m, double t, double h) {
    const int most = run->step > 0.0 ? PATIENT : RADAU_ITERATIONS;
    const double enough = larger(RADAU_NEWTON, RADAU_ROUNDED / run->tol);
    double before = 0.0;
    m->rate = 0.0;
    for (int i = 0; i < most; i++) {
        const double size = radau_iterate(s, run, m, t, h);
        m->iterations++;
        if (!isfinite(size)) return NOT_FINITE;
        const double rate = i ? size / before : 1.0;
        if (i) m->rate = larger(m->rate, rate);
        const double next = larger(rate, RADAU_NEXT);
        if (size * smaller(1.0, next / (1.0 - smaller(next, 0.9))) <= enough) return FINISHED;
        if (i && rate > RADAU_DIVERGES) return MORE;
        /* it will not get there */
        if (i && !(run->step > 0.0) && size * pow(rate, most - 1 - i) > enough) return MORE;
        before = size;
    }
    return MORE;
}

/* -- steps ----------------------------------------------------------------------------------------------------------------- */

/* errors of places and speeds (rows e and e + 1), softened: (1 - c J)^-1 of them, with the real matrix; how large they are */
static double radau_soften(const lw_system *s, const lw_run *run, const lw_implicit *m, double h, double *e) {
    const lw_radau *r = m->radau;
    const long places = radau_places(s);
    const double c = h * r->spectrum[0];
    double *eq = e, *eu = e + s->slots, *y = radau_change(s, r, 0), *x = radau_change(s, r, 1), *d = radau_change(s, r, 2), largest = 0.0;
    multiply_places(s, r->parts, eu, x);
    multiply_places(s, r->parts + places, eq, d);
    multiply_places(s, r->parts + 2 * places, eq, y);
    for (long j = 0; j < s->unknowns; j++) x[j] = s->kind[j] ? -d[j] : x[j] - c * y[j];
    solve_unsymmetric(s, m, x);
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        eu[j] = x[j];
        eq[j] += c * x[j];
        const double size = larger(fabs(eq[j]), fabs(eu[j]) / (LEFT_OUT * run->speed)) * s->per_size[j];
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* the error of a step, in errors allowed */
static double radau_error(const lw_system *s, const lw_run *run, const lw_implicit *m, double h, int doubtful) {
    const lw_radau *r = m->radau;
    const double *from = row_of(s, m, BEGIN), first = r->spectrum[0];
    double *e = radau_residual(s, r, 0);
    memset(e, 0, 2 * s->slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        double eq = first * from[s->slots + j], eu = first * from[2 * s->slots + j];
        for (long k = 0; k < STAGES; k++) {
            const double *X = radau_stage(s, r, k);
            eq += r->error[k] * X[s->slots + j];
            eu += r->error[k] * X[2 * s->slots + j];
        }
        e[j] = h * eq;
        e[s->slots + j] = h * eu;
    }
    double size = radau_soften(s, run, m, h, e);
    /* what is stiff and not yet at rest is seen too large: softened once more */
    if (doubtful && size > run->tol) size = radau_soften(s, run, m, h, e);
    return size / run->tol;
}

/* a change of one row of the end by constraints: as large as in sizes it is */
static double radau_correct(const lw_system *s, const lw_implicit *m, double *row, double *y) {
    double largest = 0.0;
    solve_unsymmetric(s, m, y);
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        row[j] += y[j];
        const double size = (fabs(y[j]) - ROUNDING * fabs(row[j])) * s->per_size[j];
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* The end of the step onto the constraints, then its accelerations and multipliers, into the other buffer and END. */
static long radau_close(lw_system *s, lw_run *run, lw_implicit *m, double t) {
    const long slots = s->slots;
    double *to = row_of(s, m, END), *S = s->S[1 - run->current], *y = row_of(s, m, SOLUTION), moved;
    const double *R = row_of(s, m, RESIDUAL), *V = row_of(s, m, RATES);
    memcpy(to, radau_stage(s, m->radau, STAGES - 1), 3 * slots * sizeof(double));
    normalise(s, to);
    for (int row = 0; s->multipliers && row < 2; row++)
        for (int i = 0; i < RADAU_CLOSING; i++) {
            find_residuals(s, m, t);
            for (long j = 0; j < s->unknowns; j++) y[j] = row ? (s->kind[j] ? -V[j] : 0.0) : s->kind[j] == HOLONOMIC ? -R[j] : 0.0;
            const double size = radau_correct(s, m, to + row * slots, y) / (row ? run->speed : 1.0);
            if (!isfinite(size)) return NOT_FINITE;
            if (!row && s->kinematics) move_followers(s, t, to, y);
            run->worst_projection = larger(size, run->worst_projection);
            if (size <= RADAU_CLOSED) break;
        }
    memcpy(S, to, 2 * slots * sizeof(double));
    for (long i = 0; i < s->multipliers; i++) S[s->multiplier[i]] = S[slots + s->multiplier[i]] = 0.0;
    long status = settle(s, run, t, S, &moved, 1);
    if (!status) status = expand(s, t, S, 2, 0);
    memcpy(to, S, 2 * slots * sizeof(double));
    for (long j = 0; j < slots; j++) to[2 * slots + j] = 2.0 * S[2 * slots + j];
    return status;
}

/* the step just made, as polynomials: a goes through those of inner stages, at both ends q, u and a are those there */
static void radau_interpolate(const lw_system *s, const lw_run *run, const lw_implicit *m, double t, double h) {
    const lw_radau *r = m->radau;
    const long slots = s->slots, n = STAGES;
    const double *from = row_of(s, m, BEGIN), *to = row_of(s, m, END);
    double *S = s->S[run->current];
    for (long k = 0; k + 1 < n; k++) find_rates(s, m, t + (r->nodes[k] - 1.0) * h, radau_stage(s, r, k));
    for (long j = 0; j < s->moving; j++) {
        double left[2 + STAGES];
        if (s->kind[j]) {
            for (long k = 1; k <= run->order; k++) S[k * slots + j] = 0.0;
            S[slots + j] = (to[j] - from[j]) / h;
            /* at stages multipliers may have anything in directions in which they do nothing */
            if (s->redundant && s->kind[j] != VALUE) continue;
            for (long k = 0; k < n; k++) left[k] = (k + 1 < n ? radau_stage(s, r, k)[j] : to[j]) - from[j];
            double power = 1.0;
            for (long k = 0; k < n; k++) {
                double sum = 0.0;
                for (long l = 0; l < n; l++) sum += r->between[k * n + l] * left[l];
                S[(k + 1) * slots + j] = sum * (power /= h);
            }
            continue;
        }
        const double q0 = from[j], u0 = h * from[slots + j], a0 = h * h * from[2 * slots + j];
        left[0] = to[j] - q0 - u0 - 0.5 * a0;
        left[1] = h * to[slots + j] - u0 - a0;
        left[2] = h * h * to[2 * slots + j] - a0;
        for (long k = 0; k + 1 < n; k++) left[3 + k] = h * h * radau_stage(s, r, k)[2 * slots + j] - a0;
        double power = 1.0 / (h * h);
        for (long k = 0; k < n; k++) {
            double sum = 0.0;
            for (long l = 0; l < n + 2; l++) sum += r->dense[k * (n + 2) + l] * left[l];
            S[(k + 3) * slots + j] = sum * (power /= h);
        }
    }
}

/* how much the polynomials of the step just made miss between its ends, in errors allowed there */
static double radau_look_inside(lw_system *s, lw_run *run, lw_implicit *m, double t, double h, int attempt) {
    const double c = h * m->radau->spectrum[0], x = place_inside(run, h);
    double error = 0.0;
    radau_interpolate(s, run, m, t, h);
    if (run->step > 0.0) return error;
    if (s->kinematics) error = find_stray(s, run, m, x, h, row_of(s, m, BENDS), NULL);
    if (!is_looked_into(run, m, h, attempt)) return error;
    return larger(find_lack_inside(s, run, m, h, c, c * c, NULL, attempt), error);
}

/* keep the step just made and go on to its end, or begin anew at the border of a law in it */
static long radau_keep(lw_system *s, lw_run *run, lw_implicit *m, double t, double h, double border, long law) {
    const lw_radau *r = m->radau;
    const long slots = s->slots;
    double *from = row_of(s, m, BEGIN), *to = row_of(s, m, END);
    for (long i = 0; i < STAGES; i++) {
        const double *X = radau_stage(s, r, i);
        double *kept = radau_before(s, r, i);
        for (long j = 0; j < s->moving; j++) kept[j] = X[(s->kind[j] ? 0 : 2 * slots) + j];
    }
    if (border <= h) return cross(s, run, border, h, law);
    const int stopped = go_on(s, run, m, t, h);
    memcpy(s->S[run->current], from, slots * sizeof(double));
    m->h_before = h;
    run->h_largest = larger(run->h_largest, h);
    return stopped ? STOPPED : FINISHED;
}

/* factorised matrices for steps of length h, with their border; `full`: one for each stage */
static long radau_make(lw_system *s, lw_run *run, lw_implicit *m, double h, int full) {
    const long status = full ? radau_factorise_full(s, run, m, run->t, h) : radau_factorise(s, run, m, h);
    if (!status && m->radau->border) radau_find_border(s, run, m, run->t, h);
    return status;
}

/* the stages of a step of length h, with the matrices that there are if they will do; where one matrix does not do for all
 * stages go on with one for each */
static long radau_try(lw_system *s, lw_run *run, lw_implicit *m, double h) {
    lw_radau *r = m->radau;
    const long middle = STAGES / 2;
    const int usable = !r->full && m->made > 0.0 && m->rate <= RADAU_SLOW;
    long status = MORE;
    radau_predict(s, run, m, run->t, h);
    if (usable) {
        if (m->made == h) status = FINISHED;
        else status = radau_make(s, run, m, h, 0);
        if (!status) status = radau_find_stages(s, run, m, run->t, h);
        if (!status) return FINISHED;
        radau_predict(s, run, m, run->t, h);
    }
    radau_choose(s, run, m);
    if (!r->full) {
        radau_tangents(s, m, run->t + r->nodes[middle] * h, radau_stage(s, r, middle));
        status = radau_make(s, run, m, h, 0);
        if (!status) status = radau_find_stages(s, run, m, run->t, h);
        if (status != MORE) return status;
        radau_predict(s, run, m, run->t, h);
        r->full = 1;
    }
    status = radau_make(s, run, m, h, 1);
    if (!status) status = radau_find_stages(s, run, m, run->t, h);
    if (status != MORE || !(run->step > 0.0) || !(m->h_before > 0.0)) return status;
    /* the step is given, and what the one before leads to is too far off: as if it were the first */
    m->h_before = 0.0;
    radau_predict(s, run, m, run->t, h);
    status = radau_make(s, run, m, h, 1);
    return status ? status : radau_find_stages(s, run, m, run->t, h);
}

/* one step, as long as errors allow or as given */
static long radau_step(lw_system *s, lw_run *run, lw_implicit *m) {
    const double smallest = find_smallest(run), left = run->t_end - run->t, root = 1.0 / (double)(STAGES + 1);
    run->speed = larger(1.0 / run->span, norm(s, row_of(s, m, BEGIN) + s->slots)); /* as in series.h */
    double h = run->step > 0.0 ? fixed_step(run) : smaller(run->h, run->h_max), resumed = 0.0;
    long law = 0;
    int approaches = 0;
    for (int attempt = 0; attempt < MAX_REJECTIONS; attempt++) {
        int last;
        h = fit_step(run, h, left, &last);
        if (h < smallest && !last) return TOO_SMALL;
        const double t = last ? run->t_end : run->t + h;
        long status = radau_try(s, run, m, h);
        double error = 4.0;
        if (!status) error = run->step > 0.0 ? 0.0 : radau_error(s, run, m, h, attempt || !(m->h_before > 0.0));
        double border = INFINITY;
        if (!status && (error <= 1.0 || run->switches)) status = radau_close(s, run, m, t);
        if (!status && (error <= 1.0 || run->switches)) {
            const double inside = radau_look_inside(s, run, m, t, h, attempt);
            if (run->step == 0.0) error = larger(error, inside);
            border = stop_at_switches(s, run, s->S[run->current], h, &law);
            if (goes_too_far(s, run, m, border, h, law, approaches)) {
                if (!approaches++) resumed = RESUMED * h;
                h = border * (1.0 - BEFORE_BORDER);
                continue;
            }
        }
        if (!status && error <= 1.0) {
            const double c = h * m->radau->spectrum[0], hidden = find_hidden(s, run, m, h, c, c * c, NULL);
            if (hidden < smaller(h, border)) { reject(run, 1); h = BEFORE_HIDDEN * hidden; continue; }
            const double factor = smaller(RADAU_LONGER, RADAU_SAFETY / pow(larger(error, 1e-8), root));
            run->worst_defect = larger(error * run->tol, run->worst_defect);
            const long kept = radau_keep(s, run, m, t, h, border, law);
            if (!last && run->expanded) run->h = larger(factor > RADAU_STEADY || factor < 1.0 ? factor * h : h, resumed);
            return kept;
        }
        if (run->step > 0.0) return status == MORE ? NOT_CLOSED : status;
        if (status && attempt + 1 == MAX_REJECTIONS) return status == MORE ? TOO_SMALL : status;
        run->rejected++;
        if (status) m->made = 0.0;
        h *= isfinite(error) && !status ? larger(SHORTER, RADAU_SAFETY / pow(error, root)) : 0.4;
    }
    return TOO_SMALL;
}

/* the begin of a run: accelerations and multipliers at the start */
static long radau_begin(lw_system *s, lw_run *run, lw_implicit *m) {
    const long slots = s->slots;
    double *S = s->S[run->current], *from = row_of(s, m, BEGIN);
    const long status = expand(s, run->t, S, 3, run->steps == run->begun);
    if (status) return status;
    memset(m->room, 0, PATH * slots * sizeof(double));
    memset(m->yields, 0, s->unknowns * sizeof(double));
    memcpy(from, S, 2 * slots * sizeof(double));
    for (long j = 0; j < slots; j++) from[2 * slots + j] = 2.0 * S[2 * slots + j];
    for (long j = 0; j < s->moving; j++)
        if (s->kind[j]) from[slots + j] = from[2 * slots + j] = 0.0;
    const double size = 6.0 * norm(s, S + 3 * slots);
    if (!isfinite(size)) return NOT_FINITE;
    if (!(run->h > 0.0)) run->h = smaller(FIRST * run->span, size > 0.0 ? cbrt(run->tol / size) : HUGE_STEP);
    m->h_before = m->made = m->rate = 0.0;
    m->begun = 1;
    m->radau->full = 0;
    run->asked = run->tol;
    return FINISHED;
}

static long integrate(lw_system *s, lw_run *run) { return integrate_implicitly(s, run, radau_begin, radau_step); }
const lw_method lw_method_table = {integrate, 0};
