/* Curves of pieces y = sum of c[m] (x - origin)^m, and cursors: which piece of a curve a run is on.
 *
 * A piece goes on as a polynomial beyond its ends, so a run stays on one while it makes a step, whatever rounding does to x
 * near a knot, and changes over when it has landed there. Before a run has begun, its piece is the one that holds at x.
 */
#ifndef LW_CURVE
#define LW_CURVE
#include <math.h>

typedef struct {
    const double *knots, *origins, *coefficients;
    long count, degree;     /* of knots; of pieces */
    long piece;             /* < 0: the one that holds at x */
    const double *series;   /* of the argument x: `known` coefficients, each `stride` after the one before */
    long stride, known;
    double exit;            /* when x leaves the piece, after the begin of a step, */
    long next;              /* and for which one */
    double period;          /* of a curve that repeats itself, of which three periods are given; else 0 */
    long turn;              /* pieces of a period */
} lw_cursor;

/* by how many periods x is away from a piece: an angle that jumps by a turn goes on where it was */
static inline double find_shift(const lw_cursor *c, long piece, double x) {
    return c->period > 0.0 ? c->period * nearbyint((x - c->origins[piece]) / c->period) : 0.0;
}

static inline long find_piece(const lw_cursor *c, double x) {
    long low = 0, high = c->count;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (c->knots[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* the derivative of this order */
static inline double curve_value(const lw_cursor *c, double x, int order) {
    const long piece = c->piece >= 0 ? c->piece : find_piece(c, x);
    const double *a = c->coefficients + piece * (c->degree + 1), d = x - c->origins[piece] - find_shift(c, piece, x);
    double y = 0.0;
    for (long m = c->degree; m >= order; m--) {
        double factor = 1.0;
        for (long i = 0; i < order; i++) factor *= m - i;
        y = y * d + factor * a[m];
    }
    return y;
}
#endif
