/* Dynamics of trees of links in as many operations as there are links: by articulated inertias, Newton and Euler, and
   composites. State: coordinates, then speeds. Nothing is kept: memory is the caller's. As many states as there are
   lanes go side by side. */
#include "recursion.h"
#include "recursion_slopes.h"

static inline void start(const tree *t, const real *q, const real *u, state *s)
{
    swing_tree(t, q, s);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        place(l, q + l->place, find_swings(t, l, s), s + k);
        move(l, u, l->parent < 0 ? 0 : s + l->parent, s + k);
    }
}

/* the rank-one part of a joint taken off: I - U U'/d */
static inline void free_turn(state *s, inertia *I)
{
    real *A = I->A, *B = I->B, *M = I->M;
    const real x = s->Un[0]*s->d, y = s->Un[1]*s->d;
    A[0] -= x*s->Un[0]; A[1] -= y*s->Un[1]; A[3] -= x*s->Un[1];
    A[2] = A[4] = A[5] = ZERO;
    EACH(j) {
        B[j] -= x*s->Uf[j];
        B[3 + j] -= y*s->Uf[j];
        B[6 + j] = ZERO;
    }
    const real a = s->Uf[0]*s->d, b = s->Uf[1]*s->d, c = s->Uf[2]*s->d;
    M[0] -= a*s->Uf[0]; M[1] -= b*s->Uf[1]; M[2] -= c*s->Uf[2];
    M[3] -= a*s->Uf[1]; M[4] -= a*s->Uf[2]; M[5] -= b*s->Uf[2];
}

static inline void free_slide(state *s, inertia *I)
{
    real *A = I->A, *B = I->B, *M = I->M;
    const real a = s->Un[0]*s->d, b = s->Un[1]*s->d, c = s->Un[2]*s->d;
    A[0] -= a*s->Un[0]; A[1] -= b*s->Un[1]; A[2] -= c*s->Un[2];
    A[3] -= a*s->Un[1]; A[4] -= a*s->Un[2]; A[5] -= b*s->Un[2];
    EACH(i) {
        B[3*i] -= s->Un[i]*s->Uf[0]*s->d;
        B[3*i + 1] -= s->Un[i]*s->Uf[1]*s->d;
        B[3*i + 2] = ZERO;
    }
    M[0] -= s->Uf[0]*s->d*s->Uf[0]; M[1] -= s->Uf[1]*s->d*s->Uf[1]; M[3] -= s->Uf[0]*s->d*s->Uf[1];
    M[2] = M[4] = M[5] = ZERO;
}

static inline void invert_symmetric(const real S[6], real o[6])
{
    const real a = S[1]*S[2] - S[5]*S[5], b = S[4]*S[5] - S[3]*S[2], c = S[3]*S[5] - S[4]*S[1];
    const real d = 1.0/(S[0]*a + S[3]*b + S[4]*c);
    o[0] = a*d; o[3] = b*d; o[4] = c*d;
    o[1] = (S[0]*S[2] - S[4]*S[4])*d;
    o[2] = (S[0]*S[1] - S[3]*S[3])*d;
    o[5] = (S[3]*S[4] - S[0]*S[5])*d;
}

/* a ball passes on a mass alone: M - B' A^-1 B; `solved` keeps A^-1 and B */
static void free_ball(state *s, inertia *I)
{
    real W[9];
    invert_symmetric(I->A, s->solved);
    memcpy(s->solved + 6, I->B, sizeof I->B);
    EACH(j) {
        const real column[3] = {I->B[j], I->B[3 + j], I->B[6 + j]};
        real x[3];
        times(s->solved, column, x);
        EACH(i) W[3*i + j] = x[i];
    }
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
        EACH(i) I->M[k] -= I->B[3*i + row[k]]*W[3*i + column[k]];
    memset(I->A, 0, sizeof I->A);
    memset(I->B, 0, sizeof I->B);
}

/* L D L' of [M B'; B A], in the order of the speeds of a free link */
static void factor_free(const inertia *I, real L[36])
{
    const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    real S[6][6];
    EACH(i) EACH(j) {
        S[i][j] = I->M[at[i][j]];
        S[3 + i][3 + j] = I->A[at[i][j]];
        S[3 + i][j] = S[j][3 + i] = I->B[3*i + j];
    }
    for (int k = 0; k < 6; k++) {
        const real d = 1.0/S[k][k];
        L[7*k] = d;
        for (int i = k + 1; i < 6; i++) {
            L[6*i + k] = S[i][k]*d;
            for (int j = k + 1; j <= i; j++)
                S[i][j] -= L[6*i + k]*S[j][k];
        }
    }
}

