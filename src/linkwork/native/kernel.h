/* Arithmetic on blocks of instances and on their Taylor series.
 *
 * A block holds LANES instances of a kernel side by side; a value is one vector of LANES numbers. Every kernel defines
 * LANES and includes this file.
 */
#include "lanes.h"
#include "curve.h"

/* How the functions on series are made: part of each formula, or apart, to compile quickly with little optimisation. */
#ifdef SERIES_APART
#define SERIES APART
#else
#define SERIES PART
#endif

PART v gather(const double *from, const int *place) {
    v y;
#define READ(l) LANE(y, l) = from[place[l]]
    EACH_LANE(READ)
    return y;
}

PART void scatter(double *to, const int *place, v x) {
#define ADD(l) to[place[l]] += LANE(x, l)
    EACH_LANE(ADD)
}

PART void put(double *to, const int *place, v x) {
#define WRITE(l) to[place[l]] = LANE(x, l)
    EACH_LANE(WRITE)
}

/* many of them at once: a loop is quicker to compile than all of them written out */
APART void gather_all(const double *from, const int *place, v *to, long count) {
    double *x = (double *)to;
#define READ_NEXT(l) memcpy(x + l, from + place[l], sizeof(double))
    for (long i = 0; i < count; i++, x += LANES, place += LANES) { EACH_LANE(READ_NEXT) }
}

APART void scatter_all(double *to, const int *place, const v *from, long count) {
    const double *x = (const double *)from;
#define ADD_NEXT(l) to[place[l]] += x[l]
    for (long i = 0; i < count; i++, x += LANES, place += LANES) { EACH_LANE(ADD_NEXT) }
}

/* a curve; the cursor comes as the bits of its address */
APART double value_at(double address, double x, int order) {
    const lw_cursor *c;
    memcpy(&c, &address, sizeof c);
    return curve_value(c, x, order);
}

PART v v_curve(v cursor, v a, int order) {
    v r;
    ALL_LANES LANE(r, l) = value_at(LANE(cursor, l), LANE(a, l), order);
    return r;
}

/* The coefficients of a series are `step` numbers apart: those of one order lie side by side. */

/* sum of x[i] y[n-i] for i = first .. last, in four interleaved sums to keep the pipeline full */
PART v sweep(const v *x, const v *y, long step, long n, long first, long last) {
    v a = ZERO, b = ZERO, c = ZERO, d = ZERO;
    long i = first;
    x += first * step;
    y += (n - first) * step;
    for (; i + 3 <= last; i += 4, x += 4 * step, y -= 4 * step) {
        a += x[0] * y[0];
        b += x[step] * y[-step];
        c += x[2 * step] * y[-2 * step];
        d += x[3 * step] * y[-3 * step];
    }
    for (; i <= last; i++, x += step, y -= step) a += x[0] * y[0];
    return (a + b) + (c + d);
}

/* coefficient n of x y */
SERIES v series_mul(const v *x, const v *y, long step, long n) { return sweep(x, y, step, n, 0, n); }

/* coefficient n of x^2: the terms come in equal pairs */
SERIES v series_square(const v *x, long step, long n) {
    v s = 2.0 * sweep(x, x, step, n, 0, (n - 1) / 2 - (n == 0));
    return n % 2 ? s : s + x[n / 2 * step] * x[n / 2 * step];
}

/* coefficient n of z = x / y, from z y = x */
SERIES v series_div(v x, const v *y, const v *z, long step, long n) {
    return n ? (x - sweep(y, z, step, n, 1, n)) / y[0] : x / y[0];
}

/* coefficient n of z = sqrt(x), from z z = x */
SERIES v series_sqrt(v x, const v *z, long step, long n) {
    if (!n) return v_sqrt(x);
    v s = 2.0 * sweep(z, z, step, n, 1, (n - 1) / 2);
    if (n % 2 == 0) s += z[n / 2 * step] * z[n / 2 * step];
    return (x - s) / (2.0 * z[0]);
}

/* coefficient n of z = x^p, from x z' = p z x' */
SERIES v series_pow(const v *x, const v *z, double p, long step, long n) {
    if (!n) return v_pow(x[0], fill(p));
    v s = ZERO;
    for (long i = 1; i <= n; i++) s += (p * i - (n - i)) * (x[i * step] * z[(n - i) * step]);
    return s / ((double)n * x[0]);
}

/* coefficient n >= 1 of z, from z' = f x' */
SERIES v series_rate(const v *f, const v *x, long step, long n) {
    v a = ZERO, b = ZERO;
    long i = 1;
    for (; i + 1 <= n; i += 2) {
        a += (double)i * (x[i * step] * f[(n - i) * step]);
        b += (double)(i + 1) * (x[(i + 1) * step] * f[(n - i - 1) * step]);
    }
    if (i <= n) a += (double)i * (x[i * step] * f[(n - i) * step]);
    return (a + b) / (double)n;
}
