/* What the runtime does for methods other than Taylor series: rk.c, hht.c, radau.c. These are compiled by themselves, when one of
 * them is asked for; both meet by a table of functions, as with core.h. */

enum { MAX_REJECTIONS = 80 };
enum { MOST_CHANGES = 4 }; /* of the pieces of curves in one place */

/* DO(type, name, parameters, arguments) */
#define BASE(DO) \
    DO(long, expand, (lw_system *s, double t, double *S, long order, int first), (s, t, S, order, first)) \
    DO(long, settle, (lw_system *s, lw_run *run, double t, double *S, double *moved, int must), (s, run, t, S, moved, must)) \
    DO(double, normalise, (const lw_system *s, double *e), (s, e)) \
    DO(void, move_followers, (const lw_system *s, double t, double *S, const double *delta), (s, t, S, delta)) \
    DO(int, record, (const lw_system *s, lw_run *run, long buffer), (s, run, buffer)) \
    DO(double, stop_at_switches, (lw_system *s, lw_run *run, const double *S, double h, long *which), (s, run, S, h, which)) \
    DO(int, begins_on_border, (const lw_system *s, const lw_run *run, long law), (s, run, law)) \
    DO(long, cross, (lw_system *s, lw_run *run, double x, double h, long law), (s, run, x, h, law)) \
    DO(double, stop_at_knots, (lw_system *s, double h), (s, h)) \
    DO(void, change_pieces, (lw_system *s, double time), (s, time)) \
    DO(void, find_opaque, (const lw_system *s, double t, double *S), (s, t, S)) \
    DO(void, find_rest, (const lw_system *s, long k, double t, const double *S, double *rho), (s, k, t, S, rho)) \
    DO(long, close_loops, (lw_system *s, double t, double *S, const double *drift), (s, t, S, drift))

typedef struct {
    BASE(MEMBER)
} lw_base;

/* and what a method does for the runtime: the steps, and accelerations at a point that need not be consistent, if it knows */
struct lw_method {
    long (*integrate)(lw_system *s, lw_run *run);
    long (*accelerate)(lw_system *s, lw_run *run, double t, double *S);
};