static void solve_free(const real L[36], real x[6])
{
    for (int k = 0; k < 6; k++)
        for (int i = k + 1; i < 6; i++)
            x[i] -= L[6*i + k]*x[k];
    for (int k = 5; k >= 0; k--) {
        x[k] *= L[7*k];
        for (int i = k + 1; i < 6; i++)
            x[k] -= L[6*i + k]*x[i];
    }
}

/* what is felt of a link in its parent */
static inline void pass_on(const state *s, const inertia *I, inertia *p)
{
    real A[6], B[9], M[6];
    const real *r = s->r;
    turn_symmetric(s->E, I->A, A);
    turn_matrix(s->E, I->B, B);
    turn_symmetric(s->E, I->M, M);
    /* B + r x M */
    const real F[9] = {M[0], M[3], M[4], M[3], M[1], M[5], M[4], M[5], M[2]};
    real C[9];
    EACH(j) {
        C[j] = B[j] + r[1]*F[6 + j] - r[2]*F[3 + j];
        C[3 + j] = B[3 + j] + r[2]*F[j] - r[0]*F[6 + j];
        C[6 + j] = B[6 + j] + r[0]*F[3 + j] - r[1]*F[j];
    }
    /* A - B r x + r x C' */
    p->A[0] += A[0] - (B[1]*r[2] - B[2]*r[1]) + r[1]*C[2] - r[2]*C[1];
    p->A[1] += A[1] - (B[5]*r[0] - B[3]*r[2]) + r[2]*C[3] - r[0]*C[5];
    p->A[2] += A[2] - (B[6]*r[1] - B[7]*r[0]) + r[0]*C[7] - r[1]*C[6];
    p->A[3] += A[3] - (B[2]*r[0] - B[0]*r[2]) + r[1]*C[5] - r[2]*C[4];
    p->A[4] += A[4] - (B[0]*r[1] - B[1]*r[0]) + r[1]*C[8] - r[2]*C[7];
    p->A[5] += A[5] - (B[3]*r[1] - B[4]*r[0]) + r[2]*C[6] - r[0]*C[8];
    for (int i = 0; i < 9; i++)
        p->B[i] += C[i];
    for (int i = 0; i < 6; i++)
        p->M[i] += M[i];
}

/* inward: articulated inertias, and what is left of the forces; al and a of a link are those of its own velocities */
static void gather(const tree *t, const real *u, const real *tau, state *s)
{
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        state *me = s + k;
        inertia I = me->I;
        real c[3] = {ZERO, ZERO, ZERO}, e[3] = {ZERO, ZERO, ZERO};
        const real *own = u + l->place, *force = tau + l->place;
        switch (l->kind) {
        case TURN:
            me->Un[0] = I.A[4]; me->Un[1] = I.A[5]; me->Un[2] = I.A[2];
            EACH(i) me->Uf[i] = I.B[6 + i];
            me->d = 1.0/I.A[2];
            me->u = force[0] - me->n[2];
            free_turn(me, &I);
            c[0] = me->w[1]*own[0]; c[1] = -me->w[0]*own[0];
            e[0] = me->v[1]*own[0]; e[1] = -me->v[0]*own[0];
            break;
        case SLIDE:
            EACH(i) me->Un[i] = I.B[3*i + 2];
            me->Uf[0] = I.M[4]; me->Uf[1] = I.M[5]; me->Uf[2] = I.M[2];
            me->d = 1.0/I.M[2];
            me->u = force[0] - me->f[2];
            free_slide(me, &I);
            e[0] = me->w[1]*own[0]; e[1] = -me->w[0]*own[0];
            break;
        case BALL:
            free_ball(me, &I);
            EACH(i) me->Un[i] = force[i] - me->n[i];
            cross(me->v, own, e);
            break;
        default:
            factor_free(&I, me->solved);
            EACH(i) { me->Uf[i] = force[i] - me->f[i]; me->Un[i] = force[3 + i] - me->n[i]; }
        }
        if (l->parent < 0)
            continue;
        /* what speeds do beside, and what the joint takes up */
        real n[3], f[3], x[3];
        times(I.A, c, n); by_rows(I.B, e, x); EACH(i) n[i] += me->n[i] + x[i];
        by_columns(I.B, c, f); times(I.M, e, x); EACH(i) f[i] += me->f[i] + x[i];
        if (l->kind == BALL) {
            times(me->solved, me->Un, x);
            by_columns(me->solved + 6, x, e);
            EACH(i) { n[i] += me->Un[i]; f[i] += e[i]; }
        } else {
            const real g = me->u*me->d;
            EACH(i) { n[i] += me->Un[i]*g; f[i] += me->Uf[i]*g; }
        }
        hand_down(me, n, f, s + l->parent);
        pass_on(me, &I, &s[l->parent].I);
    }
}

