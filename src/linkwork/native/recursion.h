/* Trees of links: motion outward, forces inward, each link over its own axes. Vectors are a[3], symmetric matrices
   xx yy zz xy xz yz, others by rows; E of a link has its axes as columns over those of its parent. */
#ifndef LINKWORK_RECURSION_H
#define LINKWORK_RECURSION_H
#include <math.h>
#include <string.h>

enum { TURN, SLIDE, BALL, FREE };

typedef struct {
    long parent, kind, place, axes[3];
    double R[9], r[3];        /* at rest: axes over the parent's, origin from the parent's */
    double m, h[3], J[6];     /* mass, first moment, inertia about the origin */
    double c[3];              /* of a free link: from the origin of the body, which coordinates place, to its own */
} link;

/* n = A alpha + B a,  f = B' alpha + M a */
typedef struct {
    double A[6], B[9], M[6];
} inertia;

typedef struct {
    double E[9], r[3], w[3], v[3], al[3], a[3];
    inertia I;
    double n[3], f[3];        /* moment and force */
    double Un[3], Uf[3], d, u;
    double solved[36];
} state;

typedef struct {
    long links, speeds;
    double gravity[3];
    const link *link;
} tree;

#define EACH(i) for (int i = 0; i < 3; i++)

static inline void cross(const double a[3], const double b[3], double o[3])
{
    const double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
    o[0] = x; o[1] = y; o[2] = z;
}

