
/* the values of parameters, if there are others than at first; not 0 if they make other equations */
static int set(model *m, const double *p)
{
    model_defaults(m);
    /* parameters and inputs are the first fields */
    if (p)
        memcpy(m, p, @values@*sizeof *p);
    return model_init(m);
}

/* the numbers of as many states as there are lanes, a row each, in lanes; and back */
PART void take(v *to, const double *from, long width)
{
    for (long i = 0; i < width; i++)
        to[i] = collect(from + i, width);
}

PART void give(double *to, const v *from, long width)
{
    const double *x = (const double *)from;
    for (long i = 0; i < width; i++, to++, x += LANES) {
#define GIVE(l) to[l*width] = x[l]
        EACH_LANE(GIVE)
    }
}

/* the same of fewer states: the last lanes have what the last state has */
PART void take_some(v *to, const double *from, long width, long states)
{
    for (long i = 0; i < width; i++)
        for (int l = 0; l < LANES; l++)
            LANE(to[i], l) = from[i + (l < states ? l : states - 1)*width];
}

PART void give_some(double *to, const v *from, long width, long states)
{
    for (long i = 0; i < width; i++)
        for (long l = 0; l < states; l++)
            to[i + l*width] = ((const double *)(from + i))[l];
}

/* the same of arrays of which only so many places matter: of the others nothing is read, and results are zero there */
PART void take_at(v *to, const double *from, const int *place, long places, long width)
{
    for (long i = 0; i < places; i++)
        to[place[i]] = collect(from + place[i], width);
}

PART void give_at(double *to, const v *from, const int *place, long places, long width)
{
    memset(to, 0, LANES*width*sizeof *to);
    for (long i = 0; i < places; i++) {
        const double *x = (const double *)(from + i);
        double *at = to + place[i];
#define GIVE_AT(l) at[l*width] = x[l]
        EACH_LANE(GIVE_AT)
    }
}

PART void take_some_at(v *to, const double *from, const int *place, long places, long width, long states)
{
    for (long i = 0; i < places; i++)
        for (int l = 0; l < LANES; l++)
            LANE(to[place[i]], l) = from[place[i] + (l < states ? l : states - 1)*width];
}

PART void give_some_at(double *to, const v *from, const int *place, long places, long width, long states)
{
    memset(to, 0, states*width*sizeof *to);
    for (long i = 0; i < places; i++)
        for (long l = 0; l < states; l++)
            to[place[i] + l*width] = ((const double *)(from + i))[l];
}
@some@

/* sines and cosines of some numbers of the state, behind it: sine and cosine in turns */
#define TURNED @turned@
static void turn_all(v *y)
{
    static const int place[TURNED + 1] = {@places@};
    for (int i = 0; i < TURNED; i++)
        swing(y[place[i]], y + MODEL_STATES + 2*i, y + MODEL_STATES + 2*i + 1);
}

/* bytes that a batch works in: the time and its arrays, which have so many numbers a state */
long KERNEL(memory)(const long *w)
{
    long all = 2 + 2*TURNED;
    for (int i = 0; i < @arrays@; i++)
        all += w[i];
    return all*(long)sizeof(v);
}

/* the time in lanes, and behind it the arrays, of which y is the first */
static v *lay_out(v **a, const long *w, char *memory)
{
    v *const now = (v *)(memory + (sizeof(v) - (size_t)memory%sizeof(v))%sizeof(v));
    for (int i = 0; i < @arrays@; i++)
        a[i] = i ? a[i - 1] + w[i - 1] + (i == 1 ? 2*TURNED : 0) : now + 1;
    return now;
}

/* returns how often parameters make other equations */
long KERNEL(batch)(long count, const double *p, long step, const double *t, double *const *x, const long *w,
    char *memory)
{
    model m;
    long others = 0;
    v *a[@arrays@], *const now = lay_out(a, w, memory);
    for (long k = 0; k < count; k += USED) {
        const long states = count - k < USED ? count - k : USED;
        if (k == 0 || step)
            others += set(&m, p + k*step) != 0;
        if (states == LANES) {
            take(now, t + k, 1);
@taken@
        } else {
            take_some(now, t + k, 1, states);
@some_taken@
        }
        turn_all(a[0]);
        model_@function@(&m, *now, @passed@);
        if (states == LANES) {
@given@
        } else {
@some_given@
        }
    }
    return others;
}

/* one state and again one, always in the same place */
struct one {
    const double *t;
    double *x[@arrays@];
    long w[@arrays@];
    v *a[@arrays@];
    model m;
};

long KERNEL(size)(void)
{
    return sizeof(struct one);
}

void KERNEL(prepare)(struct one *at, const double *p, const double *t, double *const *x, const long *w, char *memory)
{
    at->t = t;
    memcpy(at->x, x, sizeof at->x);
    memcpy(at->w, w, sizeof at->w);
    lay_out(at->a, w, memory);
    set(&at->m, p);
}

void KERNEL(one)(struct one *at)
{
    v *const *a = at->a;
    double *const *x = at->x;
    const long *w = at->w;
@one_taken@
    turn_all(a[0]);
    model_@function@(&at->m, fill(*at->t), @passed@);
@one_given@
}
@if plain

void KERNEL(plain)(double t, const double *x, double *dx, const double *p)
{
    model m;
    v y[MODEL_STATES + 2*TURNED + 1], dy[MODEL_STATES + 1], lambda[MODEL_MULTIPLIERS + 1];
    const int others = set(&m, p);
    take_some(y, x, MODEL_STATES, 1);
    turn_all(y);
    model_rhs(&m, fill(t), y, dy, lambda);
    give_some(dx, dy, MODEL_STATES, 1);
    for (int i = 0; others && i < MODEL_STATES; i++)
        dx[i] = NAN;
}
@end
