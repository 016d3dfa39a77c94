/* Watching a step: where values that somebody watches, or that laws switch by, change their sign along its polynomials.
 *
 * The series of a value follows from the polynomials of the step by the recurrences of its program. Where the sum of its
 * terms cannot reach zero nothing happens, which costs next to nothing. Else the roots of the series say where to look,
 * but what counts are the true values there: a series is cut off. A step is taken in pieces in which the series
 * can be trusted, on which no law inside a watched expression changes its branch.
 *
 * A watched value is known only as well as the motion: what it would change by if all coordinates and speeds were wrong by
 * a share of their size is noise. An event has happened when its value was clearly on one side and then is clearly on the
 * other; it happened where it left the old side for good. A switch has switched where its sign changes, unless all of it
 * is rounding.
 */
#include <stdlib.h>

enum { EVENT, SWITCH, INNER_SWITCH }; /* kinds of values; the last: of laws inside watched expressions */
enum { SHAKES = 4, MOST_PIECES = 1 << 14, HIDDEN_LOOKS = 8, MORE_LOOKS = 3, NEITHER = -1 };
static const double TRUST = 1e-10; /* the last terms of a series that is trusted, of the largest */
static const double AGREE = 1e-6;  /* what it may differ from the true value, of the largest term */
static const double NEAR_ZERO = 64.0 * 2.3e-16; /* of the largest value: rounding */

typedef struct {
    double t;
    long function, positive;
} lw_occurrence;

struct lw_watch {
    long functions, programs, columns, order, capacity;
    const lw_program *program;
    const int *owner;             /* the program of each value */
    const unsigned char *kind, *stop;
    const signed char *direction; /* of events: 1 rising, -1 falling, 0 either */
    /* quantities that programs read: sums of entries of a row of a step, and what is fixed */
    const int *begin, *column;
    const double *entry, *fixed;
    const double *shake;          /* (SHAKES, 2, columns): places and speeds, each wrong by its size */
    double share;                 /* of their size by which all may be wrong, */
    const double *finer;          /* (functions,) of this for a value */
    double *X, *Y, *Z;            /* polynomials about the begin of the step and of a piece; places and speeds somewhere */
    double *V;                    /* series of values: (functions, capacity) */
    double *value, *ahead;        /* at the begin and end of a piece */
    double *noise, *largest;      /* of each value; NAN: not yet known. Largest in this step */
    signed char *side, *raw;      /* the side a value was last clearly on, and its sign at the last look */
    double *left;                 /* when it left its side; NAN: it has not */
    signed char *kept;            /* (2, functions) sides at the begin of the step, */
    double *kept_left;            /* and the same of `left` */
    long count, room, muted;      /* occurrences, and whether none are to be noted */
    lw_occurrence *found;
};

/* -- values ----------------------------------------------------------------------------------------------------------- */

/* the polynomials of the quantities, from the rows of a step */
static void read_step(lw_watch *w, const double *rows, long width, long order) {
    for (long k = 0; k < w->capacity; k++) {
        double *X = w->X + k * w->columns;
        for (long j = 0; j < w->columns; j++) {
            double sum = k ? 0.0 : w->fixed[j];
            for (int a = w->begin[j]; k <= order && a < w->begin[j + 1]; a++) sum += w->entry[a] * rows[k * width + w->column[a]];
            X[j] = sum;
        }
    }
}

/* Z: places and speeds at x after the begin of the step */
static void go_to(const lw_watch *w, long degree, double x) {
    const long n = w->columns;
    for (long j = 0; j < n; j++) {
        double q = w->X[degree * n + j], u = 0.0;
        for (long k = degree - 1; k >= 0; k--) {
            u = u * x + q;
            q = q * x + w->X[k * n + j];
        }
        w->Z[j] = q;
        w->Z[n + j] = u;
    }
}

