/* What the files of the runtime share: tables of a system, state of a run, statuses.
 *
 * Unknowns live in slots, in the order of elimination: accelerations of coordinates and multipliers mixed. Behind them
 * come the followers, the frozen coordinates (fixed points) and one slot that nobody reads. A series is an array of rows, one per
 * order; a coordinate's slot holds its coefficients of position, a multiplier's slot those of the multiplier.
 *
 *     [ H  G' ] [ a       ]   [ -r       ]        H = M + G' W G  is positive definite,
 *     [ G  0  ] [ lambda' ] = [ -gamma   ]        lambda = lambda' - W gamma
 *
 * with gamma from the second time derivative of constraints of positions and the first of constraints of velocities,
 * which is the saddle-point problem of the equations of motion with its first block made definite, so that L D L'
 * needs no pivoting as long as a multiplier is eliminated after its coordinates.
 *
 * Redundant constraints make the matrix singular. They are noticed by a vanishing pivot; from then on -E, with E small,
 * stands in the place of the zero block and a few refinements with the true matrix remove its effect on the motion.
 */
#include <math.h>
#include <string.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#include "curve.h"

typedef void (*stage_function)(long k, long blocks, long capacity, double t, const double *S, long stride,
                               const int *from, const int *to, const double *par, double *work, double *R);
typedef void (*matrix_function)(long blocks, double t, const double *S, long stride, const int *from, const int *to,
                                const double *par, double *F);

/* one kernel and its instances */
typedef struct {
    stage_function stage;
    matrix_function matrix;
    long blocks;
    long last_stage;              /* later stages add nothing */
    const int *from;              /* slots of the local unknowns */
    const int *stage_to;          /* slots of the results */
    const int *matrix_to;         /* places in F */
    const double *stage_par;
    const double *matrix_par;
    double *work;                 /* stored coefficients: (blocks, capacity, stored, lanes) */
    long stored, lanes, instances;
    long hiding;                  /* functions that can hide what they do from a series: */
    const int *argument;          /* where their arguments are stored */
} lw_term;

/* the rates of followers by one kernel and its instances */
typedef struct {
    stage_function correct, advance;
    long blocks;
    const int *from;              /* slots of the coordinates whose speeds move them, and their own */
    const int *to;                /* their slots */
    const double *par;
    double *work;                 /* as above */
} lw_kinematics;

typedef void (*plain_function)(long blocks, double t, const double *S, long stride, const double *c, const int *from,
                               const int *to, const double *par, double *F);

/* a program that is read line by line: see tape.h */
typedef struct {
    int op, a, b, c;              /* lines it reads */
    int place, row;               /* of an input or a column; row of S */
    double value;                 /* a number, or an exponent */
} lw_line;

typedef struct {
    long lines, results, lanes, inputs, columns;
    const lw_line *line;
    const int *result, *place;    /* lines that are results, and their places among the results */
    double *work;                 /* (lines, lanes) */
} lw_tape;

/* what implicit steps need: of one kernel and its instances, */
typedef struct {
    plain_function residual, tangent;
    const lw_tape *residual_tape, *tangent_tape; /* the same, where there is no code yet */
    long blocks;
    const int *from, *residual_to, *tangent_to; /* residuals: two rows of slots, r and g in the first, g' or h in the second */
    const double *residual_par, *tangent_par;
} lw_stiff;

typedef struct lw_algebra lw_algebra;

/* of Radau methods (radau.py): coefficients, and */
typedef struct {
    long stages;
    const double *nodes, *A, *A2, *spectrum, *there, *back, *error, *dense, *between;
    double *parts;                /* M and G, C and D, K: each in the places of the matrix */
    double *pairs;                /* factors of complex matrices, each with the inverses of its pivots behind */
    double *room;                 /* rows of slots */
    double *scratch;              /* numbers of all stages by unknown */
    double *rows;                 /* of constraints, and a number of each; NULL: they are too many */
    double *blocks, *block_inverses; /* factors of all stages at once, where one matrix does not do for all */
    long full;                    /* whether that is so */
    lw_algebra *border;           /* values in laws, of all stages; NULL: there are none */
} lw_radau;

/* and of all */
typedef struct {
    /* tables, and what is asked: the spectral radius of infinitely stiff motions */
    const lw_stiff *term;
    const double *constant;       /* part of the matrix: D, L, U */
    double *A;                    /* the matrix, then its factors: D, L, U by rows, one unread place */
    double *inverse;              /* 1 / D */
    double *yields;               /* where constraints are redundant: E of each, by slot */
    double *room;                 /* rows of slots */
    lw_algebra *border;           /* values in laws, calls of opaque functions first; NULL: there are none */
    double rho, part;             /* and the part of the tolerance that one step of order 2 may be wrong by */
    /* the method */
    double am, af, gamma, beta, kappa, cq, cu;
    /* where the run is */
    double c[3];                  /* of the iteration: see equations/implicit.py */
    double made;                  /* c1 for which there are factors; 0: none */
    double rate;                  /* at which the last iteration converged */
    double h_before;              /* the step before; 0: there was none */
    double far;                   /* radians that followers go in one series */
    double lacked, lacked_in;     /* part of the multipliers that the polynomials of a step lacked when it was last tried; its length */
    long begun, iterations;
    lw_radau *radau;              /* NULL: other steps are made */
    double *accelerations;        /* of steps kept, where these are not the second derivatives of their polynomials: see hht.c */
    long bends;                   /* rows of these for each step */
} lw_implicit;

