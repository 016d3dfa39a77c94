/* @title@: steps of integration. */
#ifndef @NAME@_INTEGRATE_H
#define @NAME@_INTEGRATE_H

#include "@name@.h"

typedef struct {
    double tolerance; /* allowed error of a step, relative to the state and its sizes */
    double fixed;     /* the length of all steps, or 0 */
    double length;    /* of the next step: give a small one at first */
@if events
    double seen[@NAME@_@seen@]; /* values of events as they count, which begin_motion finds */
    double beat[4*@NAME@_EVENTS]; /* when events acted, and after which pauses */
@end
} @name@_steps;

@if corrects
/* close the constraints by Newton's method; 0 if that succeeds */
int @name@_close(const @name@ *m, double t, double y[]);

@end
/* y at t + h by one step with the rates k1 at its start; the estimated error, 1 being as large as allowed */
double @name@_attempt(const @name@ *m, const @name@_steps *s, double t, double h, const double y[], const double k1[],
    double next[]);

@if happens
/* what holds at the start, after impacts there; 0, or a reason that words tell */
int @name@_begin(@name@ *m, @name@_steps *s, double t, double y[], void tell(double, int));
/* values of events; of stops and friction those that become negative where they are struck, pull, stop and slip */
void @name@_watch(const @name@ *m, double t, const double y[], double s[]);
@end
@if events
/* what a negative status means */
const char *@name@_words(int status);
/* on which sides of zero the values of events are at the start: once before the first step */
void @name@_begin_motion(@const@@name@ *m, @name@_steps *s, double t, double y[]);
/* values of events as they count: what is zero but for rounding is on the side where it was */
void @name@_judge(const @name@ *m, double t, const double y[], const double seen[], double s[]);
/* see them as they are now */
void @name@_follow(const @name@ *m, @name@_steps *s, double t, const double y[]);
/* what happens from some values to others, and whether anything does; pulls of stops must be clear if `clear` */
int @name@_find_changes(const double before[], const double after[], int clear, int found[]);
@if controllers
/* events that happen because something else was set; whether there are any */
int @name@_find_jumps(const @name@ *m, const @name@_steps *s, double t, const double y[], int found[]);
@end
/* tell all that was found to happen at a time, and do it; then what that sets off.
   0; 1: the motion ends; less: see words */
int @name@_happen(@const@@name@ *m, @name@_steps *s, double t, const int found[], double y[], void tell(double, int));

@end
@if controllers
/* what controllers do at a time, if anything; when they do something next */
double @name@_sample(@name@ *m, double t, const double y[]);

@end
/* go on to a time. 0: reached; 1: an event has ended the motion before; -1: the step became too small; -2: the
   constraints cannot be closed; -3: events set off each other without end. Events are told to `tell`, unless it is NULL. */
int @name@_advance(@const@@name@ *m, @name@_steps *s, double *t, double until, double y[], void tell(double, int));

#endif
