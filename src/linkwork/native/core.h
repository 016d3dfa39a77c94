/* What the inner loops, in core.c, do for all other files. They are compiled by themselves, for speed; the others run a few times
 * a step, so that to compile them quickly is worth more. Both meet by a table of functions. */

/* a multiplier's pivot below this fraction of what it was made of means a redundant constraint at the start; on the way
 * only what rounding leaves of a pivot does, since a motion may come near a singular position and turn there */
static const double REDUNDANT = 1e-10, LOST = 1e-14;

/* E, relative to the natural size 1/W of the block it replaces; the effect on the motion falls by this factor with
 * each refinement, and what rounding leaves in the redundant directions grows by its inverse */
static const double SOFT = 1e-9;
/* stages of explicit methods are off the constraints by some distance d, where redundant ones are independent after all, by
 * about d, and contradict each other, by about d: that adds d^2/E to the accelerations, so E is larger there */
static const double SOFTER = 1e-6;

/* DO(type, name, parameters, arguments) */
#define CORE(DO) \
    DO(void, assemble, (const lw_system *s, double t, const double *S, double *F), (s, t, S, F)) \
    DO(void, find_residual, (const lw_system *s, const double *b, const double *x, double *r), (s, b, x, r)) \
    DO(long, factorise, (lw_system *s, lw_run *run), (s, run)) \
    DO(void, invert, (lw_system *s), (s)) \
    DO(void, solve, (const lw_system *s, double *x), (s, x)) \
    DO(double, solve_any, (const lw_system *s, double *b), (s, b)) \
    DO(double, solve_redundant, (const lw_system *s, double *b), (s, b)) \
    DO(double, correct, (lw_system *s, double *row), (s, row)) \
    DO(double, multiplier_norm, (const lw_system *s, const double *row), (s, row)) \
    DO(void, correct_followers, (const lw_system *s, long k, double t, double *S), (s, k, t, S)) \
    DO(void, advance_followers, (const lw_system *s, long k, double t, double *S), (s, k, t, S)) \
    DO(void, follow, (const lw_system *s, long k, double t, double *S), (s, k, t, S)) \
    DO(void, run_terms, (lw_system *s, long k, double t, const double *S), (s, k, t, S)) \
    DO(void, run_stage, (lw_system *s, long k, double t, double *S), (s, k, t, S)) \
    DO(long, expand_plainly, (lw_system *s, double t, double *S, long order, int first), (s, t, S, order, first)) \
    DO(double, norm, (const lw_system *s, const double *x), (s, x)) \
    DO(void, evaluate, (const lw_system *s, const double *from, long order, double h, double *to, double *acceleration), \
       (s, from, order, h, to, acceleration)) \
    DO(void, hand_over, (const lw_system *s, const lw_run *run, const double *S, const double *turns, double *y), \
       (s, run, S, turns, y)) \
    DO(void, hand_over_row, (const lw_system *s, const lw_run *run, const double *x, double *y), (s, run, x, y))

typedef struct {
#define MEMBER(type, name, parameters, arguments) type (*name) parameters;
    CORE(MEMBER)
} lw_core;