/* Y: the polynomials about x */
static void shift_to(const lw_watch *w, long degree, double x) {
    const long n = w->columns;
    memcpy(w->Y, w->X, w->capacity * n * sizeof(double));
    if (x == 0.0) return;
    for (long i = 0; i < degree; i++)
        for (long k = degree - 1; k >= i; k--)
            for (long j = 0; j < n; j++) w->Y[k * n + j] += x * w->Y[(k + 1) * n + j];
}

/* one value at the places and speeds in Z */
static double value_here(const lw_watch *w, long f, double t) {
    const lw_program *p = w->program + w->owner[f];
    const long number = f - p->first;
    run_order(p, number / p->results, w->capacity, 0, t, w->Z, w->columns);
    return p->work[p->result[number % p->results] * w->capacity];
}

/* all values there */
static void values_here(const lw_watch *w, double t, double *values) {
    for (long i = 0; i < w->programs; i++) {
        const lw_program *p = w->program + i;
        for (long instance = 0; instance < p->instances; instance++) {
            run_order(p, instance, w->capacity, 0, t, w->Z, w->columns);
            for (long r = 0; r < p->results; r++)
                values[p->first + instance * p->results + r] = p->work[p->result[r] * w->capacity];
        }
    }
}

/* the series of all values about x; the time until one of them meets a knot of a curve, at most `farthest` */
static double expand_values(lw_watch *w, double t, double farthest, double smallest) {
    double leaves = farthest;
    for (long i = 0; i < w->programs; i++) {
        const lw_program *p = w->program + i;
        for (long instance = 0; instance < p->instances; instance++) {
            leaves = fmin(leaves, run_series(p, instance, w->capacity, w->order, t, w->Y, w->columns, farthest, smallest));
            for (long r = 0; r < p->results; r++)
                memcpy(w->V + (p->first + instance * p->results + r) * w->capacity, p->work + p->result[r] * w->capacity,
                       (w->order + 1) * sizeof(double));
        }
    }
    return leaves;
}

/* -- a step ----------------------------------------------------------------------------------------------------------- */

/* a step that is looked along */
typedef struct {
    lw_watch *w;
    double t, h, speed;           /* speed: of the fastest, in sizes a second */
    long degree;
} lw_way;

static double value_at_time(const lw_way *s, long f, double x) {
    go_to(s->w, s->degree, x);
    return value_here(s->w, f, s->t + x);
}

/* what a value would change by if everything were a little wrong, at the begin or the end of the step */
static double find_noise(const lw_way *s, long f) {
    lw_watch *w = s->w;
    const long n = w->columns;
    if (!isnan(w->noise[f])) return w->noise[f];
    double noise = 0.0;
    const double share = w->share * w->finer[f];
    for (int end = 0; end < 2; end++) {
        const double x = end ? s->h : 0.0, value = value_at_time(s, f, x);
        for (int i = 0; i < SHAKES; i++) {
            const double *shake = w->shake + i * 2 * n;
            go_to(w, s->degree, x);
            for (long j = 0; j < n; j++) {
                w->Z[j] += share * shake[j];
                w->Z[n + j] += share * s->speed * shake[n + j];
            }
            noise = larger(fabs(value_here(w, f, s->t + x) - value), noise);
        }
    }
    return w->noise[f] = noise;
}

/* the largest term of a series within r, and the largest of its last two */
static double find_terms(const lw_watch *w, const double *c, double r, double *last) {
    double size = 0.0, power = 1.0;
    *last = 0.0;
    for (long k = 0; k <= w->order; k++, power *= r) {
        const double term = fabs(c[k]) * power;
        size = larger(term, size);
        if (k >= w->order - 1) *last = larger(term, *last);
    }
    return size;
}

/* the time within which no last term of a series counts, at most r */
static double find_trusted(const lw_watch *w, double r, double shortest) {
    for (long f = 0; f < w->functions; f++)
        for (;;) {
            double last;
            const double size = find_terms(w, w->V + f * w->capacity, r, &last);
            if (last <= TRUST * size || r <= shortest) break;
            r = fmax(shortest, r * (isfinite(last) ? fmin(0.9, pow(TRUST * size / last, 1.0 / (double)w->order)) : 0.1));
        }
    return r;
}

