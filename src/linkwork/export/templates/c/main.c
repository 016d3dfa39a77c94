/* @title@: the motion as a table.

   ./@name@ [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv

   Steps of Dormand and Prince, order 5, as long as their errors allow; with --step the classical ones of order 4, all
   equally long.@closing@ */
#include "@name@.h"

#include <math.h>
@if parameters
#include <stddef.h>
@end
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N @NAME@_STATES

typedef struct {
    double end, tolerance, step;
    int samples;
} settings;

static void fail(const char *what, const char *about)
{
    fprintf(stderr, "@name@: %s%s\n", what, about);
    exit(1);
}

/* -- settings ---------------------------------------------------------------------------------------------------- */

@if parameters
/* one NAME = VALUE on each line; # begins a remark */
static void read_parameters(@name@ *m, const char *path)
{
    static const struct {
        const char *name;
        size_t place;
    } known[] = {
@known@
    };
    char line[512], name[256];
    double value;
    FILE *file = fopen(path, "r");
    if (!file)
        fail("cannot read ", path);
    while (fgets(line, sizeof line, file)) {
        size_t i = 0;
        line[strcspn(line, "#\n")] = 0;
        if (strspn(line, " \t\r") == strlen(line))
            continue;
        if (sscanf(line, " %255[^ =\t] = %lf", name, &value) != 2)
            fail("no NAME = VALUE: ", line);
        while (i < sizeof known/sizeof *known && strcmp(known[i].name, name))
            i++;
        if (i == sizeof known/sizeof *known)
            fail("no parameter named ", name);
        memcpy((char *)m + known[i].place, &value, sizeof value);
    }
    fclose(file);
}

@end
static double number(const char *text)
{
    char *rest;
    const double value = strtod(text, &rest);
    if (*rest || rest == text)
        fail("no number: ", text);
    return value;
}

