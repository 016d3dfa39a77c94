/* Dynamics of trees of links in as many operations as there are links: by articulated inertias, Newton and Euler, and
   composites. State: coordinates, then speeds. Nothing is kept: memory is the caller's. */
#include "recursion.h"
#include "recursion_slopes.h"

static inline void start(const tree *t, const double *q, const double *u, state *s)
{
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        place(l, q, s + k);
        move(l, u, l->parent < 0 ? 0 : s + l->parent, s + k);
    }
}

/* the rank-one part of a joint taken off: I - U U'/d */
static inline void free_turn(state *s, inertia *I)
{
    double *A = I->A, *B = I->B, *M = I->M;
    const double x = s->Un[0]*s->d, y = s->Un[1]*s->d;
    A[0] -= x*s->Un[0]; A[1] -= y*s->Un[1]; A[3] -= x*s->Un[1];
    A[2] = A[4] = A[5] = 0.0;
    EACH(j) {
        B[j] -= x*s->Uf[j];
        B[3 + j] -= y*s->Uf[j];
        B[6 + j] = 0.0;
    }
    const double a = s->Uf[0]*s->d, b = s->Uf[1]*s->d, c = s->Uf[2]*s->d;
    M[0] -= a*s->Uf[0]; M[1] -= b*s->Uf[1]; M[2] -= c*s->Uf[2];
    M[3] -= a*s->Uf[1]; M[4] -= a*s->Uf[2]; M[5] -= b*s->Uf[2];
}

static inline void free_slide(state *s, inertia *I)
{
    double *A = I->A, *B = I->B, *M = I->M;
    const double a = s->Un[0]*s->d, b = s->Un[1]*s->d, c = s->Un[2]*s->d;
    A[0] -= a*s->Un[0]; A[1] -= b*s->Un[1]; A[2] -= c*s->Un[2];
    A[3] -= a*s->Un[1]; A[4] -= a*s->Un[2]; A[5] -= b*s->Un[2];
    EACH(i) {
        B[3*i] -= s->Un[i]*s->Uf[0]*s->d;
        B[3*i + 1] -= s->Un[i]*s->Uf[1]*s->d;
        B[3*i + 2] = 0.0;
    }
    M[0] -= s->Uf[0]*s->d*s->Uf[0]; M[1] -= s->Uf[1]*s->d*s->Uf[1]; M[3] -= s->Uf[0]*s->d*s->Uf[1];
    M[2] = M[4] = M[5] = 0.0;
}

static inline void invert_symmetric(const double S[6], double o[6])
{
    const double a = S[1]*S[2] - S[5]*S[5], b = S[4]*S[5] - S[3]*S[2], c = S[3]*S[5] - S[4]*S[1];
    const double d = 1.0/(S[0]*a + S[3]*b + S[4]*c);
    o[0] = a*d; o[3] = b*d; o[4] = c*d;
    o[1] = (S[0]*S[2] - S[4]*S[4])*d;
    o[2] = (S[0]*S[1] - S[3]*S[3])*d;
    o[5] = (S[3]*S[4] - S[0]*S[5])*d;
}

