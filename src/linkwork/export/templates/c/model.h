/* @title@: equations of motion, @written@. See README.md. */
#ifndef @NAME@_H
#define @NAME@_H

#define @NAME@_STATES @states@
#define @NAME@_MULTIPLIERS @multipliers@
#define @NAME@_OUTPUTS @outputs@
#define @NAME@_EVENTS @events@
@if counted
#define @NAME@_ACTS @acts@
@end
@if modes
#define @NAME@_PLACES @first_speed@
#define @NAME@_SPEEDS @n_speeds@
#define @NAME@_BARRIERS @n_barriers@
#define @NAME@_GRIPS @n_grips@
#define @NAME@_SWITCHES @n_switches@
#define @NAME@_WANTED @n_wanted@
#define @NAME@_WATCHED (@NAME@_EVENTS + @NAME@_BARRIERS + @NAME@_GRIPS)
@end
@if controllers
#define @NAME@_CONTROLLERS @n_controllers@
#define @NAME@_HELD @n_held@
#define @NAME@_CLOCKS @n_clocks@
@end
@if reads
#define @NAME@_READS @n_reads@
@end
@if answers
#define @NAME@_ANSWERS @n_answers@
@end
@if controllers
#define @NAME@_MOST @most@
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
@if happens
/* behind those of the events: of each stop off and rest, of all friction sticks and slips */
@end
@if events
extern const char *const @name@_event_names[];
/* 1, -1: an event where the value rises, falls; 0: both ways; 2: no event, a law changes its piece */
extern const int @name@_event_directions[];
extern const int @name@_event_stops[];
/* 1: an event acts; 2: it is a stop that is struck; 3: friction that comes to a stop */
extern const int @name@_event_kinds[];
@end

@if barriers
/* stops: their constraint, their event, and whether they are of positions */
typedef struct { int row, watch, is_gap; } @name@_barrier;
extern const @name@_barrier @name@_barriers[];
@end
@if grips
/* friction: its constraints, one or two, and its event */
typedef struct { int rows, row[2], watch; } @name@_grip;
extern const @name@_grip @name@_grips[];
@end
@if switches
/* constraints that events switch */
typedef struct { int event, row, on; } @name@_switch;
extern const @name@_switch @name@_switches[];
@end
@if wanted
/* speeds that events give values: the places of value and slopes */
typedef struct { int event, value, slopes; } @name@_want;
extern const @name@_want @name@_wanted[];
@end
@if values
/* of each value of events what it is given to: who has the same must agree */
typedef struct { int event, goal; } @name@_goal;
extern const @name@_goal @name@_goals[];
@end

@if controllers
/* a sampled controller: how many values it reads, holds of these, remembers and sets; how many answers may be on their
   way; whether it is a function in external.c; where its values begin; by how many periods it answers late */
typedef struct {
    int reads, named, memory, targets, slots, calls, first_read, first_held, first_clock, first_answer;
    double delay;
} @name@_controller;
extern const @name@_controller @name@_controllers[];

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
@if modes
/* in solve.c: the rates dy and multipliers lambda with the constraints that hold, and what closes these */
void @name@_rhs(const @name@ *m, double t, const double y[], double dy[], double lambda[]);
void @name@_correct(const @name@ *m, double t, const double y[], double dy[]);
@end
@if grips
/* of all friction which way it slides, 1, -1 or 0, and its lead in two directions */
void @name@_get_grips(const @name@ *m, double grips[]);
void @name@_set_grips(@name@ *m, const double grips[]);
@end
@if packs
void @name@_get_settled(const @name@ *m, double settled[]);
void @name@_set_settled(@name@ *m, const double settled[]);
@end
@if settled
/* find the values in laws that belong to the same instant, from those that are there on; NAN if there are none. All
   functions do so for themselves */
void @name@_settle(@name@ *m, double t, const double y[]);
@end
@if acts
/* give the values that acts has computed for an event to the inputs in m and the state y */
void @name@_act(@name@ *m, int event, const double a[], double y[]);
@end
@if controllers
/* all that controllers hold */
void @name@_get_held(const @name@ *m, double held[]);
void @name@_set_held(@name@ *m, const double held[]);
@end
@if asks
/* what a controller answers */
void @name@_ask(@name@ *m, int controller, double t, const double read[], double set[]);
@end

#endif
