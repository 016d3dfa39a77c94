/* @title@: a functional mock-up unit of FMI @version@, for model exchange and co-simulation.

   Value references count the states, their rates, the multipliers, the outputs, the parameters, the inputs, time,
   and the values of events. */
#include "integrate.h"
@if modes
#include "solve.h"
@end

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N @NAME@_STATES
#define FIRST_RATE N
#define FIRST_MULTIPLIER (2*N)
#define FIRST_OUTPUT (FIRST_MULTIPLIER + @NAME@_MULTIPLIERS)
#define FIRST_FIELD (FIRST_OUTPUT + @NAME@_OUTPUTS)
#define FIELDS @fields_count@

#ifdef _WIN32
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

typedef struct {
    @name@ m;
    @name@_steps steps;
    double t, y[N], dy[N], lambda[@NAME@_MULTIPLIERS + 1], out[@NAME@_OUTPUTS + 1];
    int known;                      /* rates, multipliers and outputs belong to the state */
    int drifted;                    /* the constraints are to be closed */
    int ended;
@if controllers
    double next; /* when controllers do something next */
@end
} instance;

/* parameters and inputs */
static const size_t fields[FIELDS + 1] = {@offsets@0};

static void restart(instance *c)
{
    memset(c, 0, sizeof *c);
    @name@_defaults(&c->m);
    memcpy(c->y, @name@_start, sizeof c->y);
    c->t = @t0@;
    c->steps.tolerance = 1e-10;
}

@if events
/* the state with closed constraints, by which is judged what happens; whoever integrates drifts off them */
static void close_state(const instance *c, double y[])
{
    memcpy(y, c->y, sizeof c->y);
@if corrects
    if (@name@_close(&c->m, c->t, y))
        memcpy(y, c->y, sizeof c->y);
@end
}

/* event indicators; what counts where it is negative is never zero, and what has been struck and moves away is not struck
   again, though whoever integrates may have passed it by a little */
static void indicate(const instance *c, double now[])
{
    double y[N];
    close_state(c, y);
    @name@_judge(&c->m, c->t, y, c->steps.seen, now);
@if happens
@if barriers
    @name@_numbers at;
    @name@_look(&c->m, c->t, y, &at);
    for (int i = 0; i < @NAME@_BARRIERS; i++) {
        const @name@_barrier *b = @name@_barriers + i;
        if (b->is_gap && !c->m.holds[b->row] && at.g[b->row] < 0.0 && at.dg[b->row] >= 0.0)
            now[b->watch] = 0.0;
    }
@end
    for (int i = 0; i < @NAME@_WATCHED; i++)
        if (now[i] == 0.0 && (i >= @NAME@_EVENTS || @name@_event_kinds[i] > 1))
            now[i] = 1e-300;
@end
}

@end
static void look(instance *c)
{
@if settled
    @name@_settle(&c->m, c->t, c->y);
@end
    c->known = 0;
}

/* the constants, and the state made consistent; 0 if that succeeds */
static int begin(instance *c)
{
    if (@name@_init(&c->m))
        return 1;
@if corrects
    if (@name@_close(&c->m, c->t, c->y))
        return 1;
@end
@if happens
@if settled
    @name@_settle(&c->m, c->t, c->y);
@end
    if (@name@_begin(&c->m, &c->steps, c->t, c->y, NULL))
        return 1;
@end
    look(c);
@if events
    @name@_begin_motion(&c->m, &c->steps, c->t, c->y);
@end
    return 0;
}

static void refresh(instance *c)
{
    if (c->known)
        return;
    @name@_init(&c->m);
    @name@_rhs(&c->m, c->t, c->y, c->dy, c->lambda);
@if outputs
    @name@_outputs(&c->m, c->t, c->y, c->dy, c->lambda, c->out);
@end
    c->known = 1;
}