/* a ball passes on a mass alone: M - B' A^-1 B; `solved` keeps A^-1 and B */
static void free_ball(state *s, inertia *I)
{
    double W[9];
    invert_symmetric(I->A, s->solved);
    memcpy(s->solved + 6, I->B, sizeof I->B);
    EACH(j) {
        const double column[3] = {I->B[j], I->B[3 + j], I->B[6 + j]};
        double x[3];
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
static void factor_free(const inertia *I, double L[36])
{
    const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double S[6][6];
    EACH(i) EACH(j) {
        S[i][j] = I->M[at[i][j]];
        S[3 + i][3 + j] = I->A[at[i][j]];
        S[3 + i][j] = S[j][3 + i] = I->B[3*i + j];
    }
    for (int k = 0; k < 6; k++) {
        const double d = 1.0/S[k][k];
        L[7*k] = d;
        for (int i = k + 1; i < 6; i++) {
            L[6*i + k] = S[i][k]*d;
            for (int j = k + 1; j <= i; j++)
                S[i][j] -= L[6*i + k]*S[j][k];
        }
    }
}

static void solve_free(const double L[36], double x[6])
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
    double A[6], B[9], M[6];
    const double *r = s->r;
    turn_symmetric(s->E, I->A, A);
    turn_matrix(s->E, I->B, B);
    turn_symmetric(s->E, I->M, M);
    /* B + r x M */
    const double F[9] = {M[0], M[3], M[4], M[3], M[1], M[5], M[4], M[5], M[2]};
    double C[9];
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
static void gather(const tree *t, const double *u, const double *tau, state *s)
{
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        state *me = s + k;
        inertia I = me->I;
        double c[3] = {0.0}, e[3] = {0.0};
        const double *v = u + l->place, *force = tau + l->place;
        switch (l->kind) {
        case TURN:
            me->Un[0] = I.A[4]; me->Un[1] = I.A[5]; me->Un[2] = I.A[2];
            EACH(i) me->Uf[i] = I.B[6 + i];
            me->d = 1.0/I.A[2];
            me->u = force[0] - me->n[2];
            free_turn(me, &I);
            c[0] = me->w[1]*v[0]; c[1] = -me->w[0]*v[0];
            e[0] = me->v[1]*v[0]; e[1] = -me->v[0]*v[0];
            break;
        case SLIDE:
            EACH(i) me->Un[i] = I.B[3*i + 2];
            me->Uf[0] = I.M[4]; me->Uf[1] = I.M[5]; me->Uf[2] = I.M[2];
            me->d = 1.0/I.M[2];
            me->u = force[0] - me->f[2];
            free_slide(me, &I);
            e[0] = me->w[1]*v[0]; e[1] = -me->w[0]*v[0];
            break;
        case BALL:
            free_ball(me, &I);
            EACH(i) me->Un[i] = force[i] - me->n[i];
            cross(me->v, v, e);
            break;
        default:
            factor_free(&I, me->solved);
            EACH(i) { me->Uf[i] = force[i] - me->f[i]; me->Un[i] = force[3 + i] - me->n[i]; }
        }
        if (l->parent < 0)
            continue;
        /* what speeds do beside, and what the joint takes up */
        double n[3], f[3], x[3];
        times(I.A, c, n); by_rows(I.B, e, x); EACH(i) n[i] += me->n[i] + x[i];
        by_columns(I.B, c, f); times(I.M, e, x); EACH(i) f[i] += me->f[i] + x[i];
        if (l->kind == BALL) {
            times(me->solved, me->Un, x);
            by_columns(me->solved + 6, x, e);
            EACH(i) { n[i] += me->Un[i]; f[i] += e[i]; }
        } else {
            const double g = me->u*me->d;
            EACH(i) { n[i] += me->Un[i]*g; f[i] += me->Uf[i]*g; }
        }
        hand_down(me, n, f, s + l->parent);
        pass_on(me, &I, &s[l->parent].I);
    }
}

/* outward: accelerations */
static void release(const tree *t, const double *u, double *du, state *s)
{
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        state *me = s + k;
        drag(t, l, u, l->parent < 0 ? 0 : s + l->parent, me);
        double *mine = du + l->place, x[3], y[3];
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

void KERNEL(forward)(const tree *t, const double *x, const double *tau, double *dx, state *s)
{
    const double *q = x, *u = x + t->speeds;
    start(t, q, u, s);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        inertia *I = &s[k].I;
        memcpy(I->A, l->J, sizeof I->A);
        const double B[9] = {0.0, -l->h[2], l->h[1], l->h[2], 0.0, -l->h[0], -l->h[1], l->h[0], 0.0};
        memcpy(I->B, B, sizeof B);
        EACH(i) { I->M[i] = l->m; I->M[3 + i] = 0.0; s[k].n[i] = s[k].f[i] = 0.0; }
        add_gyration(l, s[k].w, s[k].v, s[k].n, s[k].f);
        find_rates(l, q, u, s + k, dx);
    }
    gather(t, u, tau, s);
    release(t, u, dx + t->speeds, s);
}

static void find_forces(const tree *t, const double *u, const double *du, double *tau, state *s)
{
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        state *me = s + k;
        drag(t, l, u, l->parent < 0 ? 0 : s + l->parent, me);
        quicken(l, du, me);
        cross(me->al, l->h, me->f);
        EACH(i) me->f[i] += l->m*me->a[i];
        times(l->J, me->al, me->n);
        add_cross(l->h, me->a, me->n);
        add_gyration(l, me->w, me->v, me->n, me->f);
    }
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        feel(l, s[k].n, s[k].f, tau);
        if (l->parent >= 0)
            hand_down(s + k, s[k].n, s[k].f, s + l->parent);
    }
}