static settings read_arguments(@name@ *m, int count, char **texts)
{
    settings s = {@tend@, 1e-12, 0.0, 100};
    for (int i = 1; i < count; i++) {
        const char *key = texts[i];
        if (key[0] != '-' || key[1] != '-') {
@if parameters
            read_parameters(m, key);
@end
@if !parameters
            (void)m;
            fail("there are no parameters to read from ", key);
@end
            continue;
        }
        if (++i == count)
            fail("a number is missing after ", key);
        if (!strcmp(key, "--end"))
            s.end = number(texts[i]);
        else if (!strcmp(key, "--samples"))
            s.samples = (int)number(texts[i]);
        else if (!strcmp(key, "--tolerance"))
            s.tolerance = number(texts[i]);
        else if (!strcmp(key, "--step"))
            s.step = number(texts[i]);
        else
            fail("not known: ", key);
    }
    if (!(s.end > @t0@) || s.samples < 1 || !(s.tolerance > 0.0))
        fail("the end, the number of samples or the tolerance is out of range", "");
    return s;
}

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
static void close_constraints(const @name@ *m, double t, double y[])
{
    double change[N], largest = 1.0, speed = size_of(y);
    for (int k = 0; k < 50 && !(largest <= 1e-9*(1.0 + speed)); k++) {
        @name@_correct(m, t, y, change);
        for (int i = 0; i < N; i++)
            y[i] += change[i];
        largest = size_of(change);
    }
    if (!(largest <= 1e-9*(1.0 + speed)))
        fail("the constraints cannot be closed", "");
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

static double attempt(const @name@ *m, const settings *s, double t, double h, const double y[], const double k1[],
    double next[])
{
    return s->step > 0.0 ? try_classical(m, t, h, y, k1, next) : try_step(m, t, h, y, k1, s->tolerance, next);
}

@if events
/* -- events ------------------------------------------------------------------------------------------------------ */

/* the first event whose value changes its sign, or -1 */
static int find_change(const double before[], const double after[])
{
    for (int i = 0; i < @NAME@_EVENTS; i++) {
        const int up = before[i] < 0.0 && after[i] >= 0.0, down = before[i] > 0.0 && after[i] <= 0.0;
        const int direction = @name@_event_directions[i];
        if ((up && direction != -1) || (down && direction != 1))
            return i;
    }
    return -1;
}

/* shorten a step so that it ends right behind the first change of sign in it, and say which event that is */
static int locate(const @name@ *m, const settings *s, double t, double *h, const double y[], const double k1[],
    double next[])
{
    double before[@NAME@_EVENTS], after[@NAME@_EVENTS], early = 0.0, late = *h;
    int found;
    @name@_events(m, t, y, before);
    @name@_events(m, t + late, next, after);
    found = find_change(before, after);
    if (found < 0)
        return -1;
    while (late - early > 1e-15*(fabs(t) + *h)) {
        const double middle = 0.5*(early + late);
        int earlier;
        if (middle <= early || middle >= late)
            break;
        attempt(m, s, t, middle, y, k1, next);
        @name@_events(m, t + middle, next, after);
        earlier = find_change(before, after);
        if (earlier < 0) {
            early = middle;
        } else {
            late = middle;
            found = earlier;
        }
    }
    *h = late;
    attempt(m, s, t, late, y, k1, next);
    return found;
}

@end
/* -- the motion -------------------------------------------------------------------------------------------------- */

/* go on to a time with steps of about this length; 1 if something has ended the motion before */
static int advance(const @name@ *m, const settings *s, double *t, double until, double y[], double *step)
{
    while (*t < until) {
        double k1[N], next[N], h = fmin(*step, until - *t), error;
        const double whole = h;
        int event = -1;
        rates(m, *t, y, k1);
        error = attempt(m, s, *t, h, y, k1, next);
        if (!(error <= 1.0)) {
            *step = h*(isfinite(error) ? fmax(0.2, 0.9*pow(error, -0.2)) : 0.1);
            if (*t + *step <= *t)
                fail("the step became too small", "");
            continue;
        }
@if events
        event = locate(m, s, *t, &h, y, k1, next);
@end
        *t = event < 0 && h == until - *t ? until : *t + h;
        memcpy(y, next, sizeof next);
@if corrects
        close_constraints(m, *t, y);
@end
        if (s->step <= 0.0 && whole == *step)
            *step = whole*fmin(5.0, 0.9*pow(fmax(error, 1e-10), -0.2));
@if events
        if (event >= 0 && @name@_event_directions[event] != 2)
            fprintf(stderr, "t = %.12g: %s\n", *t, @name@_event_names[event]);
        if (event >= 0 && @name@_event_stops[event])
            return 1;
@end
@if !events
        (void)event;
@end
    }
    return 0;
}

static void write_names(const char *const names[], int count)
{
    for (int i = 0; i < count; i++)
        printf(",\"%s\"", names[i]);
}

static void write_values(const double values[], int count)
{
    for (int i = 0; i < count; i++)
        printf(",%.17g", values[i]);
}

static void write_row(const @name@ *m, double t, const double y[])
{
    double dy[N], lambda[@NAME@_MULTIPLIERS + 1];
@if outputs
    double out[@NAME@_OUTPUTS];
@end
    @name@_rhs(m, t, y, dy, lambda);
    printf("%.17g", t);
    write_values(y, N);
    write_values(lambda, @NAME@_MULTIPLIERS);
@if outputs
    @name@_outputs(m, t, y, dy, lambda, out);
    write_values(out, @NAME@_OUTPUTS);
@end
    printf("\n");
}

int main(int count, char **texts)
{
    @name@ m;
    settings s;
    double t = @t0@, y[N], step;
    int ended = 0;
    @name@_defaults(&m);
    s = read_arguments(&m, count, texts);
    @name@_init(&m);
    memcpy(y, @name@_start, sizeof y);
@if corrects
    close_constraints(&m, t, y);
@end
    printf("t");
    write_names(@name@_state_names, N);
@if multipliers
    write_names(@name@_multiplier_names, @NAME@_MULTIPLIERS);
@end
@if outputs
    write_names(@name@_output_names, @NAME@_OUTPUTS);
@end
    printf("\n");
    write_row(&m, t, y);
    step = s.step > 0.0 ? s.step : 1e-6*(s.end - t);
    for (int i = 1; i <= s.samples && !ended; i++) {
        const double until = i == s.samples ? s.end : @t0@ + i*((s.end - @t0@)/s.samples);
        ended = advance(&m, &s, &t, until, y, &step);
        write_row(&m, t, y);
    }
    return 0;
}