/* outward: accelerations */
static void release(const tree *t, const real *u, real *du, state *s)
{
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        state *me = s + k;
        drag(t, l, u, l->parent < 0 ? 0 : s + l->parent, me);
        real *mine = du + l->place, x[3], y[3];
        switch (l->kind) {
        case TURN: case SLIDE:
            mine[0] = (me->u - dot(me->Un, me->al) - dot(me->Uf, me->a))*me->d;
            break;
        case BALL:
            by_rows(me->solved + 6, me->a, x);
            EACH(i) y[i] = me->Un[i] - x[i];
            times(me->solved, y, x);
            EACH(i) mine[i] = x[i] - me->al[i];
            break;
        default:
            EACH(i) { mine[i] = me->Uf[i]; mine[3 + i] = me->Un[i]; }
            solve_free(me->solved, mine);
            EACH(i) { mine[i] -= me->a[i]; mine[3 + i] -= me->al[i]; }
        }
        quicken(l, du, me);
    }
}

static void find_accelerations(const tree *t, const real *x, const real *tau, real *dx, state *s)
{
    const real *q = x, *u = x + t->speeds;
    real *more = (real *)(s + t->links) + 2*round_up(t->speeds);
    start(t, q, u, s);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        inertia *I = &s[k].I;
        const double B[9] = {0.0, -l->h[2], l->h[1], l->h[2], 0.0, -l->h[0], -l->h[1], l->h[0], 0.0};
        for (int i = 0; i < 6; i++) I->A[i] = fill(l->J[i]);
        for (int i = 0; i < 9; i++) I->B[i] = fill(B[i]);
        EACH(i) { I->M[i] = fill(l->m); I->M[3 + i] = s[k].n[i] = s[k].f[i] = ZERO; }
        s[k].solved = more;
        more += count_solved(l);
        add_gyration(l, s[k].w, s[k].v, s[k].n, s[k].f);
        find_rates(l, find_swings(t, l, s), u, s + k, dx);
    }
    gather(t, u, tau, s);
    release(t, u, dx + t->speeds, s);
}

static void find_forces(const tree *t, const real *x, const real *du, real *tau, state *s)
{
    const real *u = x + t->speeds;
    start(t, x, u, s);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        state *me = s + k;
        drag(t, l, u, l->parent < 0 ? 0 : s + l->parent, me);
        quicken(l, du, me);
        SPREAD(h, 3, l->h);
        SPREAD(J, 6, l->J);
        cross(me->al, h, me->f);
        EACH(i) me->f[i] += l->m*me->a[i];
        times(J, me->al, me->n);
        add_cross(h, me->a, me->n);
        add_gyration(l, me->w, me->v, me->n, me->f);
    }
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        feel(l, s[k].n, s[k].f, tau);
        if (l->parent >= 0)
            hand_down(s + k, s[k].n, s[k].f, s + l->parent);
    }
}

