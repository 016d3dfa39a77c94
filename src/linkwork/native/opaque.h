/* Calls of opaque functions: numbers in laws that functions of somebody else give, of what moves.
 *
 * Their arguments are found from places and speeds, in an order in which each has what it needs; then they are held while
 * forces are found. Nothing is known of their rates.
 */

static double call_opaque(const void *function, long count, const double *x) {
    typedef double (*one)(double);
    typedef double (*two)(double, double);
    typedef double (*three)(double, double, double);
    typedef double (*four)(double, double, double, double);
    typedef double (*five)(double, double, double, double, double);
    typedef double (*six)(double, double, double, double, double, double);
    typedef double (*seven)(double, double, double, double, double, double, double);
    typedef double (*eight)(double, double, double, double, double, double, double, double);
    switch (count) {
    case 1: return ((one)function)(x[0]);
    case 2: return ((two)function)(x[0], x[1]);
    case 3: return ((three)function)(x[0], x[1], x[2]);
    case 4: return ((four)function)(x[0], x[1], x[2], x[3]);
    case 5: return ((five)function)(x[0], x[1], x[2], x[3], x[4]);
    case 6: return ((six)function)(x[0], x[1], x[2], x[3], x[4], x[5]);
    case 7: return ((seven)function)(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
    default: return ((eight)function)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    }
}

/* the values of all calls at a point, into its row of places; they have no rates */
static void find_opaque(const lw_system *s, double t, double *S) {
    const lw_opaque *o = s->opaque;
    const lw_program *p = o->program;
    double x[8];
    for (long i = 0; i < o->count; i++) {
        for (long a = 0; a < o->arguments[i]; a++, p++) {
            run_order(p, 0, o->capacity, 0, t, S, s->slots);
            x[a] = p->work[p->result[0] * o->capacity];
        }
        S[o->slot[i]] = call_opaque(o->function[i], o->arguments[i], x);
        S[s->slots + o->slot[i]] = 0.0;
    }
}
