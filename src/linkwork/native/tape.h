/* Programs as tapes: what a kernel computes, read line by line where compiling it does not pay.
 *
 * A line makes one number of each instance of a block from numbers of earlier lines. The same operations in the same order
 * as in compiled code, each rounded by itself: the results are the same, bit by bit.
 */
enum {
    TAPE_NUMBER, TAPE_COLUMN, TAPE_METHOD, TAPE_TIME, TAPE_READ, TAPE_ADD, TAPE_SUB, TAPE_MUL, TAPE_DIV, TAPE_NEG, TAPE_SELECT,
    TAPE_LESS, TAPE_LESS_EQUAL, TAPE_MIN, TAPE_MAX, TAPE_ABS, TAPE_SIGN, TAPE_SQRT, TAPE_POW, TAPE_EXP, TAPE_LOG, TAPE_SIN,
    TAPE_COS, TAPE_TAN, TAPE_ASIN, TAPE_ACOS, TAPE_ATAN, TAPE_ATAN2, TAPE_TANH
};

#define TAPE_EACH(formula) for (long l = 0; l < lanes; l++) y[l] = formula; break;

/* one line of a block; p: its columns, ix: slots of its inputs */
static void read_line(const lw_line *line, long lanes, double *work, double *y, const double *p, const int *ix, double t,
                      const double *S, long stride, const double *c) {
    const double *a = work + line->a * lanes, *b = work + line->b * lanes, *d = work + line->c * lanes;
    switch (line->op) {
    case TAPE_NUMBER: TAPE_EACH(line->value)
    case TAPE_COLUMN: TAPE_EACH(p[line->place * lanes + l])
    case TAPE_METHOD: TAPE_EACH(c[line->place])
    case TAPE_TIME: TAPE_EACH(t)
    case TAPE_READ: TAPE_EACH(S[line->row * stride + ix[line->place * lanes + l]])
    case TAPE_ADD: TAPE_EACH(a[l] + b[l])
    case TAPE_SUB: TAPE_EACH(a[l] - b[l])
    case TAPE_MUL: TAPE_EACH(a[l] * b[l])
    case TAPE_DIV: TAPE_EACH(a[l] / b[l])
    case TAPE_NEG: TAPE_EACH(-a[l])
    case TAPE_SELECT: TAPE_EACH(a[l] != 0.0 ? b[l] : d[l])
    case TAPE_LESS: TAPE_EACH(a[l] < b[l])
    case TAPE_LESS_EQUAL: TAPE_EACH(a[l] <= b[l])
    case TAPE_MIN: TAPE_EACH(a[l] <= b[l] ? a[l] : b[l])
    case TAPE_MAX: TAPE_EACH(b[l] <= a[l] ? a[l] : b[l])
    case TAPE_ABS: TAPE_EACH(fabs(a[l]))
    case TAPE_SIGN: TAPE_EACH((a[l] > 0.0) - (a[l] < 0.0))
    case TAPE_SQRT: TAPE_EACH(sqrt(a[l]))
    case TAPE_POW: TAPE_EACH(pow(a[l], line->value))
    case TAPE_EXP: TAPE_EACH(exp(a[l]))
    case TAPE_LOG: TAPE_EACH(log(a[l]))
    case TAPE_SIN: TAPE_EACH(sin(a[l]))
    case TAPE_COS: TAPE_EACH(cos(a[l]))
    case TAPE_TAN: TAPE_EACH(tan(a[l]))
    case TAPE_ASIN: TAPE_EACH(asin(a[l]))
    case TAPE_ACOS: TAPE_EACH(acos(a[l]))
    case TAPE_ATAN: TAPE_EACH(atan(a[l]))
    case TAPE_ATAN2: TAPE_EACH(atan2(a[l], b[l]))
    case TAPE_TANH: TAPE_EACH(tanh(a[l]))
    }
}

/* as a compiled kernel does it: see plain_function */
static void run_tape(const lw_tape *tape, long blocks, double t, const double *S, long stride, const double *c,
                     const int *from, const int *to, const double *par, double *F) {
    const long lanes = tape->lanes;
    double *work = tape->work;
    for (long block = 0; block < blocks; block++) {
        const int *ix = from + block * tape->inputs * lanes, *iy = to + block * tape->results * lanes;
        const double *p = par + block * tape->columns * lanes;
        for (long i = 0; i < tape->lines; i++)
            read_line(tape->line + i, lanes, work, work + i * lanes, p, ix, t, S, stride, c);
        for (long i = 0; i < tape->results; i++) {
            const int *place = iy + tape->place[i] * lanes;
            for (long l = 0; l < lanes; l++) F[place[l]] += work[tape->result[i] * lanes + l];
        }
    }
}