/* columns of M: what the momentum of a composite does along the speeds of the link and of all it stands on */
static void find_mass(const tree *t, const real *x, real *M, state *s)
{
    const long n = t->speeds;
    memset(M, 0, sizeof(real)*n*n);
    swing_tree(t, x, s);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        place(l, x + l->place, find_swings(t, l, s), s + k);
        /* composites: mass u, first moment Uf, inertia I.A */
        s[k].u = fill(l->m);
        EACH(i) s[k].Uf[i] = fill(l->h[i]);
        for (int i = 0; i < 6; i++) s[k].I.A[i] = fill(l->J[i]);
    }
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        state *me = s + k;
        const int count = width(l);
        for (int c = 0; c < count; c++) {
            const int axis = count == 1 ? 2 : c % 3, slides = l->kind == SLIDE || (l->kind == FREE && c < 3);
            real e[3], p[3], L[3], felt[6];
            EACH(i) e[i] = fill(i == axis);
            if (slides) {
                EACH(i) p[i] = me->u*e[i];
                cross(me->Uf, e, L);
            } else {
                cross(e, me->Uf, p);
                times(me->I.A, e, L);
            }
            for (long i = k; ; ) {
                const link *on = t->link + i;
                const int wide = width(on);
                link local = {.kind = on->kind};
                feel(&local, L, p, felt);
                for (int j = 0; j < wide; j++)
                    M[(l->place + c)*n + on->place + j] = M[(on->place + j)*n + l->place + c] = felt[j];
                if (on->parent < 0)
                    break;
                real y[3], z[3];
                turn(s[i].E, p, y);
                turn(s[i].E, L, z);
                cross(s[i].r, y, L);
                EACH(j) { L[j] += z[j]; p[j] = y[j]; }
                i = on->parent;
            }
        }
        if (l->parent < 0)
            continue;
        /* J + 2 r.h - r h' - h r' + m (r.r - r r') about the parent's origin */
        state *p = s + l->parent;
        real h[3], J[6];
        const real *r = me->r, m = me->u;
        turn(me->E, me->Uf, h);
        turn_symmetric(me->E, me->I.A, J);
        const real both = 2.0*dot(r, h) + m*dot(r, r);
        EACH(i) p->I.A[i] += J[i] + both - 2.0*r[i]*h[i] - m*r[i]*r[i];
        p->I.A[3] += J[3] - r[0]*h[1] - h[0]*r[1] - m*r[0]*r[1];
        p->I.A[4] += J[4] - r[0]*h[2] - h[0]*r[2] - m*r[0]*r[2];
        p->I.A[5] += J[5] - r[1]*h[2] - h[1]*r[2] - m*r[1]*r[2];
        p->u += m;
        EACH(i) p->Uf[i] += h[i] + m*r[i];
    }
}

/* a frame of a link in space: place, axes by rows, velocity, angular velocity, and how speeds move it: six numbers for each
   speed on the way, of which they are many */
static void find_frame(const tree *t, const real *x, const long *way, long many, const double *at, const double *R,
    real *out, real *jac, state *s)
{
    const real *u = x + t->speeds;
    real *sines = (real *)(s + t->links), *cosines = sines + round_up(t->speeds);
    long turned = 0;
    for (long c = many - 1; c >= 0; c--)
        for (const real *q = x + t->link[way[c]].place, *end = q + width(t->link + way[c]); q < end; q++)
            sines[turned++] = *q;
    swing_all(turned, sines, cosines);
    /* in space: axes in I.B, origin in a */
    const state *p = 0;
    for (long c = many - 1; c >= 0; c--) {
        const link *l = t->link + way[c];
        state *me = s + way[c];
        place(l, x + l->place, (swings){sines, cosines}, me);
        sines += width(l);
        cosines += width(l);
        if (p) {
            const real *E = p->I.B, *e = me->E;
            turn(E, me->r, me->a);
            EACH(i) me->a[i] += p->a[i];
            EACH(i) EACH(j) me->I.B[3*i + j] = E[3*i]*e[j] + E[3*i + 1]*e[3 + j] + E[3*i + 2]*e[6 + j];
        } else {
            memcpy(me->I.B, me->E, sizeof me->E);
            memcpy(me->a, me->r, sizeof me->r);
        }
        p = me;
    }
    const real *E = p->I.B;
    real travels[3], turns[3]; /* not in `out`, where each speed would wait until the one before is written */
    SPREAD(tip, 3, at);
    turn(E, tip, tip);
    EACH(i) { tip[i] += p->a[i]; out[i] = tip[i]; travels[i] = turns[i] = ZERO; }
    EACH(i) EACH(j) out[3 + 3*i + j] = E[3*i]*R[j] + E[3*i + 1]*R[3 + j] + E[3*i + 2]*R[6 + j];
    for (long c = 0; c < many; c++) {
        const state *me = s + way[c];
        const link *l = t->link + way[c];
        const int wide = width(l);
        for (int k = 0; k < wide; k++, jac += 6) {
            const int axis = wide == 1 ? 2 : k % 3, slides = l->kind == SLIDE || (l->kind == FREE && k < 3);
            const real speed = u[l->place + k], e[3] = {me->I.B[axis], me->I.B[3 + axis], me->I.B[6 + axis]};
            real moved[3];
            if (slides)
                EACH(i) { moved[i] = e[i]; jac[3 + i] = ZERO; }
            else {
                const real arm[3] = {tip[0] - me->a[0], tip[1] - me->a[1], tip[2] - me->a[2]};
                cross(e, arm, moved);
                EACH(i) { jac[3 + i] = e[i]; turns[i] += e[i]*speed; }
            }
            EACH(i) { jac[i] = moved[i]; travels[i] += moved[i]*speed; }
        }
    }
    EACH(i) { out[12 + i] = travels[i]; out[15 + i] = turns[i]; }
}

