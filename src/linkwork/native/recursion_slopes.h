/* Derivatives of the dynamics of a tree, in space about its origin: spatial vectors have the angular half first.

   With the axes S of a joint, the velocity v and acceleration a of links, p the parent, composites I, B, f of all that
   stands on a link, where 2 B = v x* I - I v x + (I v) barred x*,

       S' = v x S    P' = v_p x S    P'' = a_p x S + v_p x P'
       dtau_i/dq_j = S_i (2 B_i P'_j + I_i P''_j)            dtau_i/du_j = S_i (2 B_i S_j + I_i (P'_j + S'_j))
       dtau_j/dq_i = S_j (2 B_i P'_i + I_i P''_i + S_i x* f_i)   dtau_j/du_i = S_j (2 B_i S_i + I_i (P'_i + S'_i))

   for j below i or i itself. */
#ifndef LINKWORK_RECURSION_SLOPES_H
#define LINKWORK_RECURSION_SLOPES_H
#include "recursion.h"

typedef struct {
    real S[6], P1[6], P2[6], G[6];    /* G = P' + S' */
    long before;                        /* the speed that it stands on */
} axis;

typedef struct {
    real v[6], a[6], f[6], I[36], B[36];    /* B: twice */
} spatial;

#define SIX(i) for (int i = 0; i < 6; i++)

static inline void move_cross(const real v[6], const real m[6], real o[6])
{
    real x[3];
    cross(v, m, o);
    cross(v + 3, m, x);
    cross(v, m + 3, o + 3);
    EACH(i) o[3 + i] += x[i];
}

static inline void force_cross(const real v[6], const real f[6], real o[6])
{
    real x[3];
    cross(v, f, o);
    cross(v + 3, f + 3, x);
    EACH(i) o[i] += x[i];
    cross(v, f + 3, o + 3);
}

static inline void six_times(const real A[36], const real x[6], real o[6])
{
    SIX(i) {
        real sum = ZERO;
        SIX(j) sum += A[6*i + j]*x[j];
        o[i] = sum;
    }
}

static inline void six_times_from_left(const real A[36], const real x[6], real o[6])
{
    SIX(i) o[i] = ZERO;
    SIX(i) SIX(j) o[j] += x[i]*A[6*i + j];
}

static inline real six_dot(const real a[6], const real b[6])
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] + a[4]*b[4] + a[5]*b[5];
}

/* the inertia of a link in space */
static void place_inertia(const link *l, const real E[9], const real p[3], real I[36])
{
    SPREAD(h, 3, l->h);
    SPREAD(J, 6, l->J);
    const real m = fill(l->m);
    turn(E, h, h);
    turn_symmetric(E, J, J);
    const real both = 2.0*dot(p, h) + m*dot(p, p);
    EACH(i) J[i] += both - 2.0*p[i]*h[i] - m*p[i]*p[i];
    J[3] -= p[0]*h[1] + h[0]*p[1] + m*p[0]*p[1];
    J[4] -= p[0]*h[2] + h[0]*p[2] + m*p[0]*p[2];
    J[5] -= p[1]*h[2] + h[1]*p[2] + m*p[1]*p[2];
    EACH(i) h[i] += m*p[i];
    const real X[9] = {ZERO, -h[2], h[1], h[2], ZERO, -h[0], -h[1], h[0], ZERO};
    const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    EACH(i) EACH(j) {
        I[6*i + j] = J[at[i][j]];
        I[6*i + 3 + j] = X[3*i + j];
        I[6*(3 + i) + j] = X[3*j + i];
        I[6*(3 + i) + 3 + j] = i == j ? m : ZERO;
    }
}

/* v x* I - I v x + (I v) barred x*: the first is the transposed of the second, whose rows are cross products, since
   a' (w x) = (a x w)' */
static void double_bias(const real I[36], const real speed[6], real B[36])
{
    const real *w = speed, *u = speed + 3;
    real N[36], Iv[6], x[3];
    SIX(i) {
        const real *row = I + 6*i;
        cross(row, w, N + 6*i);
        cross(row + 3, u, x);
        EACH(j) N[6*i + j] += x[j];
        cross(row + 3, w, N + 6*i + 3);
    }
    six_times(I, speed, Iv);
    SIX(i) SIX(j) B[6*i + j] = -N[6*i + j] - N[6*j + i];
    const real *L = Iv, *P = Iv + 3;
    const real by_turn[9] = {ZERO, L[2], -L[1], -L[2], ZERO, L[0], L[1], -L[0], ZERO};
    const real by_move[9] = {ZERO, P[2], -P[1], -P[2], ZERO, P[0], P[1], -P[0], ZERO};
    EACH(i) EACH(j) {
        B[6*i + j] += by_turn[3*i + j];
        B[6*i + 3 + j] += by_move[3*i + j];
        B[6*(3 + i) + j] += by_move[3*i + j];
    }
}

