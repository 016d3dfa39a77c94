/* Explicit Runge-Kutta steps of order 8, projected onto the constraints ("rk8") or with Baumgarte's terms instead
 * ("baumgarte"): coefficients and dense output as in tableau.py.
 *
 * Unknowns are positions and followers (row 0) and speeds (row 1); their rates are row 1 and the accelerations that the
 * saddle-point problem gives. A step becomes a series like any other: its polynomials about its begin.
 */
#include "method.h"
#include "tableau.h"

enum { RK_STAGES = 12, RK_END = 12, RK_INNER = 13, RK_MORE = 16, RK_ALL = 18, RK_KNOWN = 7, RK_ROWS = 3 };
static const int RK_PLACED[RK_KNOWN] = {0, 13, 14, 15, 16, 17, 12}; /* stages at the places of the dense output */
static const int RK_BEFORE[6] = {0, 13, 14, 15, 12, 16};            /* five are known before the two more, then one of these */
static const double RK_SAFETY = 0.9, RK_SHRINK = 0.2, RK_GROW = 6.0;
static const double RK_STEADY = 0.03; /* how much the error before counts in the choice of a step */
static const double RK_INSIDE = 100.0; /* tolerances: what five places may miss at two more, where seven are right */
static const double RK_BEFORE_BORDER = 1e-6; /* of the way to the border of a law: so far before it a step ends */
static const double RK_BRIEF = 1e-10;        /* of usual steps: a way to a border so short that nothing can be wrong in it */
static const double RK_SPOILED = 1e3;        /* tolerances of error: the law beyond a border is felt so much that it tells not where */
enum { RK_APPROACHES = 12 };                 /* tries of a step that is to end before a border */
enum { RK_ATTEMPTS = 60, RK_WILLING = 4 }; /* after so many rejections a nearly singular point is taken */

/* where rates of stages are kept: of row 0 (V) and of row 1 (A; multipliers stand in their slots there), and the scratch */
static double *rk_V(const lw_system *s, int stage) { return s->stages + (2 * stage) * s->slots; }
static double *rk_A(const lw_system *s, int stage) { return s->stages + (2 * stage + 1) * s->slots; }
static double *rk_scratch(const lw_system *s) { return s->stages + 2 * RK_ALL * s->slots; }

/* the matrix at a point, factorised; constraints that turn out redundant are softened */
static long rk_factorise(lw_system *s, lw_run *run, double t, const double *S) {
    s->soft = SOFTER;
    for (int again = 0;; again++) {
        assemble(s, t, S, s->F);
        const long culprit = factorise(s, run);
        if (culprit >= 0) { run->culprit = culprit; return NO_INERTIA; }
        if (!run->redundant || s->redundant || again) return FINISHED;
        s->redundant = 1;
    }
}

/* algebraic values have no rates */
static void rk_still(const lw_system *s, double *S) {
    for (long i = 0; s->algebra && i < s->algebra->count; i++) S[s->slots + s->algebra->slot[i]] = 0.0;
}

/* Rows 0 and 1 of S are given: row 2 and the multipliers of row 0. Constraints obey
 *     g'' + 2 alpha g' + beta^2 g = 0   of positions,    h' + 2 alpha h = 0   of velocities,
 * with alpha = beta = 0 unless Baumgarte's terms are asked for. */