/* derivatives of the rates by the state, by rows; memory: speeds*speeds + 2*speeds numbers, then axes and spatial */
static void find_slopes(const tree *t, const real *x, const real *tau, real *J, real *memory, state *s)
{
    const long n = t->speeds;
    axis *axes = (axis *)(memory + n*n + 2*n);
    spatial *space = (spatial *)(axes + n);
    real *dx = memory + n*n, *D = J + 2*n*n;
    find_accelerations(t, x, tau, dx, s);
    memset(J, 0, sizeof(real)*4*n*n);
    survey(t, x, dx + n, axes, space, s);
    compose_slopes(t, axes, space, memory, D);
    divide_by_mass(axes, n, memory, D, 2*n);
    for (long i = 0; i < 2*n*n; i++)
        D[i] = -D[i];
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        if (l->kind == TURN || l->kind == SLIDE)
            J[2*n*l->place + n + l->place] = fill(1.0);
        else
            by_coordinates(t, l, find_swings(t, l, s), x, dx, s[k].E, J);
    }
}

/* -- as many states as there are, in rows ------------------------------------------------------------------------------ */

#define BLOCK 8 /* columns of rows that are read and written together, while they are near */

static inline long least(long x, long y) { return x < y ? x : y; }

/* the numbers of some states, from row to row so far apart, in lanes: the last ones have what the last state has */
static const real *take(real *room, const double *from, long wide, long step, long states)
{
#if LANES == 1
    (void)room; (void)wide; (void)step; (void)states;
    return from;
#else
    for (long first = 0; first < wide; first += BLOCK)
        for (long l = 0; l < LANES; l++)
            for (long i = first; i < least(first + BLOCK, wide); i++)
                LANE(room[i], l) = from[i + step*least(l, states - 1)];
    return room;
#endif
}

/* where results are made, and how they come from there */
#if LANES == 1
#define MADE(room, to) (to)
#else
#define MADE(room, to) (room)
#endif

static void give(double *to, const real *from, long wide, long states)
{
#if LANES > 1
    for (long first = 0; first < wide; first += BLOCK)
        for (long l = 0; l < states; l++)
            for (long i = first; i < least(first + BLOCK, wide); i++)
                to[i + wide*l] = LANE(from[i], l);
#endif
}

static void *align(void *memory)
{
    return (char *)memory + (sizeof(real) - (size_t)memory%sizeof(real))%sizeof(real);
}

static long bytes(const tree *t)
{
    long all = t->links*sizeof(state) + 2*round_up(t->speeds)*sizeof(real);
    for (long k = 0; k < t->links; k++)
        all += count_solved(t->link + k)*sizeof(real);
    return all;
}

/* bytes of memory: of links, of so many numbers of a state, and of what slopes need */
long KERNEL(size)(const tree *t, long numbers, long slopes)
{
    const long n = t->speeds, more = (n*n + 2*n)*sizeof(real) + n*sizeof(axis) + t->links*sizeof(spatial);
    return bytes(t) + (numbers + 1)*sizeof(real) + (slopes ? more : 0);
}

/* step: from one row of forces to the next, which may be the same */
static void many_forward(const tree *t, long count, const double *x, const double *tau, long step, double *dx,
    void *memory)
{
    const long n = t->speeds;
    real *room = align(memory);
    state *s = (state *)(room + 5*n);
    for (long k = 0; k < count; k += LANES) {
        const long states = least(LANES, count - k);
        const real *here = take(room, x + 2*n*k, 2*n, 2*n, states), *push = take(room + 2*n, tau + step*k, n, step, states);
        real *rates = MADE(room + 3*n, dx + 2*n*k);
        find_accelerations(t, here, push, rates, s);
        give(dx + 2*n*k, rates, 2*n, states);
    }
}

