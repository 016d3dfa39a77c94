/* Trees of links: motion outward, forces inward, each link over its own axes. Vectors are a[3], symmetric matrices
   xx yy zz xy xz yz, others by rows; E of a link has its axes as columns over those of its parent.

   A real is a number of each of the states that are side by side; what a link is, is the same for all. */
#ifndef LINKWORK_RECURSION_H
#define LINKWORK_RECURSION_H
#include "sine.h"

typedef v real;

enum { TURN, SLIDE, BALL, FREE };

typedef struct {
    long parent, kind, place, axes[3];
    double R[9], r[3];        /* at rest: axes over the parent's, origin from the parent's */
    double m, h[3], J[6];     /* mass, first moment, inertia about the origin */
    double c[3];              /* of a free link: from the origin of the body, which coordinates place, to its own */
} link;

/* n = A alpha + B a,  f = B' alpha + M a */
typedef struct {
    real A[6], B[9], M[6];
} inertia;

typedef struct {
    real E[9], r[3], w[3], v[3], al[3], a[3];
    inertia I;
    real n[3], f[3];          /* moment and force */
    real Un[3], Uf[3], d, u;
    real *solved;             /* of a ball 15 numbers, of a free link 36 */
} state;

typedef struct {
    long links, speeds;
    double gravity[3];
    const link *link;
} tree;

#define EACH(i) for (int i = 0; i < 3; i++)

/* a number or several of a link, for all states */
#define SPREAD(name, count, from) real name[count]; for (int of = 0; of < count; of++) name[of] = fill((from)[of])

/* how many speeds a joint has, and how many numbers it keeps */
static inline int width(const link *l) { return l->kind == FREE ? 6 : l->kind == BALL ? 3 : 1; }
static inline int count_solved(const link *l) { return l->kind == FREE ? 36 : l->kind == BALL ? 15 : 0; }

static inline void cross(const real a[3], const real b[3], real o[3])
{
    const real x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
    o[0] = x; o[1] = y; o[2] = z;
}

static inline void add_cross(const real a[3], const real b[3], real o[3])
{
    o[0] += a[1]*b[2] - a[2]*b[1];
    o[1] += a[2]*b[0] - a[0]*b[2];
    o[2] += a[0]*b[1] - a[1]*b[0];
}

static inline real dot(const real a[3], const real b[3])
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

/* to the parent's axes and from them */
static inline void turn(const real E[9], const real a[3], real o[3])
{
    const real x = a[0], y = a[1], z = a[2];
    EACH(i) o[i] = E[3*i]*x + E[3*i + 1]*y + E[3*i + 2]*z;
}

static inline void back(const real E[9], const real a[3], real o[3])
{
    EACH(i) o[i] = E[i]*a[0] + E[3 + i]*a[1] + E[6 + i]*a[2];
}

static inline void times(const real S[6], const real a[3], real o[3])
{
    o[0] = S[0]*a[0] + S[3]*a[1] + S[4]*a[2];
    o[1] = S[3]*a[0] + S[1]*a[1] + S[5]*a[2];
    o[2] = S[4]*a[0] + S[5]*a[1] + S[2]*a[2];
}

static inline void by_rows(const real B[9], const real a[3], real o[3])
{
    EACH(i) o[i] = B[3*i]*a[0] + B[3*i + 1]*a[1] + B[3*i + 2]*a[2];
}

static inline void by_columns(const real B[9], const real a[3], real o[3])
{
    EACH(i) o[i] = B[i]*a[0] + B[3 + i]*a[1] + B[6 + i]*a[2];
}

/* E S E' of a symmetric matrix */
static inline void turn_symmetric(const real E[9], const real S[6], real o[6])
{
    real W[9];
    EACH(i) {
        W[3*i] = E[3*i]*S[0] + E[3*i + 1]*S[3] + E[3*i + 2]*S[4];
        W[3*i + 1] = E[3*i]*S[3] + E[3*i + 1]*S[1] + E[3*i + 2]*S[5];
        W[3*i + 2] = E[3*i]*S[4] + E[3*i + 1]*S[5] + E[3*i + 2]*S[2];
    }
    o[0] = W[0]*E[0] + W[1]*E[1] + W[2]*E[2];
    o[1] = W[3]*E[3] + W[4]*E[4] + W[5]*E[5];
    o[2] = W[6]*E[6] + W[7]*E[7] + W[8]*E[8];
    o[3] = W[0]*E[3] + W[1]*E[4] + W[2]*E[5];
    o[4] = W[0]*E[6] + W[1]*E[7] + W[2]*E[8];
    o[5] = W[3]*E[6] + W[4]*E[7] + W[5]*E[8];
}

