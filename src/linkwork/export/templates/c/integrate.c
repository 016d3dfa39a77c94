/* @title@: steps of Dormand and Prince, order 5, as long as their errors allow, or the classical ones of order 4, all
   equally long.@closing@ */
@if events
#include "events.h"
@end
@if !events
#include "integrate.h"
@end

#include <math.h>
#include <string.h>

#define N @NAME@_STATES

/* -- steps ------------------------------------------------------------------------------------------------------- */

static void rates(const @name@ *m, double t, const double y[], double dy[])
{
    double lambda[@NAME@_MULTIPLIERS + 1];
    @name@_rhs(m, t, y, dy, lambda);
}

@if corrects
/* the largest entry, by the sizes of the state */
static double size_of(const double y[])
{
    double largest = 0.0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fabs(y[i])/@name@_sizes[i]);
    return largest;
}

/* close the constraints by Newton's method: what is left is of the order of the square of the last correction */
int @name@_close(const @name@ *m, double t, double y[])
{
    double change[N], largest = 1.0, speed = size_of(y);
    for (int k = 0; k < 50 && !(largest <= 1e-9*(1.0 + speed)); k++) {
        @name@_correct(m, t, y, change);
        for (int i = 0; i < N; i++)
            y[i] += change[i];
        largest = size_of(change);
    }
    return !(largest <= 1e-9*(1.0 + speed));
}

@end
/* y at t + h by the method of Dormand and Prince; the estimated error, 1 being as large as allowed */
static double try_step(const @name@ *m, double t, double h, const double y[], const double k1[], double tolerance,
    double next[])
{
    static const double c[] = {0.0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1.0, 1.0};
    static const double a[7][6] = {
        {0.0},
        {1.0/5},
        {3.0/40, 9.0/40},
        {44.0/45, -56.0/15, 32.0/9},
        {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
        {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
        {35.0/384, 0.0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
    };
    static const double e[] = {71.0/57600, 0.0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
    double k[7][N], error = 0.0;
    memcpy(k[0], k1, sizeof k[0]);
    for (int stage = 1; stage < 7; stage++) {
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < stage; j++)
                sum += a[stage][j]*k[j][i];
            next[i] = y[i] + h*sum;
        }
        rates(m, t + c[stage]*h, next, k[stage]);
    }
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < 7; j++)
            sum += e[j]*k[j][i];
        error = fmax(error, fabs(h*sum)/(tolerance*(@name@_sizes[i] + fabs(y[i]))));
        if (!isfinite(next[i]) || !isfinite(sum))
            error = INFINITY;
    }
    return error;
}

/* the classical method of order 4; its error is not looked at */
static double try_classical(const @name@ *m, double t, double h, const double y[], const double k1[], double next[])
{
    static const double c[] = {0.5, 0.5, 1.0}, b[] = {1.0/3, 1.0/3, 1.0/6};
    double k[N], last[N];
    memcpy(last, k1, sizeof last);
    for (int i = 0; i < N; i++)
        next[i] = y[i] + h/6*k1[i];
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < N; i++)
            k[i] = y[i] + c[stage]*h*last[i];
        rates(m, t + c[stage]*h, k, last);
        for (int i = 0; i < N; i++)
            next[i] += h*b[stage]*last[i];
    }
    return 0.0;
}

double @name@_attempt(const @name@ *m, const @name@_steps *s, double t, double h, const double y[], const double k1[],
    double next[])
{
    return s->fixed > 0.0 ? try_classical(m, t, h, y, k1, next) : try_step(m, t, h, y, k1, s->tolerance, next);
}

@if controllers
/* -- sampled controllers ------------------------------------------------------------------------------------------ */

/* instant k of a controller; a clock begins with its period and offset */
static double instant(const double clock[], double k)
{
    return clock[1] + k*clock[0];
}

/* instants so close together are one */
static int is_now(const double clock[], double when, double t)
{
    return fabs(when - t) <= 1e-9*clock[0];
}

static double rounded(double value, double step)
{
    /* steps finer than the rounding of the value leave it as it is */
    return step > 0.0 && fabs(value) < 4503599627370496.0*step ? step*floor(value/step + 0.5) : value;
}

/* what arrives at a time: the answers of the last instants, each as late as is said */
static void arrive(const @name@_controller *c, const double clock[], double t, const double old[], double held[])
{
    const int targets = c->named + c->memory, count = targets + c->targets, k = (int)old[count];
    for (int j = k > c->slots ? k - c->slots : 0; j < k; j++)
        if (is_now(clock, instant(clock, j + c->delay), t))
            memcpy(held + targets, old + count + 1 + j % c->slots*c->targets, c->targets*sizeof *held);
}