static long rk_accelerate(lw_system *s, lw_run *run, double t, double *S) {
    double *R = s->R, *place = S, *top = S + 2 * s->slots;
    const double by_kind[] = {[COORDINATE] = -1.0, [HOLONOMIC] = -2.0, [VELOCITY] = -1.0};
    for (long i = 0; i < s->multipliers; i++)
        for (int row = 0; row < RK_ROWS; row++) S[row * s->slots + s->multiplier[i]] = 0.0;
    rk_still(s, S);
    memset(top, 0, s->slots * sizeof(double));
    const long status = rk_factorise(s, run, t, S);
    if (status) return status;
    for (long i = 0; i < s->multipliers; i++) s->drift[i] = 0.0;
    for (long k = -2; k < 0; k++) {
        run_stage(s, k, t, S);
        for (long i = 0; i < s->multipliers; i++) {
            const int j = s->multiplier[i];
            if (s->kind[j] == HOLONOMIC || k == -1) s->drift[i] += (k == -2 ? run->beta * run->beta : 2.0 * run->alpha) * R[j];
        }
    }
    if (s->opaque) find_opaque(s, t, S);
    if (s->algebra) {
        const long closed = close_loops(s, t, S, s->drift);
        correct_followers(s, 1, t, S);
        return closed;
    }
    run_stage(s, 0, t, S);
    for (long j = 0; j < s->unknowns; j++) R[j] *= by_kind[s->kind[j]];
    for (long i = 0; i < s->multipliers; i++) {
        const int j = s->multiplier[i];
        R[j] -= s->drift[i];
        place[j] = s->weight[j] * R[j];
    }
    if (s->redundant) solve_redundant(s, R);
    else solve(s, R);
    for (long j = 0; j < s->unknowns; j++) {
        if (s->kind[j]) place[j] += R[j];
        else top[j] = 0.5 * R[j];
    }
    correct_followers(s, 1, t, S);
    return FINISHED;
}

/* Make a point consistent, unless Baumgarte's terms hold it together, and find its accelerations. */
static long rk_settle(lw_system *s, lw_run *run, double t, double *S, double *moved, int must) {
    if (run->method == BAUMGARTE) {
        *moved = normalise(s, S);
        return rk_accelerate(s, run, t, S);
    }
    for (long i = 0; i < s->multipliers; i++) S[s->multiplier[i]] = S[s->slots + s->multiplier[i]] = 0.0;
    rk_still(s, S);
    const long status = settle(s, run, t, S, moved, must);
    return status ? status : expand(s, t, S, 2, 0);
}

/* what stages need of a point: V and A from its rows */
static void rk_note(const lw_system *s, const double *S, int stage) {
    double *V = rk_V(s, stage), *A = rk_A(s, stage);
    const double *place = S, *rate = S + s->slots, *half = S + 2 * s->slots;
    for (long j = 0; j < s->moving; j++) { V[j] = rate[j]; A[j] = s->kind[j] ? place[j] : 2.0 * half[j]; }
}

/* rows 0 and 1 of the scratch: the begin of the step and `weight` times h times the rates of some stages */
static double *rk_combine(const lw_system *s, const double *begin, const double *weight, int stages, double h) {
    double *W = rk_scratch(s), *q = W, *u = W + s->slots;
    memcpy(W, begin, 2 * s->slots * sizeof(double));
    for (int i = 0; i < stages; i++) {
        const double factor = h * weight[i], *V = rk_V(s, i), *A = rk_A(s, i);
        if (weight[i] == 0.0) continue;
        for (long j = 0; j < s->moving; j++) { q[j] += factor * V[j]; u[j] += factor * A[j]; }
    }
    return W;
}

/* rates of one stage of a step of length h from the point at the begin */
static long rk_stage(lw_system *s, lw_run *run, int stage, double h) {
    double *W = rk_combine(s, s->S[run->current], RK_COUPLING[stage], stage, h);
    const long status = rk_accelerate(s, run, run->t + RK_NODES[stage] * h, W);
    if (!status) rk_note(s, W, stage);
    return status;
}

/* the error of positions and speeds that these weights estimate, in tolerances */
static double rk_size(const lw_system *s, const lw_run *run, const double *weight, double h) {
    double *W = rk_scratch(s);
    memset(W, 0, 2 * s->slots * sizeof(double));
    for (int i = 0; i < RK_STAGES; i++) {
        const double *V = rk_V(s, i), *A = rk_A(s, i), factor = h * weight[i];
        for (long j = 0; j < s->moving; j++) { W[j] += factor * V[j]; W[s->slots + j] += factor * A[j]; }
    }
    for (long j = s->unknowns; j < s->moving; j++) W[s->slots + j] = 0.0; /* rates of followers follow */
    return (norm(s, W) + norm(s, W + s->slots) / run->speed) / run->tol;
}

/* stages of a step of length h; its error in tolerances */
static long rk_try(lw_system *s, lw_run *run, double h, double *error) {
    for (int stage = 1; stage < RK_STAGES; stage++) {
        const long status = rk_stage(s, run, stage, h);
        if (status) return status;
    }
    const double fifth = rk_size(s, run, RK_ERROR_5, h), third = rk_size(s, run, RK_ERROR_3, h);
    *error = fifth > 0.0 ? fifth * (fifth / hypot(fifth, 0.1 * third)) : fifth;
    return isfinite(*error) ? FINISHED : NOT_FINITE;
}