/* Blocks of one kind, one after the other: so many neighbouring columns of L with the same rows below the block. Those of
 * a tied block act on each other as well. */
typedef struct {
    int width, tied, blocks;
} lw_stretch;

/* algebraic values, which laws read and which follow from what laws make: see algebra.h */
typedef struct lw_program lw_program;
struct lw_algebra {
    long count, readers, capacity;
    long mirrored;                /* those that are reactions and accelerations come first */
    const int *slot;              /* of each value */
    const int *reader;            /* terms that read them */
    const lw_program *program;    /* of each value: what vanishes */
    double *D;                    /* slopes, then their factors */
    int *order;                   /* of their rows */
    double *column;               /* accelerations and multipliers that each value makes: (count, unknowns) */
    double *rho, *rest, *kept, *step; /* numbers of values */
    double *room;                 /* a row of slots */
    double sign;                  /* that the determinant has; 0: not known yet */
    double determinant;           /* at the last point */
    long endless;                 /* whether corrections of the values had no end */
};

/* calls of opaque functions: see opaque.h */
typedef struct {
    long count, capacity;
    const int *slot;              /* of each call */
    const long *arguments;        /* how many it has */
    const lw_program *program;    /* of all arguments, one after the other */
    const void *const *function;  /* of C, of as many numbers */
} lw_opaque;

typedef struct {
    long coordinates, multipliers, unknowns, slots, terms, capacity;
    long moving;                  /* unknowns and followers */
    long quick;                   /* whether the matrix depends on speeds */
    const int *coordinate;        /* slot of each coordinate, then of each follower */
    const int *multiplier;        /* slot of each multiplier */
    const unsigned char *kind;    /* COORDINATE, HOLONOMIC or VELOCITY, by slot */
    const lw_term *term;
    const int *column, *row;      /* pattern of L, column by column */
    const int *update;            /* targets in F of the outer products, in order of use */
    long stretches;               /* of blocks, through all columns */
    const lw_stretch *stretch;
    const double *constant;       /* constant part of the matrix: D then L */
    const double *weight;         /* W, by slot; 0 where masses need no help */
    const double *unit;           /* the same for all constraints: makes them comparable */
    const double *root, *per_root; /* the square roots of units, and one over them */
    const double *per_size;       /* one over the size of each coordinate, by slot; 0 for multipliers, 1 for followers */
    long fused;                   /* whether one kernel does all, and makes right-hand sides of stages from 1 on itself */
    void (*eliminate)(double *F, double *inverse, double *reach); /* over the pattern, in straight code; NULL: by loops */
    void (*solve)(const double *F, const double *inverse, double *x);
    void (*invert)(const double *F, const double *inverse, double *X);
    /* F: the factors, or the whole inverse if there is one */
    void (*order)(long k, double t, double *S, const double *par, double *work, const double *F, const double *inverse);
    double *F;                    /* D, L and one unread place */
    double *K;                    /* the matrix itself, in the same places */
    double *x, *r;                /* solution and residual of a refinement; like R they have a register of room behind */
    long redundant, inverted;     /* whether the zero block is replaced by -E; whether `full` is there */
    double soft;                  /* E, relative to the natural size of the block it replaces */
    double *inverse;              /* 1/D */
    double *full, *whole;         /* the inverse of the matrix and itself, if its rows fit in few registers, else NULL */
    double *reach;                /* what a multiplier's pivot is compared with */
    double *R;                    /* right-hand side */
    double *S[2];                 /* series of this step and of the step before */
    long angles;                  /* coordinates that matter only up to whole turns are kept within one, */
    const int *angle;             /* so that they lose no digits after many turns: slots, */
    double *turns[2];             /* and whole turns to add, for each series */
    long cursors;                 /* curves that laws read, one for each argument */
    lw_cursor *const *cursor;
    long kinematics;
    const lw_kinematics *kinematic;
    long invariants;              /* groups of followers that rounding must not drift off: */
    const int *invariant;         /* for each how many, then their slots; nine make a rotation, others a unit vector */
    long ties;                    /* followers that coordinates tell: see invariants.h */
    const int *tie;
    const double *tied;
    double *stages;               /* of Runge-Kutta methods: rates of each, and three rows of scratch */
    double *drift;                /* of each constraint: what Baumgarte's terms add up to */
    double *moved;                /* two rows, for followers on their way to a consistent point */
    lw_algebra *algebra;          /* NULL: there are no algebraic values */
    const lw_opaque *opaque;      /* NULL: there are no opaque functions */
    const void *core;             /* the inner loops for its size: see core.h */
    const void *base;             /* what the runtime does for other methods: see base.h */
} lw_system;