/* E B E' */
static inline void turn_matrix(const real E[9], const real B[9], real o[9])
{
    real W[9];
    EACH(i) EACH(j) W[3*i + j] = E[3*i]*B[j] + E[3*i + 1]*B[3 + j] + E[3*i + 2]*B[6 + j];
    EACH(i) EACH(j) o[3*i + j] = W[3*i]*E[3*j] + W[3*i + 1]*E[3*j + 1] + W[3*i + 2]*E[3*j + 2];
}

/* how a link stands in its parent; k is known where this is used, so that R stays in registers */
static inline void turn_columns(real R[9], const int k, real s, real c)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    EACH(row) {
        const real x = R[3*row + i], y = R[3*row + j];
        R[3*row + i] = c*x + s*y;
        R[3*row + j] = c*y - s*x;
    }
}

static inline void turn_about(real R[9], int k, real s, real c)
{
    switch (k) {
    case 0: turn_columns(R, 0, s, c); break;
    case 1: turn_columns(R, 1, s, c); break;
    default: turn_columns(R, 2, s, c);
    }
}

/* sines and cosines of coordinates, which all are taken for angles */
typedef struct { const real *sine, *cosine; } swings;

enum { ABREAST = LANES == 1 ? 8 : 1 }; /* numbers of one state that a compiler may put side by side */
static inline long round_up(long count) { return (count + ABREAST - 1) & -ABREAST; }

/* in the place of the angles, with room for as many as are side by side */
static void swing_all(long count, real *sine, real *cosine)
{
    bits near = is_near(ZERO);
    for (long i = count; i < round_up(count); i++)
        sine[i] = ZERO;
    for (long i = 0; i < round_up(count); i += ABREAST)
        for (int j = 0; j < ABREAST; j++)
            near &= is_near(sine[i + j]);
    if (!all_hold(near))
        for (long i = 0; i < count; i++)
            swing(sine[i], sine + i, cosine + i);
    else
        for (long i = 0; i < round_up(count); i += ABREAST)
            for (int j = 0; j < ABREAST; j++)
                swing_near(sine[i + j], sine + i + j, cosine + i + j);
}

/* of the whole tree they are kept behind its links */
static inline void swing_tree(const tree *t, const real *q, state *s)
{
    real *sine = (real *)(s + t->links);
    memcpy(sine, q, t->speeds*sizeof(real));
    swing_all(t->speeds, sine, sine + round_up(t->speeds));
}

static inline swings find_swings(const tree *t, const link *l, const state *s)
{
    const real *sine = (const real *)(s + t->links) + l->place;
    return (swings){sine, sine + round_up(t->speeds)};
}

/* where a link is in its parent, by its own coordinates */
static inline void place(const link *l, const real *q, swings turns, state *s)
{
    for (int i = 0; i < 9; i++)
        s->E[i] = fill(l->R[i]);
    EACH(i) s->r[i] = fill(l->r[i]);
    switch (l->kind) {
    case TURN: {
        const real c = turns.cosine[0], d = turns.sine[0];
        EACH(i) {
            s->E[3*i] = c*l->R[3*i] + d*l->R[3*i + 1];
            s->E[3*i + 1] = c*l->R[3*i + 1] - d*l->R[3*i];
        }
        break;
    }
    case SLIDE:
        EACH(i) s->r[i] += q[0]*l->R[3*i + 2];
        break;
    case FREE: {
        SPREAD(c, 3, l->c);
        EACH(i) turn_about(s->E, l->axes[i], turns.sine[3 + i], turns.cosine[3 + i]);
        turn(s->E, c, c);
        EACH(i) s->r[i] += q[i] + c[i];
        break;
    }
    default:
        EACH(i) turn_about(s->E, l->axes[i], turns.sine[i], turns.cosine[i]);
    }
}

/* velocities from those of the parent */
static inline void move(const link *l, const real *u, const state *p, state *s)
{
    if (p) {
        real t[3];
        cross(p->w, s->r, t);
        EACH(i) t[i] += p->v[i];
        back(s->E, p->w, s->w);
        back(s->E, t, s->v);
    } else
        EACH(i) s->w[i] = s->v[i] = ZERO;
    u += l->place;
    switch (l->kind) {
    case TURN: s->w[2] += u[0]; break;
    case SLIDE: s->v[2] += u[0]; break;
    case BALL: EACH(i) s->w[i] += u[i]; break;
    default: EACH(i) { s->v[i] = u[i]; s->w[i] = u[3 + i]; }
    }
}