/* the point at the end of a step, consistent if it is projected, with its accelerations */
static long rk_land(lw_system *s, lw_run *run, double t, double h, double *moved, int must) {
    double *to = s->S[1 - run->current];
    memcpy(to, rk_combine(s, s->S[run->current], RK_WEIGHTS, RK_STAGES, h), 2 * s->slots * sizeof(double));
    unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
    return rk_settle(s, run, t, to, moved, must);
}

/* what a look inside a step found: how much acceleration the inner stages lack at the two more places, and how much
 * there is; the same of multipliers, first by five places, then by six */
typedef struct {
    double lack, largest, force_lack[2], force;
    double value_lack[2]; /* of algebraic values, each beside itself */
} rk_inside;

/* How much algebraic values lack a time dt after `begin`, where `guess` is by how much they are wrong: beside what they are, or a share of
 * the largest. Reactions and accelerations that pass zero, where rounding is all they have, count as a share of what they become while
 * things move by their own size. */
static double rk_value_lack(const lw_system *s, const lw_run *run, const double *guess, const double *A, const double *begin, double dt) {
    double most = 0.0, lack = 0.0;
    for (long i = 0; s->algebra && i < s->algebra->count; i++) most = larger(fabs(A[s->algebra->slot[i]]), most);
    for (long i = 0; most > 0.0 && i < s->algebra->count; i++) {
        const int j = s->algebra->slot[i];
        const double ahead = i < s->algebra->mirrored ? fabs(A[j] - begin[j]) / (dt * run->speed) : 0.0;
        lack = larger(fabs(guess[j]) / (fabs(A[j]) + VALUE_SHARE * (most + ahead)), lack);
    }
    return lack;
}

/* what seven places lack is to what six do as that is to what five do */
static double rk_extrapolate(const double *lack) { return lack[1] * smaller(1.0, lack[0] > 0.0 ? lack[1] / lack[0] : 1.0); }


/* rates at the inner stages and at the two more places */
static long rk_look_inside(lw_system *s, lw_run *run, double h, rk_inside *inside) {
    const double *q = s->S[run->current], *u = q + s->slots, *V1 = rk_V(s, RK_END);
    double *W = rk_scratch(s), *guess = run->acceleration;
    rk_note(s, s->S[1 - run->current], RK_END);
    for (int stage = RK_INNER; stage < RK_MORE; stage++) {
        const long status = rk_stage(s, run, stage, h);
        if (status) return status;
    }
    inside->lack = inside->largest = inside->force = 0.0;
    for (int i = 0; i < RK_ALL - RK_MORE; i++) {
        const double x = RK_NODES[RK_MORE + i];
        memcpy(W, q, s->slots * sizeof(double));
        for (long j = 0; j < s->moving; j++) {
            if (s->kind[j]) {
                W[s->slots + j] = guess[j] = 0.0;
                if (s->kind[j] != VALUE) W[j] = 0.0;
                for (int k = 0; k < 6; k++) guess[j] += RK_FORECAST[i][k] == 0.0 ? 0.0 : RK_FORECAST[i][k] * rk_A(s, RK_BEFORE[k])[j];
                continue;
            }
            const double change = V1[j] - u[j];
            double place = RK_PLACE[i][0] * change, speed = RK_SPEED[i][0] * change, slope = RK_SLOPE[i][0] * change / h;
            for (int k = 0; k < 5; k++) {
                const double a = rk_A(s, RK_BEFORE[k])[j];
                place += h * RK_PLACE[i][k + 1] * a;
                speed += h * RK_SPEED[i][k + 1] * a;
                slope += RK_SLOPE[i][k + 1] * a;
            }
            W[j] = q[j] + h * (x * u[j] + place);
            W[s->slots + j] = u[j] + speed;
            guess[j] = slope;
        }
        const long status = rk_accelerate(s, run, run->t + x * h, W);
        if (status) return status;
        rk_note(s, W, RK_MORE + i);
        const double *A = rk_A(s, RK_MORE + i);
        inside->largest = larger(norm(s, A), inside->largest);
        inside->force = larger(multiplier_norm(s, A), inside->force);
        for (long j = 0; j < s->moving; j++) guess[j] -= A[j];
        inside->lack = larger(norm(s, guess), inside->lack);
        inside->force_lack[i] = multiplier_norm(s, guess);
        inside->value_lack[i] = rk_value_lack(s, run, guess, A, q, x * h);
    }
    return FINISHED;
}