/* whether series about x are the true values, now in `values`, at r after it */
static int agrees(const lw_way *s, double r, const double *values, int hiding) {
    const lw_watch *w = s->w;
    for (long f = 0; f < w->functions; f++) {
        const double *c = w->V + f * w->capacity;
        double last, slope;
        if (!isfinite(c[0]) || (hiding && !w->program[w->owner[f]].hides)) continue;
        const double size = find_terms(w, c, r, &last), lack = fabs(polynomial(c, 1, w->order, r, &slope) - values[f]);
        if (!(lack <= AGREE * size) && !(lack <= AGREE * size + 10.0 * find_noise(s, f))) return 0;
    }
    return 1;
}

/* all values at x after the begin of the step, as those at the end of a piece */
static void look_ahead(const lw_way *s, double x) {
    go_to(s->w, s->degree, x);
    values_here(s->w, s->t + x, s->w->ahead);
}

/* the same at the end of a piece from x on, and inside it where series may hide something */
static int is_right(const lw_way *s, double x, double r) {
    const lw_watch *w = s->w;
    int hides = 0;
    for (long i = 0; i < w->programs; i++) hides |= w->program[i].hides;
    for (int i = 1; i <= HIDDEN_LOOKS; i++) {
        const double inside = r * i / HIDDEN_LOOKS;
        if (i < HIDDEN_LOOKS && !hides) continue;
        look_ahead(s, x + inside);
        if (!agrees(s, inside, w->ahead, i < HIDDEN_LOOKS)) return 0;
    }
    return 1;
}

/* Where a value changes its sign between two places, to the last digit: the first number on the far side. The method is
 * ITP: a secant kept near enough to the middle that it never takes many more cuts than halving. */
static double locate(const lw_way *s, long f, double low, double at_low, double high, double at_high) {
    const int before = at_low >= 0.0;
    const double t = fabs(s->t + high), finest = nextafter(t, INFINITY) - t, k1 = 0.2 / (high - low);
    double cuts = ceil(log2((high - low) / finest)) + 1.0;
    for (; high - low > finest; cuts -= 1.0) {
        const double gap = high - low, middle = low + 0.5 * gap;
        double x = middle;
        if (isfinite(at_low) && isfinite(at_high) && at_low != at_high) {
            const double secant = low + gap * (at_low / (at_low - at_high));
            const double toward = middle < secant ? -1.0 : 1.0, delta = fmax(k1 * gap * gap, 0.5 * finest);
            const double room = finest * exp2(cuts - 1.0) - 0.5 * gap;
            if (delta <= fabs(middle - secant)) x = secant + toward * delta;
            if (fabs(x - middle) > room) x = middle - toward * fmax(room, 0.0);
        }
        if (!(x > low && x < high)) x = middle;
        if (!(x > low && x < high)) break;
        const double y = value_at_time(s, f, x);
        if ((y >= 0.0) == before) { low = x; at_low = y; }
        else { high = x; at_high = y; }
    }
    return high;
}

/* Places from 0 to 1 of a piece of length r at which to look at a value so that no change of sign is missed; none if its
 * terms cannot reach zero. */
static void find_looks(const lw_way *s, long f, double r, lw_looks *looks) {
    lw_watch *w = s->w;
    const double *c = w->V + f * w->capacity;
    double B[MOST_ORDER + 1], power = r, rest = 0.0;
    looks->count = 0;
    if (!isfinite(c[0])) return;
    B[0] = c[0];
    for (long k = 1; k <= w->order; k++, power *= r) {
        B[k] = c[k] * power;
        rest += fabs(B[k]);
    }
    const int same = (w->value[f] >= 0.0) == (w->ahead[f] >= 0.0);
    if (same && fabs(c[0]) > rest + AGREE * fabs(c[0])) return;
    lw_looks found = {.count = 0};
    look_there(looks, 0.0);
    if (isfinite(rest) && fabs(c[0]) + rest > find_noise(s, f)) {
        long n = w->order;
        while (n > 0 && fabs(B[n]) <= 1e-18 * (fabs(B[0]) + rest)) n--;
        to_bernstein(B, n);
        isolate(&found, B, n, 0.0, 1.0, w->noise[f], HALVINGS);
    }
    look_there(&found, 1.0);
    /* more of them where there are few: an event must be seen clearly on its side */
    for (long i = 0; i < found.count; i++) {
        const double low = looks->place[looks->count - 1], high = found.place[i];
        for (int k = 1; k <= MORE_LOOKS && high - low > 1.0 / 64.0; k++) look_there(looks, low + (high - low) * k / (MORE_LOOKS + 1));
        look_there(looks, high);
    }
}

