/* Watched values: programs of a few quantities along the polynomials of a step, as numbers and as Taylor series.
 *
 * They are tables of recurrences, run one instance after the other: nothing has to be compiled for an expression that
 * somebody watches. The polynomials of the quantities they read lie in X (orders, columns).
 */
#define LANES 1
#define SERIES_APART
#include "kernel.h"

enum {
    OP_CONST, OP_TIME, OP_PLACE, OP_SPEED, OP_ACCELERATION, OP_ADD, OP_SUB, OP_NEG, OP_SCALE, OP_MUL, OP_SQUARE, OP_DIV, OP_SQRT, OP_POW,
    OP_ABS, OP_SIGN, OP_MIN, OP_MAX, OP_LESS, OP_LESS_EQUAL, OP_SELECT, OP_PIECE, OP_CURVE, OP_EXP, OP_LOG, OP_SIN, OP_COS,
    OP_TAN, OP_TANH, OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2
};

/* one recurrence; a function is f' = sum of c phi x' over its pairs */
typedef struct {
    int op, a, b, c;              /* the recurrences it reads */
    int place;                    /* of a quantity, of a parameter (-1: the number `value`), or of a cursor */
    int pair, pairs;
    double value;                 /* a number, an exponent, or which derivative of a curve */
} lw_step;

typedef struct {
    double c;
    int phi, x;
} lw_pair;

/* a program and its instances */
struct lw_program {
    long steps, results, instances, inputs, columns, cursors, first; /* first: number of its first value */
    const lw_step *step;
    const lw_pair *pair;
    const int *result;            /* recurrences that are its values */
    const int *from;              /* (instances, inputs): columns of X */
    const double *par;            /* (instances, columns) */
    lw_cursor *cursor;            /* (instances, cursors), each with the series of its argument in `work` */
    double *work;                 /* (steps, capacity) */
    long hides;                   /* whether its series may show nothing of what it does */
};

/* the value of a function at its arguments */
static double start_value(const lw_step *s, const lw_cursor *cursor, double x, double y) {
    switch (s->op) {
    case OP_PIECE: case OP_CURVE: return curve_value(cursor + s->place, y, (int)s->value);
    case OP_EXP: return exp(x);
    case OP_LOG: return log(x);
    case OP_SIN: return sin(x);
    case OP_COS: return cos(x);
    case OP_TAN: return tan(x);
    case OP_TANH: return tanh(x);
    case OP_ASIN: return asin(x);
    case OP_ACOS: return acos(x);
    case OP_ATAN: return atan(x);
    case OP_ATAN2: return atan2(x, y);
    }
    return NAN;
}

/* coefficient n of one recurrence; w: stored coefficients, X: polynomials of the quantities */
static double coefficient(const lw_program *p, const lw_step *s, double *w, double *me, long capacity, long n, double t,
                          const double *X, long columns, const int *from, const double *par, const lw_cursor *cursor) {
    const double *a = w + s->a * capacity, *b = w + s->b * capacity, *c = w + s->c * capacity;
    switch (s->op) {
    case OP_CONST: return n ? 0.0 : s->place < 0 ? s->value : par[s->place];
    case OP_TIME: return n == 0 ? t : n == 1;
    case OP_PLACE: return X[n * columns + from[s->place]];
    case OP_SPEED: return (double)(n + 1) * X[(n + 1) * columns + from[s->place]];
    case OP_ACCELERATION: return (double)((n + 1) * (n + 2)) * X[(n + 2) * columns + from[s->place]];
    case OP_ADD: return a[n] + b[n];
    case OP_SUB: return a[n] - b[n];
    case OP_NEG: return -a[n];
    case OP_SCALE: return a[0] * b[n];
    case OP_MUL: return series_mul(a, b, 1, n);
    case OP_SQUARE: return series_square(a, 1, n);
    case OP_DIV: return series_div(a[n], b, me, 1, n);
    case OP_SQRT: return series_sqrt(a[n], me, 1, n);
    case OP_POW: return series_pow(a, me, s->value, 1, n);
    case OP_ABS: return 0.0 <= a[0] ? a[n] : -a[n];
    case OP_SIGN: return n ? 0.0 : (a[0] > 0.0) - (a[0] < 0.0);
    case OP_MIN: return a[0] <= b[0] ? a[n] : b[n];
    case OP_MAX: return b[0] <= a[0] ? a[n] : b[n];
    case OP_LESS: return n ? 0.0 : a[0] < b[0];
    case OP_LESS_EQUAL: return n ? 0.0 : a[0] <= b[0];
    case OP_SELECT: return a[0] != 0.0 ? b[n] : c[n];
    case OP_PIECE: return n ? 0.0 : start_value(s, cursor, a[0], b[0]);
    }
    if (n == 0) return start_value(s, cursor, a[0], b[0]);
    double sum = 0.0;
    for (int i = s->pair; i < s->pair + s->pairs; i++) {
        const lw_pair *one = p->pair + i;
        sum += one->c * series_rate(w + one->phi * capacity, w + one->x * capacity, 1, n);
    }
    return sum;
}

/* coefficients of one order of all recurrences of an instance */
static void run_order(const lw_program *p, long instance, long capacity, long n, double t, const double *X, long columns) {
    const int *from = p->from + instance * p->inputs;
    const double *par = p->par + instance * p->columns;
    const lw_cursor *cursor = p->cursor + instance * p->cursors;
    for (long i = 0; i < p->steps; i++) {
        double *me = p->work + i * capacity;
        me[n] = coefficient(p, p->step + i, p->work, me, capacity, n, t, X, columns, from, par, cursor);
    }
}

/* The series of an instance about the time t, to `order`; on curves that of the piece that holds there, or that the
 * argument goes into. The time within which that is left, at most `farthest`. */
static double run_series(const lw_program *p, long instance, long capacity, long order, double t, const double *X, long columns,
                         double farthest, double smallest) {
    enum { CHANGES = 4 };
    lw_cursor *cursor = p->cursor + instance * p->cursors;
    double leaves = farthest;
    run_order(p, instance, capacity, 0, t, X, columns);
    for (long i = 0; i < p->cursors; i++) cursor[i].piece = find_piece(cursor + i, cursor[i].series[0]);
    for (int change = 0; change <= CHANGES; change++) {
        int again = 0;
        for (long n = 0; n <= order; n++) run_order(p, instance, capacity, n, t, X, columns);
        leaves = farthest;
        for (long i = 0; i < p->cursors; i++) {
            find_exit(cursor + i, farthest);
            if (cursor[i].exit <= smallest && change < CHANGES) { cursor[i].piece = cursor[i].next; again = 1; }
            else leaves = fmin(leaves, fmax(cursor[i].exit, smallest));
        }
        if (!again) break;
    }
    for (long i = 0; i < p->cursors; i++) cursor[i].piece = -1;
    return leaves;
}