/* the axes of a joint in space */
static int find_axes(const link *l, const real E[9], const real p[3], axis *x)
{
    const int wide = width(l);
    for (int c = 0; c < wide; c++) {
        const int k = wide == 1 ? 2 : c % 3, slides = l->kind == SLIDE || (l->kind == FREE && c < 3);
        const real e[3] = {E[k], E[3 + k], E[6 + k]};
        EACH(i) { x[c].S[i] = slides ? ZERO : e[i]; x[c].S[3 + i] = e[i]; }
        if (!slides)
            cross(p, e, x[c].S + 3);
    }
    return wide;
}

/* outward: axes, velocities, accelerations, and what each link by itself has; state s tells how links stand in their
   parents, and keeps axes in space and origin */
static void survey(const tree *t, const real *x, const real *du, axis *axes, spatial *space, state *s)
{
    const real *u = x + t->speeds;
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        const long p = l->parent;
        const double rest[6] = {0}, free[6] = {0, 0, 0, -t->gravity[0], -t->gravity[1], -t->gravity[2]};
        SPREAD(ground, 6, rest);
        SPREAD(fall, 6, free);
        const real *vp = p < 0 ? ground : space[p].v, *ap = p < 0 ? fall : space[p].a;
        spatial *me = space + k;
        real E[9], r[3];
        if (p >= 0) {
            const real *W = s[p].I.B;
            EACH(i) EACH(j) E[3*i + j] = W[3*i]*s[k].E[j] + W[3*i + 1]*s[k].E[3 + j] + W[3*i + 2]*s[k].E[6 + j];
            turn(W, s[k].r, r);
            EACH(i) r[i] += s[p].a[i];
        } else {
            memcpy(E, s[k].E, sizeof E);
            memcpy(r, s[k].r, sizeof r);
        }
        memcpy(s[k].I.B, E, sizeof E);
        memcpy(s[k].a, r, sizeof r);
        axis *mine = axes + l->place;
        const int wide = find_axes(l, E, r, mine);
        SIX(i) { me->v[i] = vp[i]; me->a[i] = ap[i]; }
        for (int c = 0; c < wide; c++) {
            const link *on = p < 0 ? 0 : t->link + p;
            mine[c].before = c ? l->place + c - 1 : on ? on->place + width(on) - 1 : -1;
            SIX(i) me->v[i] += mine[c].S[i]*u[l->place + c];
        }
        for (int c = 0; c < wide; c++) {
            axis *one = mine + c;
            real y[6], z[6];
            move_cross(vp, one->S, one->P1);
            move_cross(ap, one->S, y);
            move_cross(vp, one->P1, z);
            SIX(i) one->P2[i] = y[i] + z[i];
            move_cross(me->v, one->S, y);
            SIX(i) {
                one->G[i] = one->P1[i] + y[i];
                me->a[i] += one->S[i]*du[l->place + c] + y[i]*u[l->place + c];
            }
        }
        real y[6], z[6];
        place_inertia(l, E, r, me->I);
        double_bias(me->I, me->v, me->B);
        six_times(me->I, me->v, y);
        force_cross(me->v, y, z);
        six_times(me->I, me->a, me->f);
        SIX(i) me->f[i] += z[i];
    }
}

/* inward: derivatives of the forces along the speeds by places and speeds, and M; D: (speeds, 2 speeds) */
static void compose_slopes(const tree *t, axis *axes, spatial *space, real *M, real *D)
{
    const long n = t->speeds;
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        const spatial *me = space + k;
        const int wide = width(l);
        for (int c = wide - 1; c >= 0; c--) {
            const long i = l->place + c;
            const axis *x = axes + i;
            real by_B[6], by_I[6], y1[6], y2[6], y[6], z[6];
            six_times_from_left(me->B, x->S, by_B);
            six_times(me->I, x->S, by_I);
            six_times(me->B, x->P1, y1); six_times(me->I, x->P2, y); force_cross(x->S, me->f, z);
            SIX(k6) y1[k6] += y[k6] + z[k6];
            six_times(me->B, x->S, y2); six_times(me->I, x->G, y);
            SIX(k6) y2[k6] += y[k6];
            /* a joint of several axes: all its columns by the first rule */
            for (long j = i + wide - 1 - c; j >= 0; j = axes[j].before) {
                const axis *w = axes + j;
                D[2*n*i + j] = six_dot(by_B, w->P1) + six_dot(by_I, w->P2);
                D[2*n*i + n + j] = six_dot(by_B, w->S) + six_dot(by_I, w->G);
                if (j <= i)
                    M[n*i + j] = six_dot(by_I, w->S);
            }
            for (long j = axes[l->place].before; j >= 0; j = axes[j].before) {
                D[2*n*j + i] = six_dot(axes[j].S, y1);
                D[2*n*j + n + i] = six_dot(axes[j].S, y2);
            }
        }
        if (l->parent >= 0) {
            spatial *p = space + l->parent;
            for (int i = 0; i < 36; i++) { p->I[i] += me->I[i]; p->B[i] += me->B[i]; }
            SIX(i) p->f[i] += me->f[i];
        }
    }
}

