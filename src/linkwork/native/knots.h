/* Knots of curves: when the argument of a curve leaves its piece, so that a step can end there. */
#include "curve.h"

enum { DIPS = 16, CUTS = 60 }; /* halvings in search of a root that shows at neither end, and of one that does */
static const double BESIDE = 1e-14; /* of what is added up: so near a knot is on it */

static double polynomial_at(const double *p, long count, double x) {
    double y = 0.0;
    for (long i = count - 1; i >= 0; i--) y = y * x + p[i];
    return y;
}

/* The first root of p in (low, high], from a positive value at `low`; INFINITY if there is none. Between two positive
 * values p is positive as well if both exceed bend width^2 / 8, where `bend` is the most that |p''| can be. */
static double first_root(const double *p, long count, double bend, double low, double at_low, double high, double at_high,
                         int dips, int cuts) {
    const double width = high - low, middle = 0.5 * (low + high);
    if (at_high > 0.0 && (dips == 0 || fmin(at_low, at_high) > 0.125 * bend * width * width)) return INFINITY;
    if (cuts == 0 || middle <= low || middle >= high) return at_high > 0.0 ? INFINITY : high;
    const double at_middle = polynomial_at(p, count, middle);
    const int fewer = dips > 0 ? dips - 1 : 0;
    const double root = first_root(p, count, bend, low, at_low, middle, at_middle, fewer, cuts - 1);
    return isfinite(root) ? root : first_root(p, count, bend, middle, at_middle, high, at_high, fewer, cuts - 1);
}

/* When x passes a knot from the side it is on (side = 1: from below), within h; 0 if it is on the knot and goes beyond.
 * `size` is what the terms of x can add up to within h. */
static double pass_knot(const lw_cursor *c, double knot, double side, double h, double size) {
    double distance[c->known], *p = distance, power = h, bend = 0.0;
    long count = c->known;
    for (long i = 0; i < count; i++) p[i] = -side * c->series[i * c->stride];
    p[0] = side * (knot - c->series[0]);
    if (p[0] <= BESIDE * (fabs(knot) + size)) {
        /* on the knot: the first term that counts says where x goes; where it comes back, the rest without its power
         * of time is zero */
        p++, count--;
        while (count > 1 && !(fabs(*p) * power > BESIDE * size)) { p++, count--; power *= h; }
        if (*p < 0.0) return 0.0;
        if (*p == 0.0) return INFINITY;
    }
    power = 1.0;
    for (long i = 2; i < count; i++, power *= h) bend += (double)(i * (i - 1)) * fabs(p[i]) * power;
    return first_root(p, count, bend, 0.0, p[0], h, polynomial_at(p, count, h), DIPS, CUTS);
}

/* when the argument leaves its piece within h, and for which; INFINITY if it stays */
static void find_exit(lw_cursor *c, double h) {
    double size = 0.0, power = h;
    for (long i = 1; i < c->known; i++, power *= h) size += fabs(c->series[i * c->stride]) * power;
    const double x = c->series[0], shift = find_shift(c, c->piece, x);
    c->exit = INFINITY;
    if (c->piece < c->count && !(x + size < c->knots[c->piece] + shift)) {
        c->exit = pass_knot(c, c->knots[c->piece] + shift, 1.0, h, size);
        c->next = c->piece + 1;
    }
    if (c->piece > 0 && !(x - size > c->knots[c->piece - 1] + shift)) {
        const double exit = pass_knot(c, c->knots[c->piece - 1] + shift, -1.0, h, size);
        if (exit < c->exit) { c->exit = exit; c->next = c->piece - 1; }
    }
    /* of a curve that repeats itself the middle period is as good as any */
    if (c->turn && c->exit < INFINITY) c->next = c->turn + c->next % c->turn;
}
