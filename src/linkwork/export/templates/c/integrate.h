/* @title@: steps of integration. */
#ifndef @NAME@_INTEGRATE_H
#define @NAME@_INTEGRATE_H

#include "@name@.h"

typedef struct {
    double tolerance; /* allowed error of a step, relative to the state and its sizes */
    double fixed;     /* the length of all steps, or 0 */
    double length;    /* of the next step: give a small one at first */
} @name@_steps;

@if corrects
/* close the constraints by Newton's method; 0 if that succeeds */
int @name@_close(const @name@ *m, double t, double y[]);

@end
@if happens
/* what holds at the start, after impacts there; 0, or a reason that words tell */
int @name@_begin(@name@ *m, const @name@_steps *s, double t, double y[], void tell(double, int));
/* values of events; of stops and friction those that become negative where they are struck, pull, stop and slip */
void @name@_watch(const @name@ *m, double t, const double y[], double s[]);
/* the first of them that changes its sign, or -1; a pull must be clear if `clear` */
int @name@_find_change(const double before[], const double after[], int clear);
/* what a negative status means */
const char *@name@_words(int status);
@end
@if events
/* whether the value of an event changes its sign in a direction that counts */
int @name@_crossed(int i, double before, double after);
/* tell all that happens at a time, given the values of events before, and do it; then what that sets off.
   0; 1: the motion ends; -3: events set off each other without end@more_status@ */
int @name@_happen(@const@@name@ *m, double t, double before[], double y[], void tell(double, int));

@end
@if controllers
/* what controllers do at a time, if anything; when they do something next */
double @name@_sample(@name@ *m, double t, const double y[]);

@end
/* go on to a time. 0: reached; 1: an event has ended the motion before; -1: the step became too small; -2: the
   constraints cannot be closed; -3: events set off each other without end. Events are told to `tell`, unless it is NULL. */
int @name@_advance(@const@@name@ *m, @name@_steps *s, double *t, double until, double y[], void tell(double, int));

#endif