/* M = L' D L over the pattern of the tree, and M^-1 of all columns; X: (n, width) */
static void divide_by_mass(const axis *axes, long n, real *M, real *X, long width)
{
    for (long k = n - 1; k >= 0; k--)
        for (long i = axes[k].before; i >= 0; i = axes[i].before) {
            const real f = M[n*k + i]/M[n*k + k];
            for (long j = i; j >= 0; j = axes[j].before)
                M[n*i + j] -= f*M[n*k + j];
            M[n*k + i] = f;
        }
    for (long i = n - 1; i >= 0; i--)
        for (long j = axes[i].before; j >= 0; j = axes[j].before) {
            const real f = M[n*i + j];
            for (long c = 0; c < width; c++)
                X[width*j + c] -= f*X[width*i + c];
        }
    for (long i = 0; i < n; i++) {
        const real f = 1.0/M[n*i + i];
        for (long c = 0; c < width; c++)
            X[width*i + c] *= f;
        for (long j = axes[i].before; j >= 0; j = axes[j].before) {
            const real g = M[n*i + j];
            for (long c = 0; c < width; c++)
                X[width*i + c] -= g*X[width*j + c];
        }
    }
}

/* of a ball or a free link: derivatives by small turns and travels along the own axes become those by coordinates */
static void by_coordinates(const tree *t, const link *l, swings turns, const real *x, const real *dx, const real E[9],
    real *J)
{
    const long n = t->speeds, wide = 2*n, first = l->place + (l->kind == FREE ? 3 : 0);
    const real *u = x + n + l->place, *rates = dx + first;
    real d[3][3], side[3];
    find_turns(l, turns, d);
    cross(d[1], d[2], side);
    const real span = dot(d[0], side);
    /* rates of the angles */
    EACH(k) {
        real bend[3] = {ZERO, ZERO, ZERO}, o[3];
        for (int j = 0; j < k; j++) {
            cross(d[j], d[k], o);
            EACH(i) bend[i] -= rates[j]*o[i];
        }
        by_turns(d, side, span, bend, o);
        EACH(i) J[wide*(first + i) + first + k] = o[i];
        const real e[3] = {fill(k == 0), fill(k == 1), fill(k == 2)};
        by_turns(d, side, span, e, o);
        EACH(i) J[wide*(first + i) + n + first + k] = o[i];
    }
    real c[3][3];
    EACH(i) EACH(k) c[i][k] = ZERO;
    if (l->kind == FREE) {
        SPREAD(own, 3, l->c);
        real y[3], z[3], o[3];
        cross(own, u + 3, y);
        EACH(i) y[i] += u[i];
        EACH(k) {
            const real e[3] = {fill(k == 0), fill(k == 1), fill(k == 2)};
            cross(d[k], y, z); turn(E, z, o);
            EACH(i) J[wide*(l->place + i) + first + k] = o[i];
            EACH(i) J[wide*(l->place + i) + n + l->place + k] = E[3*i + k];
            cross(own, e, z); turn(E, z, o);
            EACH(i) J[wide*(l->place + i) + n + first + k] = o[i];
            cross(d[k], own, c[k]);
        }
    }
    for (long row = n; row < 2*n; row++) {
        real *at = J + wide*row + l->place, moves[3] = {ZERO, ZERO, ZERO}, *small = at, o[3];
        if (l->kind == FREE) {
            EACH(i) moves[i] = at[i];
            turn(E, moves, o);
            EACH(i) at[i] = o[i];
            small += 3;
        }
        EACH(k) o[k] = dot(small, d[k]) + dot(moves, c[k]);
        EACH(k) small[k] = o[k];
    }
}
#endif