enum { PLACES = 16 };
enum { CHATTER = 40 }; /* changes of law in no time that count as chattering */
typedef struct lw_watch lw_watch;
typedef struct lw_method lw_method;

typedef struct {
    /* what is asked; `span`: length of the whole run; `step`: of all steps, on a grid from `origin` on, if not 0 */
    double t_end, tol, h_max, seconds, span, step, origin, alpha, beta;
    long method, order, max_records, driven, hiding;
    lw_watch *events, *switches;  /* what is watched, and what laws switch by; NULL: nothing */
    /* where the run is; `expanded`: S[current] holds the series at t, `pending`: a step awaits its check */
    double t, h, h_last, t_last;
    double speed;                 /* of what moves in the step, in sizes of the mechanism a second */
    double asked;                 /* the tolerance of this step: larger only where it leaps */
    double error_last;            /* of the last step, in tolerances, for the choice of the next one */
    double growth;                /* how many times as long as the last step the next one may be, */
    double recovery;              /* and how fast that grows again after a rejection: slower where many were */
    long current, expanded, pending, landing, changes; /* landing: on a knot */
    long retries, jumps, calm;
    long twice;                   /* whether the last point took more than one correction */
    long trusted;                 /* whether the step goes to the end of the run in a singular position */
    long begun;                   /* steps kept when it last began, at the start or beyond a switch */
    long switched;                /* how often a law has switched, */
    double switch_times[CHATTER]; /* and when, of late */
    /* places inside the step, after its begin, at which something may hide; NAN: none */
    double place[PLACES];
    /* what it did */
    long records, steps, rejected, factorisations, redundant, status, culprit;
    double worst_projection, worst_defect;
    double h_largest;             /* longest step kept */
    double weakest, weak, lost;   /* smallest pivot of a multiplier, relative; below `weak` a point is too singular, below
                                     `lost` a constraint counts as redundant, */
    double faint;                 /* and below this it is if there is a choice */
    double noise;                 /* of accelerations, by rounding */
    double inertia;               /* that forces of constraints are compared with, where drivers do work: see inside.h */
    double *record_t, *record_h, *record_S; /* steps kept: begin, length, series of all that moves, or of what is */
    long results;                 /* handed over in its place, if anything: y = offset + B x, by rows */
    const int *handover_begin, *handover_column;
    const double *handover_entry, *handover_offset;
    double *acceleration;         /* at the end of the pending step, by slot */
    lw_implicit *implicit;        /* what implicit steps need, if one was asked for */
    const lw_method *other;       /* than Taylor series, that makes the steps; NULL: none */
} lw_run;

enum { COORDINATE, HOLONOMIC, VELOCITY, VALUE }; /* kinds of slots: coordinates, multipliers of positions, of velocities, values */
enum { TAYLOR, RK8, BAUMGARTE, HHT }; /* methods */
enum { ILL = -1, FINISHED = 0, MORE = 1, TOO_SMALL = 2, NOT_FINITE = 3, NO_INERTIA = 4, NOT_CLOSED = 5, JUMP = 6, LOCKED = 7, STOPPED = 8, CHATTERS = 9, JAMMED = 10 };

static const double ROUNDING = 8.0 * 2.2e-16;
static const double TURN = 6.283185307179586; /* 2 pi */

#define INLINE static inline __attribute__((always_inline)) /* where what is known at the call makes the code */
#define SEPARATE static __attribute__((noinline)) /* where one copy is enough */

/* of two numbers; the second if the first is none. fmax and fmin are calls of functions */
static inline double larger(double x, double y) { return x > y ? x : y; }
static inline double smaller(double x, double y) { return x < y ? x : y; }

/* Numbers below 1e-308 come from rounding where a coordinate should stay zero, and are a hundred times slower than
 * others: count them as zero while we run. */
static unsigned flush_tiny(void) {
#if defined(__SSE__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

static void restore_tiny(unsigned before) {
#if defined(__SSE__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* numbers in a register of the processor that this is compiled for: a compiler takes wider ones apart, clumsily */
#if defined(__AVX512F__)
enum { WIDE = 8 };
#elif defined(__AVX__)
enum { WIDE = 4 };
#else
enum { WIDE = 2 };
#endif
enum { PANEL = 4 }; /* registers in a row of an inverse that are formed at once */
enum { REGISTERS = WIDE == 8 ? 24 : 12 }; /* what may be used for sums */
typedef double wide __attribute__((vector_size(8 * WIDE)));