/* The series of the step: accelerations and multipliers through their values at the seven places. Integrated twice from
 * the begin they miss the end by the error of the step and what a projection moved, which a correction removes:
 *     d (10 x^3 - 15 x^4 + 6 x^5) + h d' (-4 x^3 + 7 x^4 - 3 x^5)     in the part x of the step;
 * not what rounding leaves, whose second derivative would be noise in short steps. */
static void rk_make_series(lw_system *s, lw_run *run, double h) {
    static const double TURN = 6.283185307179586;
    double *S = s->S[run->current], *gap = run->acceleration;
    const double *end = s->S[1 - run->current];
    const long width = s->slots;
    for (long j = 0; j < s->moving; j++) gap[j] = 0.0;
    for (long i = 0; i < s->angles; i++) gap[s->angle[i]] = TURN * (s->turns[1 - run->current][i] - s->turns[run->current][i]);
    for (long j = 0; j < s->moving; j++) {
        double value[RK_KNOWN], once = 0.0, twice = 0.0, power = 1.0;
        for (int i = 0; i < RK_KNOWN; i++) {
            value[i] = rk_A(s, RK_PLACED[i])[j];
            once += RK_ONCE[i] * value[i];
            twice += RK_TWICE[i] * value[i];
        }
        const double q = S[j], u = S[width + j];
        double d = ((end[j] - q) + gap[j]) - h * (u + h * twice), d1 = (end[width + j] - u) - h * once;
        for (int k = 0; k < RK_KNOWN; k++, power /= h) {
            double c = 0.0;
            for (int i = 0; i < RK_KNOWN; i++) c += RK_POLYNOMIAL[k][i] * value[i];
            if (s->kind[j]) S[k * width + j] = c * power;
            else if (k) S[(k + 2) * width + j] = c * power / (double)((k + 1) * (k + 2));
        }
        if (s->kind[j]) continue;
        if (fabs(d) <= ROUNDING * (fabs(q) + fabs(end[j]) + fabs(gap[j]))) d = 0.0;
        if (fabs(d1) <= ROUNDING * (fabs(u) + fabs(end[width + j]))) d1 = 0.0;
        const double cube = 1.0 / (h * h * h);
        S[3 * width + j] += (10.0 * d - 4.0 * h * d1) * cube;
        S[4 * width + j] += (-15.0 * d + 7.0 * h * d1) * cube / h;
        S[5 * width + j] += (6.0 * d - 3.0 * h * d1) * cube / (h * h);
    }
}

/* how many times as long the next step may be, by the errors of this one and of the one before */
static double rk_factor(const lw_run *run, double error) {
    const double order = RK_STAGES - 4, e = larger(error, 1e-10);
    const double factor = RK_SAFETY * pow(e, -1.0 / order + 0.75 * RK_STEADY) * pow(larger(run->error_last, 1e-4), RK_STEADY);
    return smaller(RK_GROW, larger(RK_SHRINK, factor));
}

/* What lacks inside a step of length h, in what is allowed; rounding does not count. Drivers do work by multipliers: what
 * seven places lack of them is to six as six are to five. */
static double rk_judge(const lw_system *s, const lw_run *run, const rk_inside *inside, double h) {
    const double beyond = larger(inside->lack - run->noise * inside->largest, 0.0), allowed = RK_INSIDE * run->tol;
    double motion = larger(beyond * h * h / (allowed + 1e-12), beyond * h / ((LEFT_OUT * allowed + 1e-12) * run->speed));
    if (s->algebra) motion = larger(motion, rk_extrapolate(inside->value_lack) / (INSIDE * run->tol + run->noise));
    const double force = find_force(run, inside->force);
    if (!run->driven || s->redundant || force == 0.0) return motion;
    return larger(motion, rk_extrapolate(inside->force_lack) / force / (INSIDE * run->tol + run->noise));
}