static inline void add_cross(const double a[3], const double b[3], double o[3])
{
    o[0] += a[1]*b[2] - a[2]*b[1];
    o[1] += a[2]*b[0] - a[0]*b[2];
    o[2] += a[0]*b[1] - a[1]*b[0];
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

/* to the parent's axes and from them */
static inline void turn(const double E[9], const double a[3], double o[3])
{
    EACH(i) o[i] = E[3*i]*a[0] + E[3*i + 1]*a[1] + E[3*i + 2]*a[2];
}

static inline void back(const double E[9], const double a[3], double o[3])
{
    EACH(i) o[i] = E[i]*a[0] + E[3 + i]*a[1] + E[6 + i]*a[2];
}

static inline void times(const double S[6], const double a[3], double o[3])
{
    o[0] = S[0]*a[0] + S[3]*a[1] + S[4]*a[2];
    o[1] = S[3]*a[0] + S[1]*a[1] + S[5]*a[2];
    o[2] = S[4]*a[0] + S[5]*a[1] + S[2]*a[2];
}

static inline void by_rows(const double B[9], const double a[3], double o[3])
{
    EACH(i) o[i] = B[3*i]*a[0] + B[3*i + 1]*a[1] + B[3*i + 2]*a[2];
}

static inline void by_columns(const double B[9], const double a[3], double o[3])
{
    EACH(i) o[i] = B[i]*a[0] + B[3 + i]*a[1] + B[6 + i]*a[2];
}

/* E S E' of a symmetric matrix */
static inline void turn_symmetric(const double E[9], const double S[6], double o[6])
{
    double W[9];
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
static inline void turn_matrix(const double E[9], const double B[9], double o[9])
{
    double W[9];
    EACH(i) EACH(j) W[3*i + j] = E[3*i]*B[j] + E[3*i + 1]*B[3 + j] + E[3*i + 2]*B[6 + j];
    EACH(i) EACH(j) o[3*i + j] = W[3*i]*E[3*j] + W[3*i + 1]*E[3*j + 1] + W[3*i + 2]*E[3*j + 2];
}

/* how a link stands in its parent */
static inline void turn_about(double R[9], int k, double angle)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double c = cos(angle), s = sin(angle);
    EACH(row) {
        const double x = R[3*row + i], y = R[3*row + j];
        R[3*row + i] = c*x + s*y;
        R[3*row + j] = c*y - s*x;
    }
}

static inline void place(const link *l, const double *q, state *s)
{
    memcpy(s->E, l->R, sizeof s->E);
    memcpy(s->r, l->r, sizeof s->r);
    q += l->place;
    switch (l->kind) {
    case TURN: {
        const double c = cos(q[0]), d = sin(q[0]);
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
        double c[3];
        EACH(i) turn_about(s->E, l->axes[i], q[3 + i]);
        turn(s->E, l->c, c);
        EACH(i) s->r[i] += q[i] + c[i];
        break;
    }
    default:
        EACH(i) turn_about(s->E, l->axes[i], q[i]);
    }
}

/* velocities from those of the parent */
static inline void move(const link *l, const double *u, const state *p, state *s)
{
    if (p) {
        double t[3];
        cross(p->w, s->r, t);
        EACH(i) t[i] += p->v[i];
        back(s->E, p->w, s->w);
        back(s->E, t, s->v);
    } else
        EACH(i) s->w[i] = s->v[i] = 0.0;
    u += l->place;
    switch (l->kind) {
    case TURN: s->w[2] += u[0]; break;
    case SLIDE: s->v[2] += u[0]; break;
    case BALL: EACH(i) s->w[i] += u[i]; break;
    default: EACH(i) { s->v[i] = u[i]; s->w[i] = u[3 + i]; }
    }
}

/* accelerations without those of the own speeds */
static inline void drag(const tree *t, const link *l, const double *u, const state *p, state *s)
{
    u += l->place;
    if (p) {
        double x[3];
        cross(p->al, s->r, x);
        EACH(i) x[i] += p->a[i];
        back(s->E, p->al, s->al);
        back(s->E, x, s->a);
    } else {
        EACH(i) s->al[i] = 0.0;
        back(s->E, t->gravity, s->a);
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

static inline void quicken(const link *l, const double *du, state *s)
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
static inline void feel(const link *l, const double n[3], const double f[3], double *tau)
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
static inline void add_gyration(const link *l, const double w[3], const double v[3], double n[3], double f[3])
{
    double P[3], L[3];
    cross(w, l->h, P);
    EACH(i) P[i] += l->m*v[i];
    times(l->J, w, L);
    add_cross(l->h, v, L);
    add_cross(w, L, n);
    add_cross(v, P, n);
    add_cross(w, P, f);
}

static inline void hand_down(const state *s, const double n[3], const double f[3], state *p)
{
    double x[3], y[3];
    turn(s->E, f, x);
    turn(s->E, n, y);
    add_cross(s->r, x, y);
    EACH(i) { p->f[i] += x[i]; p->n[i] += y[i]; }
}

/* the directions of three turns over the own axes; each is at right angles to the next */
static inline void find_turns(const link *l, const double q[3], double d[3][3])
{
    EACH(k) {
        double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, e[3] = {0.0};
        e[l->axes[k]] = 1.0;
        for (int j = k + 1; j < 3; j++)
            turn_about(R, l->axes[j], q[j]);
        back(R, e, d[k]);
    }
}

/* the rates of three angles that make an angular velocity */
static inline void by_turns(double d[3][3], const double side[3], double span, const double w[3], double *dq)
{
    const double first = dot(w, side)/span, third = dot(w, d[2]) - first*dot(d[0], d[2]);
    dq[1] = dot(w, d[1]);
    dq[0] = first;
    dq[2] = third;
}

/* the rates of coordinates */
static inline void find_rates(const link *l, const double *q, const double *u, const state *s, double *dq)
{
    q += l->place; u += l->place; dq += l->place;
    if (l->kind == TURN || l->kind == SLIDE) {
        dq[0] = u[0];
        return;
    }
    double d[3][3], side[3];
    if (l->kind == FREE) {
        double v[3];
        cross(l->c, u + 3, v);
        EACH(i) v[i] += u[i];
        turn(s->E, v, dq);
        u += 3; q += 3; dq += 3;
    }
    find_turns(l, q, d);
    cross(d[1], d[2], side);
    by_turns(d, side, dot(d[0], side), u, dq);
}
#endif