/* a value at a look: known at both ends of a piece */
static double look_at(const lw_way *s, long f, double x, double r, double place) {
    if (place == 0.0) return s->w->value[f];
    return place == 1.0 ? s->w->ahead[f] : value_at_time(s, f, x + r * place);
}

/* -- switches --------------------------------------------------------------------------------------------------------- */

/* when a value first changes its sign in the piece from x on, after the begin of the step; INFINITY if it does not */
static double first_change(const lw_way *s, long f, double x, double r) {
    lw_watch *w = s->w;
    lw_looks looks;
    find_looks(s, f, r, &looks);
    double low = 0.0, before = w->value[f], largest = fabs(before);
    for (long i = 1; i < looks.count; i++) {
        const double high = looks.place[i], after = look_at(s, f, x, r, high);
        w->largest[f] = larger(largest, w->largest[f]);
        largest = larger(fabs(after), largest);
        if ((before >= 0.0) != (after >= 0.0) && !isnan(after)) {
            if (w->kind[f] == SWITCH && w->side[f] == (before >= 0.0) && largest <= find_noise(s, f)) continue; /* not yet away */
            /* what is rounding all along, as the speed of a part that cannot move, has no sign */
            for (long k = i + 1; k < looks.count && largest <= find_noise(s, f); k++)
                largest = larger(fabs(look_at(s, f, x, r, looks.place[k])), largest);
            if (largest <= find_noise(s, f)) return INFINITY;
            return locate(s, f, x + r * low, before, x + r * high, after);
        }
        low = high;
        before = after;
    }
    w->largest[f] = larger(largest, w->largest[f]);
    return INFINITY;
}

/* -- events ----------------------------------------------------------------------------------------------------------- */

static void note(lw_watch *w, double t, long f, int positive) {
    if (w->muted || (w->direction[f] && (w->direction[f] > 0) != positive)) return;
    if (w->count == w->room) {
        const long room = 2 * w->room + 64;
        lw_occurrence *more = realloc(w->found, room * sizeof *more);
        if (!more) return;
        w->found = more;
        w->room = room;
    }
    w->found[w->count++] = (lw_occurrence){t, f, positive};
}

/* a value is clearly on a side; if it left the other one for it, something has happened */
static void settle_on(lw_watch *w, long f, int positive) {
    if (w->side[f] != NEITHER && !isnan(w->left[f])) note(w, w->left[f], f, positive);
    w->side[f] = (signed char)positive;
    w->left[f] = NAN;
}

/* Between two changes of sign a value may be clearly on the side it had there where nobody has looked yet: places are given
 * from the begin of the step on. */
static void look_between(const lw_way *s, long f, double low, double high) {
    const int sign = s->w->raw[f];
    for (int k = 1; k <= MORE_LOOKS; k++) {
        const double value = value_at_time(s, f, low + (high - low) * k / (MORE_LOOKS + 1));
        if ((value >= 0.0) != sign || !(fabs(value) > find_noise(s, f))) continue;
        settle_on(s->w, f, sign);
        return;
    }
}

