/* The runtime: whole integrations by Taylor series, and what other methods (base.h) need. Its subjects are in files of their own,
 * of which this is made up. Few runs have values that are found on the way, of events, switches and algebraic laws: PROGRAMS.
 */
#include "runtime.h"
#include "core.h"
#include "base.h"

#define CALL(type, name, parameters, arguments) \
    static inline type name parameters { return ((const lw_core *)s->core)->name arguments; }
CORE(CALL)

static long expand_loops(lw_system *s, double t, double *S, long order);
static void find_opaque(const lw_system *s, double t, double *S);
static long expand(lw_system *s, double t, double *S, long order, int first) {
    if (s->opaque) find_opaque(s, t, S);
    return s->algebra ? expand_loops(s, t, S, order) : expand_plainly(s, t, S, order, first);
}

#include "pace.h"
#include "inside.h"
#include "invariants.h"
#include "points.h"
#include "knots.h"
#ifdef PROGRAMS
#include "values.h"
#include "algebra.h"
#include "opaque.h"
#include "roots.h"
#include "watch.h"
#else
/* never asked for here */
static long expand_loops(lw_system *s, double t, double *S, long order) { return NOT_FINITE; }
static void find_opaque(const lw_system *s, double t, double *S) {}
static int watch_step(lw_watch *w, double t, double h, const double *rows, long width, long degree, double speed) { return 0; }
static void find_rest(const lw_system *s, long k, double t, const double *S, double *rho) {}
static long close_loops(lw_system *s, double t, double *S, const double *drift) { return NOT_FINITE; }
#endif

/* an acceleration that still differs by this fraction of all there is, in steps so far below the usual, jumps */
static const double JUMPS = 0.2, ABRUPT = 1e-9;
/* a step this short, as a fraction of the run, does no harm however wrong it is: a law may start on its border */
static const double BRIEF = 4e-12;
/* a multiplier's pivot below this makes a point too singular to land on, if there is a choice */
static const double WEAK = 1e-2;
enum { MAX_RETRIES = 20, CALM = 25 }; /* retries are forgotten after so many good steps */

/* whether the pending step was right: its acceleration at the end must be the one found anew there */
static int pending_is_right(lw_system *s, lw_run *run, const double *S) {
    const double h = run->h_last, *begin = s->S[1 - run->current] + 2 * s->slots, *fresh = S + 2 * s->slots;
    for (long j = 0; j < s->moving; j++) s->x[j] = run->acceleration[j] - 2.0 * fresh[j];
    const double lack = norm(s, s->x), largest = larger(2.0 * larger(norm(s, begin), norm(s, fresh)), norm(s, run->acceleration));
    /* rounding is relative to the accelerations themselves */
    const double usual = fmax(run->h_largest, FIRST * run->span);
    run->jumps = lack > JUMPS * largest && lack * usual * usual > run->tol && h > BRIEF * run->span;
    const int wrong = run->jumps || is_too_much(run, lack, largest, h, 100.0 * (double)run->order);
    if (wrong && !(run->step > 0.0)) return 0; /* if its length was given, evidence tells what it is worth */
    if (run->retries && ++run->calm > CALM) run->retries = 0;
    run->h_largest = fmax(run->h_largest, run->h_last);
    run->worst_defect = fmax(run->worst_defect, lack * h * h);
    return 1;
}

/* keep the step from t_last on, made from the series in a buffer; whether an event stops the run in it */
static int record(const lw_system *s, lw_run *run, long buffer) {
    const long i = run->records++, n = run->results ? run->results + 1 : s->moving;
    run->steps++;
    double *to = run->record_S + i * (run->order + 1) * n;
    run->record_t[i] = run->t_last;
    run->record_h[i] = run->h_last;
    if (run->results) hand_over(s, run, s->S[buffer], s->turns[buffer], to);
    for (long k = 0; k <= run->order && !run->results; k++) memcpy(to + k * n, s->S[buffer] + k * s->slots, n * sizeof(double));
    for (long a = 0; a < s->angles && !run->results; a++) to[s->angle[a]] += TURN * s->turns[buffer][a];
    return run->events && watch_step(run->events, run->t_last, run->h_last, to, n, run->order, run->speed);
}

/* make rows 0 and 1 of S[current] consistent at t, and forget the steps before */
static long begin(lw_system *s, lw_run *run) {
    double moved;
    for (long i = 0; i < s->cursors; i++) s->cursor[i]->piece = -1;
    run->landing = run->changes = 0;
    run->retries = run->calm = run->jumps = 0;
    run->h = 0.0;
    run->redundant = 0;
    run->weak = 0.0;
    run->lost = REDUNDANT;
    if (s->algebra) s->algebra->endless = 0;
    run->speed = fmax(1.0 / run->span, norm(s, s->S[run->current] + s->slots));
    run->status = run->method == BAUMGARTE ? run->other->accelerate(s, run, run->t, s->S[run->current])
                                           : settle(s, run, run->t, s->S[run->current], &moved, 1);
    run->weak = run->faint = fmin(WEAK, 1e-2 * run->weakest);
    /* what repeats itself from the start on leaves pivots of rounding that may be larger than this */
    if (!run->redundant && !s->redundant) run->lost = LOST;
    run->growth = GROWTH;
    run->recovery = RECOVERY;
    run->noise = NOISE + ROUNDING / run->weakest;
    run->inertia = run->driven ? find_inertia(s, run->t, s->S[run->current]) : 0.0;
    run->expanded = run->pending = 0;
    run->begun = run->steps;
    return run->status;
}