/* accelerations without those of the own speeds */
static inline void drag(const tree *t, const link *l, const real *u, const state *p, state *s)
{
    u += l->place;
    if (p) {
        real x[3];
        cross(p->al, s->r, x);
        EACH(i) x[i] += p->a[i];
        back(s->E, p->al, s->al);
        back(s->E, x, s->a);
    } else {
        SPREAD(g, 3, t->gravity);
        EACH(i) s->al[i] = ZERO;
        back(s->E, g, s->a);
        EACH(i) s->a[i] = -s->a[i];
    }
    switch (l->kind) {
    case TURN:
        s->al[0] += s->w[1]*u[0]; s->al[1] -= s->w[0]*u[0];
        s->a[0] += s->v[1]*u[0]; s->a[1] -= s->v[0]*u[0];
        break;
    case SLIDE:
        s->a[0] += s->w[1]*u[0]; s->a[1] -= s->w[0]*u[0];
        break;
    case BALL:
        add_cross(s->w, u, s->al);
        add_cross(s->v, u, s->a);
        break;
    default: break;
    }
}

static inline void quicken(const link *l, const real *du, state *s)
{
    du += l->place;
    switch (l->kind) {
    case TURN: s->al[2] += du[0]; break;
    case SLIDE: s->a[2] += du[0]; break;
    case BALL: EACH(i) s->al[i] += du[i]; break;
    default: EACH(i) { s->a[i] += du[i]; s->al[i] += du[3 + i]; }
    }
}

/* what a force and a moment do along the speeds */
static inline void feel(const link *l, const real n[3], const real f[3], real *tau)
{
    tau += l->place;
    switch (l->kind) {
    case TURN: tau[0] = n[2]; break;
    case SLIDE: tau[0] = f[2]; break;
    case BALL: EACH(i) tau[i] = n[i]; break;
    default: EACH(i) { tau[i] = f[i]; tau[3 + i] = n[i]; }
    }
}

/* what turning and moving on take of a link by itself: w x L + v x P, w x P */
static inline void add_gyration(const link *l, const real w[3], const real v[3], real n[3], real f[3])
{
    SPREAD(h, 3, l->h);
    SPREAD(J, 6, l->J);
    real P[3], L[3];
    cross(w, h, P);
    EACH(i) P[i] += l->m*v[i];
    times(J, w, L);
    add_cross(h, v, L);
    add_cross(w, L, n);
    add_cross(v, P, n);
    add_cross(w, P, f);
}

static inline void hand_down(const state *s, const real n[3], const real f[3], state *p)
{
    real x[3], y[3];
    turn(s->E, f, x);
    turn(s->E, n, y);
    add_cross(s->r, x, y);
    EACH(i) { p->f[i] += x[i]; p->n[i] += y[i]; }
}

/* the directions of three turns over the own axes; each is at right angles to the next */
static inline void find_turns(const link *l, swings turns, real d[3][3])
{
    const int first = width(l) - 3;
    EACH(k) {
        const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        SPREAD(R, 9, unit);
        SPREAD(e, 3, unit + 3*l->axes[k]);
        for (int j = k + 1; j < 3; j++)
            turn_about(R, l->axes[j], turns.sine[first + j], turns.cosine[first + j]);
        back(R, e, d[k]);
    }
}

/* the rates of three angles that make an angular velocity */
static inline void by_turns(real d[3][3], const real side[3], real span, const real w[3], real *dq)
{
    const real first = dot(w, side)/span, third = dot(w, d[2]) - first*dot(d[0], d[2]);
    dq[1] = dot(w, d[1]);
    dq[0] = first;
    dq[2] = third;
}

/* the rates of coordinates */
static inline void find_rates(const link *l, swings turns, const real *u, const state *s, real *dq)
{
    u += l->place; dq += l->place;
    if (l->kind == TURN || l->kind == SLIDE) {
        dq[0] = u[0];
        return;
    }
    real d[3][3], side[3];
    if (l->kind == FREE) {
        SPREAD(c, 3, l->c);
        cross(c, u + 3, c);
        EACH(i) c[i] += u[i];
        turn(s->E, c, dq);
        u += 3; dq += 3;
    }
    find_turns(l, turns, d);
    cross(d[1], d[2], side);
    by_turns(d, side, dot(d[0], side), u, dq);
}
#endif