/* an event in the piece from x on */
static void follow_event(const lw_way *s, long f, double x, double r) {
    lw_watch *w = s->w;
    lw_looks looks;
    if (isnan(w->value[f])) return;
    find_looks(s, f, r, &looks);
    const int now = w->value[f] >= 0.0;
    if (looks.count == 0) {
        if (w->side[f] == now && isnan(w->left[f])) return; /* it stays where it is */
        for (int k = 0; k <= MORE_LOOKS + 1; k++) look_there(&looks, k / (MORE_LOOKS + 1.0));
    }
    double low = 0.0, before = w->value[f], since = x;
    for (long i = 0; i < looks.count; i++) {
        const double high = looks.place[i], after = look_at(s, f, x, r, high);
        const int positive = after >= 0.0, clear = fabs(after) > find_noise(s, f);
        if (i == 0 && !clear && positive != w->side[f] && w->side[f] != NEITHER && w->raw[f] == w->side[f]) {
            before = w->side[f] ? fabs(after) : -larger(fabs(after), 1e-300); /* rounding on a known side: -0 is none */
            continue;
        }
        if (w->raw[f] != positive) {
            const double change = i ? locate(s, f, x + r * low, before, x + r * high, after) : x;
            if (w->raw[f] != NEITHER && w->raw[f] != w->side[f]) look_between(s, f, since, change);
            if (positive != w->side[f]) w->left[f] = s->t + change;
            since = change;
        }
        if (positive == w->side[f]) w->left[f] = NAN;
        w->raw[f] = (signed char)positive;
        if (clear && positive != w->side[f]) settle_on(w, f, positive);
        low = high;
        before = after;
    }
}

/* -- pieces of a step ------------------------------------------------------------------------------------------------- */

/* the length of the piece from x on in which series can be trusted, with the values at its end */
static double find_piece_length(const lw_way *s, double x) {
    lw_watch *w = s->w;
    const double left = s->h - x, t = fabs(s->t + s->h), finest = 4.0 * (nextafter(t, INFINITY) - t);
    const double shortest = fmin(left, fmax(s->h / MOST_PIECES, finest)); /* within what times resolve nothing is seen */
    shift_to(w, s->degree, x);
    double r = expand_values(w, s->t + x, left, fmax(finest, 1e-12 * s->h));
    r = find_trusted(w, r, fmin(r, shortest));
    while (r > shortest && !is_right(s, x, r)) r = fmax(0.5 * r, shortest);
    if (r <= shortest) look_ahead(s, x + r);
    /* it ends where a law inside a watched expression changes its branch */
    double first = INFINITY;
    for (long f = 0; f < w->functions; f++)
        if (w->kind[f] == INNER_SWITCH) first = fmin(first, first_change(s, f, x, r) - x);
    if (first >= r) return r;
    r = fmin(r, first + 1e-13 * s->h);
    look_ahead(s, x + r);
    return r;
}

/* what has switched is where it went: rounding, where it goes slowly, does not lead back */
static void stay_across(const lw_way *s, long f) {
    lw_watch *w = s->w;
    const double value = w->value[f];
    if (w->kind[f] != SWITCH || w->side[f] == NEITHER || (value >= 0.0) == w->side[f] || fabs(value) > find_noise(s, f)) return;
    w->value[f] = w->side[f] ? fabs(value) : -larger(fabs(value), 1e-300);
}

/* whether an event noted of late stops the run, and nothing may turn out to have happened before */
static int is_stopped(const lw_watch *w, long before) {
    double first = INFINITY;
    for (long i = before; i < w->count; i++)
        if (w->stop[w->found[i].function]) first = fmin(first, w->found[i].t);
    for (long f = 0; isfinite(first) && f < w->functions; f++)
        if (w->kind[f] == EVENT && w->left[f] <= first) return 0;
    return isfinite(first);
}

/* Look along a step: note events, until one stops or a law switches. When that is, after the begin of the step, and which
 * law; else INFINITY. */
