/* @title@: the motion as a table.

   ./@name@ [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv */
#include "integrate.h"

#include <math.h>
#include <stdarg.h>
@if parameters
#include <stddef.h>
@end
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int most_rows = 1000000000, most_steps = 1000000000;
static const char usage[] =
@usage@;

typedef struct {
    double end, tolerance, step;
    int samples;
} settings;

/* end in words, of which the first is a format */
static void fail(const char *words, ...)
{
    va_list values;
    va_start(values, words);
    fputs("@name@: ", stderr);
    vfprintf(stderr, words, values);
    fputs("\n", stderr);
    va_end(values);
    exit(1);
}

/* -- settings ---------------------------------------------------------------------------------------------------- */

/* whether a text is a finite decimal number and nothing else */
static int is_number(const char *text, double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    return !text[strspn(text, "0123456789+-.eE \t\r")] && rest != text && !rest[strspn(rest, " \t\r")]
        && isfinite(*value);
}

@if parameters
/* give the value of a NAME = VALUE to the parameter of that name */
static void read_parameter(@name@ *m, const char *line, const char *path, int row)
{
    static const struct {
        const char *name;
        size_t place;
    } known[] = {
@known@
    };
    char name[256];
    double value;
    size_t i = 0;
    int sign = 0;
    if (sscanf(line, " %255[^ =\t] =%n", name, &sign) != 1 || sign == 0)
        fail("%s:%d: no NAME = VALUE: %s", path, row, line);
    while (i < sizeof known/sizeof *known && strcmp(known[i].name, name))
        i++;
    if (i == sizeof known/sizeof *known)
        fail("%s:%d: no parameter named %s", path, row, name);
    if (!is_number(line + sign, &value))
        fail("%s:%d: no number: %s", path, row, line);
    memcpy((char *)m + known[i].place, &value, sizeof value);
}

/* one NAME = VALUE on each line; # begins a remark */
static void read_parameters(@name@ *m, const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file)
        fail("cannot read %s", path);
    for (int row = 1, c = 0; c != EOF; row++) {
        const char *text = line;
        size_t length = 0;
        int remark = 0;
        while ((c = getc(file)) != '\n' && c != EOF) {
            if (c == 0)
                fail("%s:%d: a zero byte: this is no text in UTF-8", path, row);
            remark |= c == '#';
            if (remark)
                continue;
            if (length == sizeof line - 1)
                fail("%s:%d: the line is too long", path, row);
            line[length++] = (char)c;
        }
        line[length] = 0;
        /* a mark of the order of bytes is no part of the text */
        if (row == 1 && !strncmp(line, "\xEF\xBB\xBF", 3))
            text += 3;
        if (text[strspn(text, " \t\r")])
            read_parameter(m, text, path, row);
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
}

@end
static double read_number(const char *key, const char *text, double above)
{
    double value;
    if (!is_number(text, &value) || !(value > above))
        fail("%s takes a number above %g, not %s", key, above, text);
    return value;
}

static double read_tolerance(const char *key, const char *text)
{
    double value;
    if (!is_number(text, &value) || value < @least_tolerance@ || value > @most_tolerance@)
        fail("%s takes a number from @least_tolerance@ to @most_tolerance@, not %s", key, text);
    return value;
}

static int read_whole(const char *key, const char *text)
{
    double value;
    if (!is_number(text, &value) || value < 1.0 || value > most_rows || value > floor(value))
        fail("%s takes a whole number from 1 to %d, not %s", key, most_rows, text);
    return (int)value;
}

static settings read_arguments(@name@ *m, int count, char **texts)
{
    settings s = {@tend@, 1e-12, 0.0, 100};
    for (int i = 1; i < count; i++) {
        const char *key = texts[i];
        if (!strcmp(key, "--help") || !strcmp(key, "-h")) {
            fputs(usage, stdout);
            exit(0);
        }
        if (key[0] != '-' || key[1] != '-') {
@if parameters
            read_parameters(m, key);
@end
@if !parameters
            (void)m;
            fail("there are no parameters to read from %s", key);
@end
            continue;
        }
        if (++i == count)
            fail("a number is missing after %s", key);
        if (!strcmp(key, "--end"))
            s.end = read_number(key, texts[i], @t0@);
        else if (!strcmp(key, "--samples"))
            s.samples = read_whole(key, texts[i]);
        else if (!strcmp(key, "--tolerance"))
            s.tolerance = read_tolerance(key, texts[i]);
        else if (!strcmp(key, "--step"))
            s.step = read_number(key, texts[i], 0.0);
        else
            fail("not known: %s", key);
    }
    if (!(s.end > @t0@))
        fail("the motion begins later than it ends: give a later --end");
    if (s.step > 0.0 && (s.end - @t0@)/s.step > most_steps)
        fail("--step %g is too small: these would be more than %d steps", s.step, most_steps);
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
    double dy[@NAME@_STATES], lambda[@NAME@_MULTIPLIERS + 1];
@if outputs
    double out[@NAME@_OUTPUTS];
@end
    @name@_rhs(m, t, y, dy, lambda);
    printf("%.17g", t);
    write_values(y, @NAME@_STATES);
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
    double t = @t0@, y[@NAME@_STATES];
    int ended = 0;
    @name@_defaults(&m);
    s = read_arguments(&m, count, texts);
    if (@name@_init(&m))
        fail("a value is negative, or next to nothing, or no longer zero: the equations are others then, export again");
    memcpy(y, @name@_start, sizeof y);
@if corrects
    if (@name@_close(&m, t, y))
        fail("the constraints cannot be closed");
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
        fail("%s", @name@_words(ended));
@end
@if controllers
    @name@_sample(&m, t, y);
@end
@if events
    @name@_begin_motion(&m, &steps, t, y);
@end
    printf("t");
    write_names(@name@_state_names, @NAME@_STATES);
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
@if events
        if (ended < 0)
            fail("%s", @name@_words(ended));
@end
@if !events
        if (ended < 0)
            fail(ended == -1 ? "the step became too small" : "the constraints cannot be closed");
@end
        write_row(&m, t, y);
    }
    return 0;
}
