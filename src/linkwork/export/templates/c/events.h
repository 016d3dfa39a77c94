/* @title@: events, for integrate.c@modal_words@. */
#ifndef @NAME@_EVENTS_H
#define @NAME@_EVENTS_H

#include "integrate.h"

/* an instant at which something happens */
typedef struct {
    @const@@name@ *m;
    @name@_steps *s;
    double t, *y;
    void (*tell)(double, int);
@if happens
    int halted[@NAME@_GRIPS + 1]; /* grips that have just stopped */
    int slipping;                 /* the grip that has just been overcome, or -1, */
    double pull[2];               /* and how it is pulled */
@end
} @name@_instant;

void @name@_say(const @name@_instant *at, double t, int what);
@if values
/* whether two events at one time ask for different things */
int @name@_contradict(const int now[], const double a[]);
@end
@if reacts
/* what some events do; 0, or a reason that words tell */
int @name@_react(@name@_instant *at, const int now[]);
@end
@if happens
/* make the speeds meet constraints that hold, by impulses along them, if that is better than what there is */
void @name@_meet(@name@_instant *at);
/* a stop that was found to have to pull, or would have to, lets go, or friction slips; 0, or a reason that words tell */
int @name@_release(@name@_instant *at, const int found[], const double after[]);
@end
/* shorten a step so that it ends where something first happens, and say what; whether there is anything */
int @name@_locate(const @name@ *m, @name@_steps *s, double t, double *h, const double y[], const double k1[],
    double next[], int found[]);

#endif