/* what a controller reads, answers and remembers at an instant; `all` is what controllers hold, `held` its own part */
static void ask(@name@ *m, int i, const double clock[], double t, const double y[], const double all[], double held[])
{
    const @name@_controller *c = @name@_controllers + i;
    const int targets = c->named + c->memory, count = targets + c->targets, k = (int)held[count];
    double *answer = c->slots ? held + count + 1 + k % c->slots*c->targets : held + targets;
    double dy[N], lambda[@NAME@_MULTIPLIERS + 1], read[@NAME@_MOST + 1], set[@NAME@_MOST + 1], now[@NAME@_HELD];
    @name@ asked = *m;
    @name@_rhs(m, t, y, dy, lambda);
@if reads
    double reads[@NAME@_READS];
    @name@_reads(m, t, y, dy, lambda, reads);
    for (int j = 0; j < c->reads; j++)
        read[j] = rounded(reads[c->first_read + j], clock[2 + j]);
@end
    memcpy(now, all, sizeof now);
    memcpy(now + c->first_held, read, c->named*sizeof *now);
    @name@_set_held(&asked, now);
@if answers
    double answers[@NAME@_ANSWERS];
    @name@_answers(&asked, t, y, dy, lambda, answers);
    if (!c->calls)
        memcpy(set, answers + c->first_answer, c->targets*sizeof *set);
    memcpy(held + c->named, answers + c->first_answer + (c->calls ? 0 : c->targets), c->memory*sizeof *held);
@end
@if asks
    if (c->calls)
        @name@_ask(m, i, t, read, set);
@end
    for (int j = 0; j < c->targets; j++)
        answer[j] = rounded(set[j], clock[2 + c->reads + j]);
    memcpy(held, read, c->named*sizeof *held);
    held[count] = k + 1.0;
}

double @name@_sample(@name@ *m, double t, const double y[])
{
    double clocks[@NAME@_CLOCKS], old[@NAME@_HELD], new[@NAME@_HELD], next = INFINITY;
    @name@_clocks(m, t, clocks);
    @name@_get_held(m, old);
    memcpy(new, old, sizeof new);
    for (int i = 0; i < @NAME@_CONTROLLERS; i++) {
        const @name@_controller *c = @name@_controllers + i;
        const int count = c->first_held + c->named + c->memory + c->targets;
        const double *clock = clocks + c->first_clock;
        arrive(c, clock, t, old + c->first_held, new + c->first_held);
        if (is_now(clock, instant(clock, old[count]), t))
            ask(m, i, clock, t, y, old, new + c->first_held);
        /* the next instant, or the next answer that arrives */
        for (int j = (int)new[count]; j >= 0 && j >= (int)new[count] - c->slots; j--) {
            const double when = instant(clock, j == (int)new[count] ? j : j + c->delay);
            if (when > t && !is_now(clock, when, t))
                next = fmin(next, when);
        }
    }
    @name@_set_held(m, new);
    return next;
}

@end
/* -- the motion -------------------------------------------------------------------------------------------------- */

int @name@_advance(@const@@name@ *m, @name@_steps *s, double *t, double until, double y[], void tell(double, int))
{
    while (*t < until) {
@if controllers
        const double limit = fmin(until, @name@_sample(m, *t, y));
@end
@if !controllers
        const double limit = until;
@end
        double k1[N], next[N], h = fmin(s->length, limit - *t), error;
        const double whole = h;
        int any = 0;
@if events
        int found[@NAME@_@seen@];
@if controllers
        if (@name@_find_jumps(m, s, *t, y, found)) {
            const int ended = @name@_happen(m, s, *t, found, y, tell);
            if (ended)
                return ended;
            continue;
        }
@end
@end
        rates(m, *t, y, k1);
        error = @name@_attempt(m, s, *t, h, y, k1, next);
        if (!(error <= 1.0)) {
            s->length = h*(isfinite(error) ? fmax(0.2, 0.9*pow(error, -0.2)) : 0.1);
            if (*t + s->length <= *t)
                return -1;
            continue;
        }
@if events
        any = @name@_locate(m, s, *t, &h, y, k1, next, found);
@end
        *t = !any && h == limit - *t ? limit : *t + h;
        memcpy(y, next, sizeof next);
@if corrects
        if (@name@_close(m, *t, y))
            return -2;
@end
        if (s->fixed <= 0.0 && whole == s->length)
            s->length = whole*fmin(5.0, 0.9*pow(fmax(error, 1e-10), -0.2));
@if settled
        @name@_settle(m, *t, y);
@end
@if events
        if (any) {
            const int ended = @name@_happen(m, s, *t, found, y, tell);
            if (ended)
                return ended;
        } else {
            @name@_follow(m, s, *t, y);
        }
@end
@if !events
        (void)tell;
@end
    }
    return 0;
}