#ifdef PROGRAMS
#include "switching.h"
#else
static double stop_at_switches(lw_system *s, lw_run *run, const double *S, double h, long *which) { return INFINITY; }
static int begins_on_border(const lw_system *s, const lw_run *run, long law) { return 0; }
static int is_right_before(lw_system *s, lw_run *run, const double *from, double x) { return 1; }
static long cross(lw_system *s, lw_run *run, double x, double h, long law) { return NOT_FINITE; }
#endif
#include "passing.h"

/* take one step of at most `h` from the series at t; the new point goes to the other buffer */
static long take_step(lw_system *s, lw_run *run, double h) {
    double *from = s->S[run->current], *to = s->S[1 - run->current];
    const double smallest = find_smallest(run), begin = run->weakest;
    int must = 0;
    run->trusted = 0;
    run->faint = find_faint(s, run);
    for (int attempt = 0; attempt < MAX_REJECTIONS; attempt++) {
        const double left = run->t_end - run->t;
        const int last = h >= left || is_rest(run, left);
        if (last) h = left;
        else if (h > 0.5 * left && !must && run->step == 0.0) h = 0.5 * left;
        if (h < smallest && !last) return TOO_SMALL;
        const double t = last ? run->t_end : run->t + h;
        double moved;
        evaluate(s, from, run->order, h, to, run->acceleration);
        unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
        const long status = settle(s, run, t, to, &moved, must || run->step > 0.0);
        if (status == ILL) {
            h = pass(s, run, from, to, h, begin);
            must = 1;
            continue;
        }
        if (run->trusted && status == FINISHED) {
            /* what is not regular projects onto rounding: the series is better there */
            evaluate(s, from, run->order, h, to, run->acceleration);
            unwind(s, to, s->turns[run->current], s->turns[1 - run->current]);
            moved = 0.0;
        }
        if (status && run->step > 0.0) return status;
        if (status == FINISHED && (run->step > 0.0 || moved <= 1e3 * run->asked + 1e-10)) {
            run->worst_projection = fmax(run->worst_projection, moved);
            if (!run->redundant && !s->redundant) run->lost = LOST; /* nothing repeats itself all the time */
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


/* -- pieces of curves ------------------------------------------------------------------------------------------------------ */

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
            run->status = expand(s, run->t, S, ended || landed ? 2 : run->order, run->steps == run->begun && !run->pending);
            if (run->status) return run->status;
            if (run->pending && run->trusted) keep_acceleration(s, run, S);
            if (run->pending && !pending_is_right(s, run, S)) {
                run->landing = 0;
                run->status = retry(s, run);
                if (run->status) return run->status;
                run->h = run->h_last; /* the next one is not tried at the length that was wrong */
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
            run->pending = 0;
            if (record(s, run, 1 - run->current)) return run->status = STOPPED;
        }
        if (ended) return run->status = FINISHED;
        if (run->records == run->max_records || (run->records % 16 == 0 && run->records && seconds_now() > deadline))
            return run->status = MORE;
        double h = choose_step(s, run, S);
        if (!isfinite(h)) return run->status = NOT_FINITE;
        if (run->step > 0.0) h = fixed_step(run);
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
        long law = 0;
        const double border = stop_at_switches(s, run, S, knot, &law);
        h = fmin(knot, border);
        note_places(s, run, h);
        run->growth = fmin(GROWTH, (1.0 + run->recovery) * run->growth);
        run->recovery = fmin(RECOVERY, 1.1 * run->recovery);
        if (!(run->step > 0.0)) h = inspect(s, run, S, h);
        if (h >= border && !(run->step > 0.0) && !is_right_before(s, run, S, border)) { reject(run, 1); h = 0.5 * border; }
        if (h >= border) {
            run->status = cross(s, run, border, knot, law);
            if (run->status) return run->status;
            continue;
        }
        run->status = take_step(s, run, h);
        if (run->status) return run->status;
        /* a step that was cut at a knot does not make the next one short */
        run->landing = knot < free && run->h_last >= knot;
        run->h = run->landing ? free : run->h_last;
    }
}

/* -- what the caller does ---------------------------------------------------------------------------------------- */

#define PLACE(type, name, parameters, arguments) name,
static const lw_base base = {BASE(PLACE)};

/* the first thing to call */
long lw_begin(lw_system *s, lw_run *run) {
    s->base = &base;
    return begin(s, run);
}

/* integrate until t_end, or until the records are full or the time slice is over (status MORE) */
long lw_integrate(lw_system *s, lw_run *run) {
    const unsigned before = flush_tiny();
    if (run->other) run->other->integrate(s, run);
    else integrate(s, run);
    restore_tiny(before);
    return run->status;
}

/* -- what the caller asks before it begins ----------------------------------------------------------------------- */

/* instances in a block of a kernel that fill a register */
long lw_width(void) { return WIDE; }

/* sizes of the tables that the caller fills */
void lw_layout(long *size) {
    size[0] = sizeof(lw_term);
    size[1] = sizeof(lw_system);
    size[2] = sizeof(lw_run);
    size[3] = sizeof(lw_cursor);
    size[4] = sizeof(lw_kinematics);
    size[5] = sizeof(lw_stiff);
    size[6] = sizeof(lw_implicit);
    size[7] = sizeof(lw_radau);
    size[8] = sizeof(lw_algebra);
    size[9] = sizeof(lw_opaque);
    size[10] = sizeof(lw_tape);
    size[11] = sizeof(lw_line);
#ifdef PROGRAMS
    size[12] = sizeof(lw_watch);
    size[13] = sizeof(lw_program);
    size[14] = sizeof(lw_step);
#endif
}