/* a first guess: a step after which speeds and accelerations alone would move things by a tolerance of order 8 */
static double rk_first_step(const lw_system *s, const lw_run *run) {
    const double *S = s->S[run->current];
    const double u = norm(s, S + s->slots), a = 2.0 * norm(s, S + 2 * s->slots);
    const double rate = larger(larger(u, a / run->speed), 1.0 / run->span);
    return smaller(FIRST * run->span, pow(run->tol, 0.125) / rate);
}

/* the knot of a curve inside the step from the series just made, or its whole length */
static double rk_stop_at_knots(lw_system *s, lw_run *run, double h) {
    if (!s->cursors) return h;
    for (long k = -2; k + 2 <= run->order; k++) run_terms(s, k, run->t, s->S[run->current]);
    return stop_at_knots(s, h);
}

/* keep the step whose series stands in S[current] and whose end in the other */
static long rk_keep(lw_system *s, lw_run *run, double t, double h) {
    run->t_last = run->t;
    run->h_last = h;
    run->t = t;
    run->current = 1 - run->current;
    const int stopped = record(s, run, 1 - run->current);
    run->h_largest = fmax(run->h_largest, h);
    if (!run->redundant && !s->redundant) run->lost = LOST;
    return stopped ? STOPPED : FINISHED;
}

/* end the step on a knot and change over to the pieces beyond */
static long rk_land_on_knot(lw_system *s, lw_run *run, double knot) {
    double *to = s->S[1 - run->current], moved = 0.0;
    const double t = run->t + knot;
    if (knot > find_smallest(run)) {
        evaluate(s, s->S[run->current], run->order, knot, to, run->acceleration);
        unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
        run->changes = 0;
    } else if (run->changes++ == MOST_CHANGES) return JUMP;
    change_pieces(s, knot + 2.0 * find_smallest(run));
    if (knot <= find_smallest(run)) return rk_settle(s, run, run->t, s->S[run->current], &moved, 1);
    const long status = rk_settle(s, run, t, to, &moved, 1);
    return status ? status : rk_keep(s, run, t, knot);
}

/* where in a step laws do what its series does not show; INFINITY: nowhere. See inside.h. */
static double rk_find_hidden(lw_system *s, lw_run *run, double h) {
    double *W = rk_scratch(s), *a = run->acceleration, largest;
    const double *S = s->S[run->current];
    if (!note_places_along(s, run, S, h)) return INFINITY;
    for (int i = 0; i < PLACES; i++) {
        const double x = run->place[i];
        if (!(x < h)) continue;
        evaluate(s, S, run->order, x, W, a);
        if (rk_accelerate(s, run, run->t + x, W)) return x;
        largest = norm(s, a);
        for (long j = 0; j < s->moving; j++) a[j] -= 2.0 * W[2 * s->slots + j];
        if (is_too_much(run, norm(s, a), largest, h, INSIDE)) return x;
    }
    return INFINITY;
}

/* what a try of a step is worth: its error in tolerances, what a projection moved, what was found inside; where a curve
 * has a knot and where a law switches, if that is within it */
typedef struct {
    double error, moved, knot, border, hidden;
    long law;
    rk_inside inside;
} rk_made;

/* Try a step of length h to the time t: its stages and, unless it is to be rejected, its end and its series. If laws switch
 * the series is made at once, since it tells where. */
static long rk_make(lw_system *s, lw_run *run, double t, double h, int must, rk_made *made) {
    made->border = made->hidden = INFINITY;
    long status = rk_try(s, run, h, &made->error);
    if (status || (made->error > 1.0 && run->step == 0.0 && !run->switches)) return status;
    status = rk_land(s, run, t, h, &made->moved, must);
    if (!status) status = rk_look_inside(s, run, h, &made->inside);
    if (status) return status;
    made->error = larger(rk_judge(s, run, &made->inside, h), made->error);
    if (made->moved > 1e3 * run->tol + 1e-10) made->error = larger(made->error, 2.0);
    if (made->error > 1.0 && run->step == 0.0 && !run->switches) return FINISHED;
    rk_make_series(s, run, h);
    if (made->error <= 1.0 && run->step == 0.0) made->hidden = rk_find_hidden(s, run, h);
    made->knot = rk_stop_at_knots(s, run, h);
    made->border = stop_at_switches(s, run, s->S[run->current], made->knot, &made->law);
    return FINISHED;
}