/* 0 if there is such a value */
static int get_value(instance *c, uint32_t reference, double *value)
{
    if (reference == FIRST_FIELD + FIELDS) {
        *value = c->t;
        return 0;
    }
    if (reference > FIRST_FIELD + FIELDS) {
        const uint32_t i = reference - FIRST_FIELD - FIELDS - 1;
        if (i >= @NAME@_@seen@)
            return 1;
@if events
        double now[@NAME@_@seen@];
        indicate(c, now);
        *value = now[i];
@end
        return 0;
    }
    if (reference >= FIRST_FIELD) {
        memcpy(value, (char *)&c->m + fields[reference - FIRST_FIELD], sizeof *value);
        return 0;
    }
    refresh(c);
    if (reference < FIRST_RATE)
        *value = c->y[reference];
    else if (reference < FIRST_MULTIPLIER)
        *value = c->dy[reference - FIRST_RATE];
    else if (reference < FIRST_OUTPUT)
        *value = c->lambda[reference - FIRST_MULTIPLIER];
    else
        *value = c->out[reference - FIRST_OUTPUT];
    return 0;
}

/* 0 if it may be set */
static int set_value(instance *c, uint32_t reference, double value)
{
    if (reference < FIRST_RATE)
        c->y[reference] = value;
    else if (reference >= FIRST_FIELD && reference < FIRST_FIELD + FIELDS)
        memcpy((char *)&c->m + fields[reference - FIRST_FIELD], &value, sizeof value);
    else
        return 1;
    c->known = 0;
    return 0;
}

/* after a step of whoever integrates: whether the constraints have opened so far that they must be closed */
static int has_drifted(instance *c)
{
@if corrects
    double change[N];
    @name@_correct(&c->m, c->t, c->y, change);
    for (int i = 0; i < N; i++)
        if (fabs(change[i]) > 1e-9*(@name@_sizes[i] + fabs(c->y[i])))
            c->drifted = 1;
@end
    return c->drifted;
}

/* after a step too: values of events that have not changed their sign are seen as they are now */
static void follow(instance *c)
{
@if events
    double now[@NAME@_@seen@], y[N];
    int found[@NAME@_@seen@];
    close_state(c, y);
    @name@_judge(&c->m, c->t, y, c->steps.seen, now);
    @name@_find_changes(c->steps.seen, now, 0, found);
    for (int i = 0; i < @NAME@_@seen@; i++)
        if (!found[i])
            c->steps.seen[i] = now[i];
@end
@if !events
    (void)c;
@end
}

@if events
/* do what has happened; less than 0 if the motion cannot go on */
static int react(instance *c)
{
    double now[@NAME@_@seen@];
    int found[@NAME@_@seen@], status;
    @name@_judge(&c->m, c->t, c->y, c->steps.seen, now);
    if (!@name@_find_changes(c->steps.seen, now, 0, found)) {
        @name@_follow(&c->m, &c->steps, c->t, c->y);
        return 0;
    }
    status = @name@_happen(&c->m, &c->steps, c->t, found, c->y, NULL);
    c->ended |= status == 1;
    return status;
}

@end
/* what happens at an event; 1 if the state has changed, -1 if events never come to an end */
static int settle(instance *c)
{
    double before[N];
    memcpy(before, c->y, sizeof before);
@if events
@if corrects
    /* what happens is judged by constraints that are closed */
    if (@name@_close(&c->m, c->t, c->y))
        return -1;
    c->drifted = 0;
@end
@if settled
    @name@_settle(&c->m, c->t, c->y);
@end
    if (react(c) < 0)
        return -1;
@end
@if corrects
    if (c->drifted && @name@_close(&c->m, c->t, c->y))
        return -1;
    c->drifted = 0;
@end
@if controllers
    c->next = @name@_sample(&c->m, c->t, c->y);
@if events
    if (react(c) < 0)
        return -1;
@end
@end
    look(c);
    return memcmp(before, c->y, sizeof before) != 0;
}

/* as advance does */
static int advance_to(instance *c, double until)
{
    int status;
    @name@_init(&c->m);
    if (!(c->steps.length > 0.0))
        c->steps.length = 1e-6*(until - c->t);
    status = @name@_advance(&c->m, &c->steps, &c->t, until, c->y, NULL);
    c->ended = status == 1;
    look(c);
    return status;
}

static instance *create(const char *token)
{
    instance *c = token && !strcmp(token, "@token@") ? malloc(sizeof *c) : NULL;
    if (c)
        restart(c);
    return c;
}

/* 0 if memory suffices */
static int keep(void **state, const void *from)
{
    if (!*state)
        *state = malloc(sizeof(instance));
    if (*state)
        memcpy(*state, from, sizeof(instance));
    return !*state;
}
