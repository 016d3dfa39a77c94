/* @title@: the motion as a table.

   ./@name@ [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv */
#include "integrate.h"

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

/* -- the motion -------------------------------------------------------------------------------------------------- */

@if events
static void tell(double t, int event)
{
    if (@name@_event_directions[event] != 2)
        fprintf(stderr, "t = %.12g: %s\n", t, @name@_event_names[event]);
}

@end
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
    @name@_steps steps;
    double t = @t0@, y[N];
    int ended = 0;
    @name@_defaults(&m);
    s = read_arguments(&m, count, texts);
    if (@name@_init(&m))
        fail("a value is zero that was not, or the other way round: the equations are others then, export again", "");
    memcpy(y, @name@_start, sizeof y);
@if corrects
    if (@name@_close(&m, t, y))
        fail("the constraints cannot be closed", "");
@end
    steps.tolerance = s.tolerance;
    steps.fixed = s.step;
    steps.length = s.step > 0.0 ? s.step : 1e-6*(s.end - t);
@if settled
    @name@_settle(&m, t, y);
@end
@if happens
    ended = @name@_begin(&m, &steps, t, y, tell);
    if (ended)
        fail(@name@_words(ended), "");
@end
@if controllers
    @name@_sample(&m, t, y);
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
    for (int i = 1; i <= s.samples && !ended; i++) {
        const double until = i == s.samples ? s.end : @t0@ + i*((s.end - @t0@)/s.samples);
@if events
        ended = @name@_advance(&m, &steps, &t, until, y, tell);
@end
@if !events
        ended = @name@_advance(&m, &steps, &t, until, y, NULL);
@end
@if happens
        if (ended < 0)
            fail(@name@_words(ended), "");
@end
@if !happens
        if (ended < 0)
            fail(ended == -1 ? "the step became too small" : ended == -2 ? "the constraints cannot be closed"
                : "events set off each other without end", "");
@end
        write_row(&m, t, y);
    }
    return 0;
}