/* keep a step that was made, up to the first knot inside it */
static long rk_take(lw_system *s, lw_run *run, double t, double h, const rk_made *made) {
    run->h = fmax(run->h, h * rk_factor(run, made->error));
    if (made->knot < h) return rk_land_on_knot(s, run, made->knot);
    run->error_last = made->error;
    run->changes = 0;
    run->worst_projection = fmax(run->worst_projection, made->moved);
    run->worst_defect = fmax(run->worst_defect, made->inside.lack * h * h);
    return rk_keep(s, run, t, h);
}

/* One step, as long as its error allows or as is asked. Stages beyond the border of a law feel another law, and what they
 * say of the part before is wrong: so a step ends a little before the border, and the next ones again, until what is left
 * of the way is so short that nothing can be wrong in it; never is a border crossed by a step whose error is too large. */
static long rk_step(lw_system *s, lw_run *run) {
    const double smallest = find_smallest(run), left = run->t_end - run->t;
    const double brief = fmax(RK_BRIEF * fmax(run->h_largest, FIRST * run->span), 4.0 * smallest);
    const int fixed = run->step > 0.0;
    double *S = s->S[run->current], h = fixed ? fixed_step(run) : run->h > 0.0 ? run->h : rk_first_step(s, run);
    const double rates[] = {norm(s, S + s->slots), norm(s, S + 2 * s->slots), 0.0};
    long status = TOO_SMALL;
    int approaches = 0;
    run->asked = run->tol;
    run->h = 0.0;
    if (!isfinite(rates[0]) || !isfinite(rates[1])) return NOT_FINITE;
    rk_note(s, S, 0);
    for (int attempt = 0; attempt < RK_ATTEMPTS; attempt++) {
        rk_made made = {0};
        if (!fixed) h = fmin(h, run->h_max);
        const int last = h >= left * (1.0 - 1e-12) || is_rest(run, left);
        if (last) h = left;
        else if (!fixed && h > 0.5 * left) h = 0.5 * left;
        if (h < smallest && !last) return status == NOT_FINITE || status == JAMMED ? status : TOO_SMALL;
        const double t = last ? run->t_end : run->t + h;
        run->speed = find_speed(run, rates, h);
        status = rk_make(s, run, t, h, fixed || last || attempt >= RK_WILLING, &made);
        if (!status && made.border <= made.knot) {
            const int near = made.border <= brief || begins_on_border(s, run, made.law) || approaches++ >= RK_APPROACHES;
            if (near && (made.error <= 1.0 || fixed || h <= brief)) return cross(s, run, made.border, made.knot, made.law);
            if (approaches == 1) run->h = fmax(run->h, h); /* a step that ends at a border does not make the next one short */
            h = near || made.error > RK_SPOILED ? 0.5 * h : made.border * (1.0 - RK_BEFORE_BORDER);
            continue;
        }
        if (!status && made.hidden < h) { reject(run, 1); h = BEFORE_HIDDEN * made.hidden; continue; }
        if (!status && (fixed || made.error <= 1.0)) return rk_take(s, run, t, h, &made);
        if (fixed) return status;
        reject(run, 1);
        h *= !status && made.error > 1.0 ? smaller(0.9, rk_factor(run, made.error)) : attempt < 4 ? 0.7 : 0.25;
    }
    return TOO_SMALL;
}

static long rk_integrate(lw_system *s, lw_run *run) {
    const double deadline = seconds_now() + run->seconds;
    run->records = 0;
    for (;;) {
        if (!run->expanded) {
            double *S = s->S[run->current];
            run->status = run->method == BAUMGARTE ? rk_accelerate(s, run, run->t, S)
                                                   : expand(s, run->t, S, 2, run->steps == run->begun);
            if (run->status) return run->status;
            run->expanded = 1;
        }
        if (run->t >= run->t_end) return run->status = FINISHED;
        if (run->records == run->max_records || (run->records % 16 == 0 && run->records && seconds_now() > deadline))
            return run->status = MORE;
        run->status = rk_step(s, run);
        if (run->status) return run->status;
    }
}

const lw_method lw_method_table = {rk_integrate, rk_accelerate};