static void many_inverse(const tree *t, long count, const double *x, const double *du, double *tau, void *memory)
{
    const long n = t->speeds;
    real *room = align(memory);
    state *s = (state *)(room + 4*n);
    for (long k = 0; k < count; k += LANES) {
        const long states = least(LANES, count - k);
        real *forces = MADE(room + 3*n, tau + n*k);
        find_forces(t, take(room, x + 2*n*k, 2*n, 2*n, states), take(room + 2*n, du + n*k, n, n, states), forces, s);
        give(tau + n*k, forces, n, states);
    }
}

static void many_mass(const tree *t, long count, const double *x, double *M, void *memory)
{
    const long n = t->speeds;
    real *room = align(memory);
    state *s = (state *)(room + 2*n + n*n);
    for (long k = 0; k < count; k += LANES) {
        const long states = least(LANES, count - k);
        real *found = MADE(room + 2*n, M + n*n*k);
        find_mass(t, take(room, x + 2*n*k, n, 2*n, states), found, s);
        give(M + n*n*k, found, n*n, states);
    }
}

static void many_slopes(const tree *t, long count, const double *x, const double *tau, long step, double *J,
    void *memory)
{
    const long n = t->speeds;
    real *room = align(memory);
    state *s = (state *)(room + 3*n + 4*n*n);
    real *more = (real *)((char *)s + bytes(t));
    for (long k = 0; k < count; k += LANES) {
        const long states = least(LANES, count - k);
        const real *here = take(room, x + 2*n*k, 2*n, 2*n, states), *push = take(room + 2*n, tau + step*k, n, step, states);
        real *found = MADE(room + 3*n, J + 4*n*n*k);
        find_slopes(t, here, push, found, more, s);
        give(J + 4*n*n*k, found, 4*n*n, states);
    }
}

static void many_frames(const tree *t, long count, const double *x, long of, const double *at, const double *R,
    double *out, double *jac, void *memory)
{
    const long n = t->speeds;
    real *room = align(memory), *columns = room + 2*n + 18;
    long *way = (long *)(columns + 6*n), many = 0;
    state *s = (state *)(columns + 6*n + t->links);
    for (long i = of; i >= 0; i = t->link[i].parent)
        way[many++] = i;
    for (long k = 0; k < count; k += LANES) {
        const long states = least(LANES, count - k);
        real *found = MADE(room + 2*n, out + 18*k);
        memset(jac + 6*n*k, 0, sizeof(double)*6*n*states);
        const real *here = MADE(room, (const real *)x + 2*n*k), *column = columns;
        for (long c = 0; c < many; c++) {
            const link *on = t->link + way[c];
            const double *q = x + 2*n*k + on->place;
            take(room + on->place, q, width(on), 2*n, states);
            take(room + n + on->place, q + n, width(on), 2*n, states);
        }
        find_frame(t, here, way, many, at, R, found, columns, s);
        give(out + 18*k, found, 18, states);
        for (long c = 0; c < many; c++) {
            const link *on = t->link + way[c];
            for (long place = on->place; place < on->place + width(on); place++, column += 6)
                for (int i = 0; i < 6; i++)
                    for (long l = 0; l < (LANES == 1 ? 1 : states); l++)
                        jac[6*n*(k + l) + n*i + place] = LANE(column[i], l);
        }
    }
}

/* one of these, by its number and its arguments; numbers and addresses are equally wide */
void KERNEL(call)(const ptrdiff_t *w)
{
    const tree *t = (const tree *)w[1];
    const long count = w[2];
    const double *x = (const double *)w[3];
    switch (w[0]) {
    case 0: many_forward(t, count, x, (const double *)w[4], w[5], (double *)w[6], (void *)w[7]); break;
    case 1: many_inverse(t, count, x, (const double *)w[4], (double *)w[5], (void *)w[6]); break;
    case 2: many_mass(t, count, x, (double *)w[4], (void *)w[5]); break;
    case 3: many_slopes(t, count, x, (const double *)w[4], w[5], (double *)w[6], (void *)w[7]); break;
    default:
        many_frames(t, count, x, w[4], (const double *)w[5], (const double *)w[6], (double *)w[7], (double *)w[8],
            (void *)w[9]);
    }
}