void KERNEL(inverse)(const tree *t, const double *x, const double *du, double *tau, state *s)
{
    start(t, x, x + t->speeds, s);
    find_forces(t, x + t->speeds, du, tau, s);
}

/* columns of M: what the momentum of a composite does along the speeds of the link and of all it stands on */
void KERNEL(mass)(const tree *t, const double *x, double *M, state *s)
{
    const long n = t->speeds;
    memset(M, 0, sizeof(double)*n*n);
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        place(l, x, s + k);
        /* composites: mass u, first moment Uf, inertia I.A */
        s[k].u = l->m;
        memcpy(s[k].Uf, l->h, sizeof l->h);
        memcpy(s[k].I.A, l->J, sizeof l->J);
    }
    for (long k = t->links - 1; k >= 0; k--) {
        const link *l = t->link + k;
        state *me = s + k;
        const int count = l->kind == FREE ? 6 : l->kind == BALL ? 3 : 1;
        for (int c = 0; c < count; c++) {
            double w[3] = {0.0}, v[3] = {0.0}, p[3], L[3], felt[6];
            if (l->kind == TURN) w[2] = 1.0;
            else if (l->kind == SLIDE || (l->kind == FREE && c < 3)) v[l->kind == SLIDE ? 2 : c] = 1.0;
            else w[c % 3] = 1.0;
            cross(w, me->Uf, p);
            EACH(i) p[i] += me->u*v[i];
            times(me->I.A, w, L);
            add_cross(me->Uf, v, L);
            for (long i = k; ; ) {
                const link *on = t->link + i;
                const int wide = on->kind == FREE ? 6 : on->kind == BALL ? 3 : 1;
                link local = {.kind = on->kind};
                feel(&local, L, p, felt);
                for (int j = 0; j < wide; j++)
                    M[(l->place + c)*n + on->place + j] = M[(on->place + j)*n + l->place + c] = felt[j];
                if (on->parent < 0)
                    break;
                double y[3], z[3];
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
        double h[3], J[6];
        const double *r = me->r, m = me->u;
        turn(me->E, me->Uf, h);
        turn_symmetric(me->E, me->I.A, J);
        const double both = 2.0*dot(r, h) + m*dot(r, r);
        EACH(i) p->I.A[i] += J[i] + both - 2.0*r[i]*h[i] - m*r[i]*r[i];
        p->I.A[3] += J[3] - r[0]*h[1] - h[0]*r[1] - m*r[0]*r[1];
        p->I.A[4] += J[4] - r[0]*h[2] - h[0]*r[2] - m*r[0]*r[2];
        p->I.A[5] += J[5] - r[1]*h[2] - h[1]*r[2] - m*r[1]*r[2];
        p->u += m;
        EACH(i) p->Uf[i] += h[i] + m*r[i];
    }
}

/* a frame of a link in space: place, axes by rows, velocity, angular velocity, and how speeds move it: (6, speeds) */
void KERNEL(frame)(const tree *t, const double *x, long k, const double *at, const double *R, double *out, double *jac,
    state *s)
{
    const double *u = x + t->speeds;
    long way[t->links], count = 0;
    for (long i = k; i >= 0; i = t->link[i].parent)
        way[count++] = i;
    /* in space: axes in I.B, origin in a */
    const state *p = 0;
    for (long c = count - 1; c >= 0; c--) {
        state *me = s + way[c];
        place(t->link + way[c], x, me);
        if (p) {
            const double *E = p->I.B, *e = me->E;
            turn(E, me->r, me->a);
            EACH(i) me->a[i] += p->a[i];
            EACH(i) EACH(j) me->I.B[3*i + j] = E[3*i]*e[j] + E[3*i + 1]*e[3 + j] + E[3*i + 2]*e[6 + j];
        } else {
            memcpy(me->I.B, me->E, sizeof me->E);
            memcpy(me->a, me->r, sizeof me->r);
        }
        p = me;
    }
    const double *E = s[k].I.B;
    double tip[3], v[3] = {0.0}, w[3] = {0.0};
    turn(E, at, tip);
    EACH(i) tip[i] += s[k].a[i];
    memset(jac, 0, sizeof(double)*6*t->speeds);
    for (long c = 0; c < count; c++) {
        const state *me = s + way[c];
        const link *l = t->link + way[c];
        const double *own = u + l->place, *B = me->I.B;
        double *column = jac + l->place, arm[3];
        if (l->kind == SLIDE || l->kind == FREE) {
            const int first = l->kind == SLIDE ? 2 : 0;
            for (int axis = first; axis < 3; axis++, column++, own++)
                EACH(i) {
                    column[i*t->speeds] = B[3*i + axis];
                    v[i] += B[3*i + axis]*own[0];
                }
        }
        if (l->kind == SLIDE)
            continue;
        EACH(i) arm[i] = tip[i] - me->a[i];
        for (int axis = l->kind == TURN ? 2 : 0; axis < 3; axis++, column++, own++) {
            const double e[3] = {B[axis], B[3 + axis], B[6 + axis]};
            double moved[3];
            cross(e, arm, moved);
            EACH(i) {
                column[i*t->speeds] = moved[i];
                column[(3 + i)*t->speeds] = e[i];
                v[i] += moved[i]*own[0];
                w[i] += e[i]*own[0];
            }
        }
    }
    memcpy(out, tip, sizeof tip);
    EACH(i) EACH(j) out[3 + 3*i + j] = E[3*i]*R[j] + E[3*i + 1]*R[3 + j] + E[3*i + 2]*R[6 + j];
    memcpy(out + 12, v, sizeof v);
    memcpy(out + 15, w, sizeof w);
}

/* derivatives of the rates by the state, by rows; memory: speeds*speeds numbers, then axes and spatial */
void KERNEL(slopes)(const tree *t, const double *x, const double *tau, double *J, double *memory, state *s)
{
    const long n = t->speeds;
    axis *axes = (axis *)(memory + n*n + 2*n);
    spatial *space = (spatial *)(axes + n);
    double *dx = memory + n*n, *D = J + 2*n*n;
    KERNEL(forward)(t, x, tau, dx, s);
    memset(J, 0, sizeof(double)*4*n*n);
    survey(t, x, dx + n, axes, space, s);
    compose_slopes(t, axes, space, memory, D);
    divide_by_mass(axes, n, memory, D, 2*n);
    for (long i = 0; i < 2*n*n; i++)
        D[i] = -D[i];
    for (long k = 0; k < t->links; k++) {
        const link *l = t->link + k;
        if (l->kind == TURN || l->kind == SLIDE)
            J[2*n*l->place + n + l->place] = 1.0;
        else
            by_coordinates(t, l, x, dx, s[k].E, J);
    }
}

/* bytes of the memory of states, and of that for slopes */
long KERNEL(size)(const tree *t, long slopes)
{
    const long n = t->speeds;
    return slopes ? sizeof(double)*(n*n + 2*n) + n*sizeof(axis) + t->links*sizeof(spatial) : t->links*sizeof(state);
}

/* many states, one after the other; step: from one row of forces to the next, which may be the same */
void KERNEL(many_forward)(const tree *t, long count, const double *x, const double *tau, long step, double *dx, state *s)
{
    for (long k = 0; k < count; k++)
        KERNEL(forward)(t, x + 2*t->speeds*k, tau + step*k, dx + 2*t->speeds*k, s);
}

void KERNEL(many_inverse)(const tree *t, long count, const double *x, const double *du, double *tau, state *s)
{
    for (long k = 0; k < count; k++)
        KERNEL(inverse)(t, x + 2*t->speeds*k, du + t->speeds*k, tau + t->speeds*k, s);
}

void KERNEL(many_mass)(const tree *t, long count, const double *x, double *M, state *s)
{
    for (long k = 0; k < count; k++)
        KERNEL(mass)(t, x + 2*t->speeds*k, M + t->speeds*t->speeds*k, s);
}

void KERNEL(many_slopes)(const tree *t, long count, const double *x, const double *tau, long step, double *J,
    double *memory, state *s)
{
    for (long k = 0; k < count; k++)
        KERNEL(slopes)(t, x + 2*t->speeds*k, tau + step*k, J + 4*t->speeds*t->speeds*k, memory, s);
}

void KERNEL(many_frames)(const tree *t, long count, const double *x, long link, const double *at, const double *R,
    double *out, double *jac, state *s)
{
    for (long k = 0; k < count; k++)
        KERNEL(frame)(t, x + 2*t->speeds*k, link, at, R, out + 18*k, jac + 6*t->speeds*k, s);
}
