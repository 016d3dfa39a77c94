/* @title@: equations of motion, written by linkwork from @source@. See README.md. */
#ifndef @NAME@_H
#define @NAME@_H

#define @NAME@_STATES @states@
#define @NAME@_MULTIPLIERS @multipliers@
#define @NAME@_OUTPUTS @outputs@
#define @NAME@_EVENTS @events@
@if acts
#define @NAME@_ACTS @acts@
@end

typedef struct {
@fields@
} @name@;

/* the state y at the start, the sizes by which its errors are judged, and the names of everything */
extern const double @name@_start[], @name@_sizes[];
extern const char *const @name@_state_names[];
@if multipliers
extern const char *const @name@_multiplier_names[];
@end
@if outputs
extern const char *const @name@_output_names[];
@end
@if events
extern const char *const @name@_event_names[];
/* 1, -1: an event where the value rises, falls; 0: both ways; 2: no event, a law changes its piece */
extern const int @name@_event_directions[];
extern const int @name@_event_stops[];
@end

/* parameters and inputs as they were */
void @name@_defaults(@name@ *m);
/* all that follows from the parameters; not 0 if one is zero that was not, or the other way round: then the equations
   would be others */
int @name@_init(@name@ *m);

@if stubs
/* to be filled in: see external.c */
@stub_prototypes@

@end
@prototypes@
@if acts
/* give the values that acts has computed for an event to the inputs in m and the state y */
void @name@_act(@name@ *m, int event, const double a[], double y[]);
@end

#endif