static double scan(const lw_way *s, long *which) {
    lw_watch *w = s->w;
    const long before = w->count;
    for (long f = 0; f < w->functions; f++) {
        w->noise[f] = NAN;
        w->largest[f] = 0.0;
    }
    go_to(w, s->degree, 0.0);
    values_here(w, s->t, w->value);
    for (long f = 0; f < w->functions; f++) stay_across(s, f);
    for (double x = 0.0; x < s->h;) {
        const double r = find_piece_length(s, x);
        double first = INFINITY;
        for (long f = 0; f < w->functions; f++) {
            if (w->kind[f] == EVENT) follow_event(s, f, x, r);
            if (w->kind[f] != SWITCH) continue;
            const double change = first_change(s, f, x, r);
            if (change < first) { first = change; *which = f; }
        }
        if (isfinite(first)) return first;
        if (is_stopped(w, before)) break;
        memcpy(w->value, w->ahead, w->functions * sizeof(double));
        for (long f = 0; f < w->functions; f++) stay_across(s, f);
        if (!(x + r > x)) break;
        x += r;
    }
    return INFINITY;
}

static int is_before(const void *one, const void *other) {
    const lw_occurrence *a = one, *b = other;
    return a->t < b->t ? -1 : a->t > b->t ? 1 : (a->function > b->function) - (a->function < b->function);
}

static void keep_sides(lw_watch *w, int back) {
    signed char *rows[2] = {w->side, w->raw};
    for (int i = 0; i < 2; i++) {
        signed char *kept = w->kept + i * w->functions;
        memcpy(back ? rows[i] : kept, back ? kept : rows[i], w->functions);
    }
    memcpy(back ? w->left : w->kept_left, back ? w->kept_left : w->left, w->functions * sizeof(double));
}

/* Events of a step, given by its rows: noted in the order of time, up to the first that stops. Whether one does. */
static int watch_step(lw_watch *w, double t, double h, const double *rows, long width, long degree, double speed) {
    lw_way s = {w, t, h, speed, degree};
    const long before = w->count;
    long which;
    keep_sides(w, 0);
    read_step(w, rows, width, degree);
    scan(&s, &which);
    if (w->count == before) return 0;
    qsort(w->found + before, w->count - before, sizeof *w->found, is_before);
    long end = before;
    while (end < w->count && !w->stop[w->found[end].function]) end++;
    if (end == w->count) return 0;
    /* what comes after the end has not been seen, but what has happened there has */
    w->count = end + 1;
    s.h = w->found[end].t - t;
    keep_sides(w, 1);
    w->muted = 1;
    if (s.h > 0.0) scan(&s, &which);
    w->muted = 0;
    for (long i = before; i <= end; i++) {
        const long f = w->found[i].function;
        w->side[f] = w->raw[f] = (signed char)w->found[i].positive;
        w->left[f] = NAN;
    }
    return 1;
}

/* When a law first switches in a step of length h, given by its rows; INFINITY if none does. */
static double find_switch(lw_watch *w, double t, double h, const double *rows, long width, long degree, double speed, long *which) {
    const lw_way s = {w, t, h, speed, degree};
    read_step(w, rows, width, degree);
    return scan(&s, which);
}

/* Z: a state, in two rows */
static void read_state(lw_watch *w, const double *rows, long width) {
    for (long j = 0; j < w->columns; j++) {
        w->Z[j] = w->fixed[j];
        w->Z[w->columns + j] = 0.0;
        for (int a = w->begin[j]; a < w->begin[j + 1]; a++)
            for (int k = 0; k < 2; k++) w->Z[k * w->columns + j] += w->entry[a] * rows[k * width + w->column[a]];
    }
}

/* all values at a state */
void lw_watch_values(lw_watch *w, double t, const double *rows, long width, double *values) {
    read_state(w, rows, width);
    values_here(w, t, values);
}

/* whether a state, in two rows, lies beyond a switch: on the other side than before, by so much of what there was */
static int is_across(lw_watch *w, double t, const double *rows, long width, long f, int positive, double clear) {
    read_state(w, rows, width);
    const double value = value_here(w, f, t);
    return (positive ? value : -value) > clear * w->largest[f];
}

/* give back what was allocated here */
void lw_watch_end(lw_watch *w) {
    free(w->found);
    w->found = NULL;
    w->count = w->room = 0;
}
