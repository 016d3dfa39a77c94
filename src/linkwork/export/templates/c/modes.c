/* @title@: constraints that come and go. Where something happens speeds jump, constraints go on and off, stops are
   struck, hold and let go, friction sticks and slips; between these instants nothing of this is needed. */
#include "events.h"
#include "solve.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define N @NAME@_SPEEDS
#define ROWS @NAME@_MULTIPLIERS
#define EVENTS @NAME@_EVENTS
#define BARRIERS @NAME@_BARRIERS
#define GRIPS @NAME@_GRIPS
#define SIZE @NAME@_SIZE

#define TOUCH 1e-8      /* of its size: a gap that counts as closed at the start, */
#define NEAR 1e-12      /* and on the way */
#define PASSED 1e-6     /* of its size: a gap that should not be there */
#define MET 1e-8        /* of what speeds are made of: by how much wanted ones may be missed */
#define STILL 1e-11     /* of the speeds that make up a relative speed: what counts as none */
#define SOFT 1e-12      /* of what it is if everything moves: the mobility of what nothing can move */
#define LIFTED 1e-9     /* of the push: a pull that counts */
#define REST 1e-14      /* of the size: bounces lower than this are none */
#define SLOW 1e-10      /* of the fastest it has been: friction that stands still */
#define RANK 1e-6       /* of a row: what others leave of one that follows from them, */
#define DEPENDENT 1e-9  /* and of one of friction */

typedef @name@_instant instant;

@if measures
/* by how much a constraint changes if everything moves by its size */
static double measure(const double row[])
{
    double sum = 0.0;
    for (int j = 0; j < N; j++)
        sum += row[j]*row[j]*@name@_sizes[@NAME@_PLACES + j]*@name@_sizes[@NAME@_PLACES + j];
    return fmax(sqrt(sum), 1e-300);
}

@end
@if products
static double dot(const double a[], const double b[])
{
    double sum = 0.0;
    for (int j = 0; j < N; j++)
        sum += a[j]*b[j];
    return sum;
}

@end
@if impulses
static double dot_sizes(const double a[], const double b[])
{
    double sum = 0.0;
    for (int j = 0; j < N; j++)
        sum += fabs(a[j])*fabs(b[j]);
    return sum;
}

@end
@if impulses
/* the largest speed, by the sizes of what moves */
static double find_fastest(const double u[])
{
    double fastest = 0.0;
    for (int j = 0; j < N; j++)
        fastest = fmax(fastest, fabs(u[j])/@name@_sizes[@NAME@_PLACES + j]);
    return fastest;
}

/* by how much the rate of a row may be missed: a little of the speeds it is made of, and rounding of all speeds */
static double missed(const double row[], const double u[], double fastest)
{
    return MET*dot_sizes(row, u) + STILL*fastest*dot_sizes(row, @name@_sizes + @NAME@_PLACES) + 1e-300;
}

@end
/* constraints that hold and are neither stops nor, if wanted, friction */
static int list_held(const @name@ *m, int stops, int grips, int list[])
{
    int keep[ROWS], count = 0;
    for (int i = 0; i < ROWS; i++)
        keep[i] = m->holds[i];
@if barriers
    for (int i = 0; i < BARRIERS && !stops; i++)
        keep[@name@_barriers[i].row] = 0;
@end
@if grips
    for (int i = 0; i < GRIPS && !grips; i++)
        for (int k = 0; k < @name@_grips[i].rows; k++)
            keep[@name@_grips[i].row[k]] = 0;
@end
    (void)stops; (void)grips;
    for (int i = 0; i < ROWS; i++)
        if (keep[i])
            list[count++] = i;
    return count;
}

@if grips
/* whether friction sticks */
static int is_stuck(const @name@ *m, int grip)
{
    int any = 0;
    for (int k = 0; k < @name@_grips[grip].rows; k++)
        any |= m->holds[@name@_grips[grip].row[k]];
    return any;
}

static double pulled(const double lambda[], int grip)
{
    double sum = 0.0;
    for (int k = 0; k < @name@_grips[grip].rows; k++)
        sum += lambda[@name@_grips[grip].row[k]]*lambda[@name@_grips[grip].row[k]];
    return sqrt(sum);
}

@end
/* -- what is watched ----------------------------------------------------------------------------------------------- */

@if barriers
/* less than 0: a stop that does not hold is struck */
static double watch_stop(const @name@_numbers *at, int i)
{
    const int row = @name@_barriers[i].row;
    const double g = at->g[row], size = measure(at->G + row*N);
    if (!@name@_barriers[i].is_gap)
        return at->dg[row] + REST*size;
    /* what has just been struck may be passed by rounding, and moves away */
    return g < 0.0 && at->dg[row] >= 0.0 && g >= -NEAR*size ? 0.0 : g;
}

@end
@if grips
/* the speeds of friction, and their size */
static double speed_along(const @name@_numbers *at, int grip, double v[])
{
    const int rows = @name@_grips[grip].rows, *row = @name@_grips[grip].row;
    v[0] = at->dg[row[0]];
    v[1] = rows > 1 ? at->dg[row[1]] : 0.0;
    return hypot(v[0], v[1]);
}

/* less than 0: friction that rests, since constraints leave it nothing to hold, is moved by them all the same */
static double watch_rest(const @name@ *m, const @name@_numbers *at, int i)
{
    double v[2];
    const double size = measure(at->G + @name@_grips[i].row[0]*N);
    return m->slow*fmax(m->fastest[i], size/(@tend@ - @t0@)) - speed_along(at, i, v);
}

/* less than 0: friction that slides comes to a stop */
static double watch_grip(const @name@_numbers *at, const double way[], double value, int i)
{
    const double lead = @name@_grips[i].rows > 1 ? hypot(way[1], way[2]) : 1.0;
    return way[0]*value + REST*lead*measure(at->G + @name@_grips[i].row[0]*N);
}

@end
/* values of events; of stops and friction those that become negative where they are struck, pull, stop and slip */
void @name@_watch(const @name@ *m, double t, const double y[], double s[])
{
    @name@_events(m, t, y, s);
@if barriers
    for (int i = 0; i < BARRIERS; i++)
        s[EVENTS + i] = s[@name@_barriers[i].watch] = 1.0;
@end
@if readings
    @name@_numbers at;
    double dy[@NAME@_STATES], lambda[ROWS], z[BARRIERS + GRIPS];
    @name@_look(m, t, y, &at);
    @name@_rhs(m, t, y, dy, lambda);
    @name@_readings(m, t, y, z);
@end
@if barriers
    for (int i = 0; i < BARRIERS; i++)
        if (m->holds[@name@_barriers[i].row])
            s[EVENTS + i] = -lambda[@name@_barriers[i].row];
        else
            s[@name@_barriers[i].watch] = watch_stop(&at, i);
@end
@if grips
    double ways[3*GRIPS];
    @name@_get_grips(m, ways);
    for (int i = 0; i < GRIPS; i++) {
        double *value = s + @name@_grips[i].watch;
        *value = ways[3*i] != 0.0 ? watch_grip(&at, ways + 3*i, *value, i) : 1.0;
        s[EVENTS + BARRIERS + i] = is_stuck(m, i)        ? z[BARRIERS + i] - pulled(lambda, i)
                                   : ways[3*i] == 0.0 ? watch_rest(m, &at, i)
                                                      : 1.0;
    }
@end
}

/* make the speeds meet some constraints, by impulses along them, if that is better than what there is */
static void meet(instant *at, const int list[], int rows)
{
    @name@_numbers now, after;
    @name@_saddle s;
    double b[ROWS], x[SIZE], y[@NAME@_STATES], off = 0.0, left = 0.0;
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < rows; i++) {
        b[i] = -now.dg[list[i]];
        off = fmax(off, fabs(b[i]));
    }
    if (!(off > 0.0) || @name@_hold(&s, &now, list, rows))
        return;
    @name@_solve(&s, NULL, b, x);
    memcpy(y, at->y, sizeof y);
    for (int j = 0; j < N; j++)
        y[@NAME@_PLACES + j] += x[j];
    @name@_look(at->m, at->t, y, &after);
    for (int i = 0; i < rows; i++)
        left = fmax(left, fabs(after.dg[list[i]]));
    if (left < off)
        memcpy(at->y, y, sizeof y);
}

@if grips
/* -- friction ------------------------------------------------------------------------------------------------------ */

/* whether friction of two speeds slides, its lead having been brought up to date */
static double find_lead(const instant *at, int i, const double v[], double little, double lead[])
{
    const double speed = hypot(v[0], v[1]);
    const int slips = at->slipping == i;
    /* where the speed along the lead is zero there may be one across: then it has turned */
    const int still = speed <= (at->halted[i] ? 8.0*little : little);
    const double *along = slips ? at->pull : still ? lead : v;
    const double length = hypot(along[0], along[1]), x = along[0], y = along[1];
    lead[0] = x*(little/length);
    lead[1] = y*(little/length);
    return slips || !still;
}

/* which way all friction moves, 0 where it stands still, and the leads */
static void find_ways(const instant *at, double ways[])
{
    @name@_numbers now;
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < GRIPS; i++) {
        const int count = @name@_grips[i].rows, *row = @name@_grips[i].row;
        const double size = fmax(measure(now.G + row[0]*N), count > 1 ? measure(now.G + row[1]*N) : 0.0);
        double v[2];
        const double speed = speed_along(&now, i, v);
        double *fastest = at->m->fastest + i;
        *fastest = fmax(*fastest, speed);
        if (count > 1) {
            const double little = at->m->slow*fmax(*fastest, size/(@tend@ - @t0@));
            ways[3*i] = find_lead(at, i, v, little, ways + 3*i + 1);
        } else if (at->slipping == i) {
            ways[3*i] = at->pull[0] > 0.0 ? 1.0 : -1.0;
        } else {
            const int still = at->halted[i] || speed <= fmax(SLOW**fastest, REST*size);
            ways[3*i] = still ? 0.0 : v[0] > 0.0 ? 1.0 : -1.0;
        }
    }
}

/* take off what is left of the speeds of friction that stands still, or did until now */
static void halt(instant *at, const double ways[])
{
    @name@_numbers now;
    int list[ROWS] = {0}, rows = list_held(at->m, 1, 0, list), any = 0;
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < GRIPS; i++)
        for (int k = 0; k < @name@_grips[i].rows; k++) {
            if (ways[3*i] != 0.0 && !(at->slipping == i && is_stuck(at->m, i)))
                continue;
            list[rows++] = @name@_grips[i].row[k];
            any |= now.dg[@name@_grips[i].row[k]] != 0.0;
        }
    if (any)
        meet(at, list, rows);
}

/* take from a row what lies along others, which are of length one and at right angles */
static void project(const double basis[], int count, double row[])
{
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < count; k++) {
            const double along = dot(basis + k*N, row);
            for (int j = 0; j < N; j++)
                row[j] -= along*basis[k*N + j];
        }
}

/* rows by the sizes of what moves, of length one, at right angles; how many there are */
static int find_basis(const @name@_numbers *now, const int list[], int rows, double basis[])
{
    int count = 0;
    for (int i = 0; i < rows; i++) {
        double *row = basis + count*N, length;
        for (int j = 0; j < N; j++)
            row[j] = now->G[list[i]*N + j]*@name@_sizes[@NAME@_PLACES + j];
        length = sqrt(dot(row, row));
        for (int j = 0; j < N && length > 0.0; j++)
            row[j] /= length;
        project(basis, count, row);
        length = sqrt(dot(row, row));
        if (!(length > RANK))
            continue;
        for (int j = 0; j < N; j++)
            row[j] /= length;
        if (++count == N)
            break;
    }
    return count;
}

/* let friction stick that stands still, unless constraints let nothing move there anyway; whether any does */
static int let_stick(instant *at, const double ways[])
{
    @name@_numbers now;
    int list[ROWS] = {0}, any = 0;
    const int rows = list_held(at->m, 1, 0, list);
    double basis[(ROWS + 1)*N];
    @name@_look(at->m, at->t, at->y, &now);
    const int count = find_basis(&now, list, rows, basis);
    for (int i = 0; i < GRIPS; i++)
        for (int k = 0; k < @name@_grips[i].rows; k++) {
            const int at_row = @name@_grips[i].row[k];
            double row[N], before = 0.0, after = 0.0;
            for (int j = 0; j < N; j++) {
                row[j] = now.G[at_row*N + j]*@name@_sizes[@NAME@_PLACES + j];
                before = fmax(before, fabs(row[j]));
            }
            project(basis, count, row);
            for (int j = 0; j < N; j++)
                after = fmax(after, fabs(row[j]));
            at->m->holds[at_row] = ways[3*i] == 0.0 && (!rows || after > DEPENDENT*before);
            any |= at->m->holds[at_row];
        }
    return any;
}

/* the friction that would have to hold most beyond what it can, -1: none, or a status; its force */
static int find_overcome(const instant *at, double pull[])
{
    double dy[@NAME@_STATES], lambda[ROWS], z[BARRIERS + GRIPS], worst = 0.0;
    int found = -1;
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    @name@_readings(at->m, at->t, at->y, z);
    for (int i = 0; i < GRIPS; i++) {
        if (!is_stuck(at->m, i))
            continue;
        if (!(z[BARRIERS + i] >= 0.0))
            return -9;
        if (pulled(lambda, i) - z[BARRIERS + i] > worst) {
            worst = pulled(lambda, i) - z[BARRIERS + i];
            found = i;
            for (int k = 0; k < @name@_grips[i].rows; k++)
                pull[k] = lambda[@name@_grips[i].row[k]];
        }
    }
    return found;
}

/* Friction that stands still where constraints leave it nothing to hold (a driven part where it turns, a dead centre)
   slides the way in which its speed changes; whether there is any. */
static int turn_idle(const instant *at, double ways[])
{
    @name@_numbers now;
    double dy[@NAME@_STATES], lambda[ROWS], inertia = 0.0, largest = 0.0;
    const double *a = dy + @NAME@_PLACES, *size_of = @name@_sizes + @NAME@_PLACES;
    int any = 0;
    @name@_look(at->m, at->t, at->y, &now);
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    for (int j = 0; j < N; j++) {
        inertia += now.M[j*N + j]*size_of[j]*size_of[j];
        largest = fmax(largest, fabs(now.f[j])*size_of[j]);
    }
    for (int i = 0; i < GRIPS; i++) {
        double change[2] = {0.0, 0.0}, felt = 0.0, v[2], *way = ways + 3*i;
        const int rows = @name@_grips[i].rows;
        for (int k = 0; k < rows; k++) {
            const double *row = now.G + @name@_grips[i].row[k]*N, c = now.c[@name@_grips[i].row[k]];
            double sum = fabs(c) + measure(row)*largest/inertia;
            for (int j = 0; j < N; j++)
                sum += fabs(row[j]*a[j]);
            change[k] = dot(row, a) - c;
            felt = fmax(felt, sum);
        }
        const double size = hypot(change[0], change[1]);
        if (way[0] != 0.0 || is_stuck(at->m, i) || !(size > SLOW*felt))
            continue;
        any = 1;
        speed_along(&now, i, v);
        /* it may not have come to rest yet, as it seemed */
        const int wrong = v[0]*change[0] < 0.0 && fabs(v[0]) > REST*measure(now.G + @name@_grips[i].row[0]*N);
        way[0] = rows > 1 || (wrong ? v[0] : change[0]) > 0.0 ? 1.0 : -1.0;
        if (rows > 1) {
            const double factor = hypot(way[1], way[2])/size;
            way[1] = change[0]*factor;
            way[2] = change[1]*factor;
        }
    }
    return any;
}

/* friction that stands still sticks; what would have to hold too much slides the way it is pulled, and all is asked
   again. The force of friction is -lambda, and that of sliding against the way it slides */
static int settle_ways(instant *at, double ways[])
{
    for (int round = 0; round <= 2*GRIPS; round++) {
        double pull[2] = {0.0, 0.0};
        @name@_set_grips(at->m, ways);
        const int any = let_stick(at, ways);
@if settled
        @name@_settle(at->m, at->t, at->y);
@end
        const int worst = any ? find_overcome(at, pull) : -1;
        if (worst < -1)
            return worst;
        if (worst < 0) {
            if (!turn_idle(at, ways))
                return 0;
            continue;
        }
        ways[3*worst] = @name@_grips[worst].rows > 1 || pull[0] > 0.0 ? 1.0 : -1.0;
        if (@name@_grips[worst].rows > 1) {
            double *lead = ways + 3*worst + 1;
            const double factor = hypot(lead[0], lead[1])/hypot(pull[0], pull[1]);
            lead[0] = pull[0]*factor;
            lead[1] = pull[1]*factor;
        }
    }
    return 0;
}

static int settle_grips(instant *at)
{
    double ways[3*GRIPS];
    int before[GRIPS];
    @name@_get_grips(at->m, ways);
    for (int i = 0; i < GRIPS; i++)
        before[i] = is_stuck(at->m, i);
    find_ways(at, ways);
    halt(at, ways);
    const int status = settle_ways(at, ways);
    for (int i = 0; i < GRIPS; i++)
        if (before[i] != is_stuck(at->m, i))
            @name@_say(at, at->t, EVENTS + 2*BARRIERS + 2*i + before[i]);
    return status;
}

@end
@if barriers
/* -- impacts ------------------------------------------------------------------------------------------------------- */

/* the mechanism at a state, as impacts at closed stops see it: with the inertia M and the constraints G that hold
   anyway, unit impulses along the rows J of stops change the speeds by X = inv(M) J' on the constraints, and those at
   stops by W = J X */
typedef struct {
    int count, stop[BARRIERS], row[BARRIERS], firm[BARRIERS], held[ROWS], rows;
    double X[BARRIERS*N], W[BARRIERS*BARRIERS], size[BARRIERS];
    @name@_saddle s;
} place;

/* 0 if it can be found */
static int find_place(const instant *at, const @name@_numbers *now, const int closed[], place *p)
{
    double inertia = 0.0;
    p->count = 0;
    for (int i = 0; i < BARRIERS; i++)
        if (closed[i]) {
            p->stop[p->count] = i;
            p->row[p->count++] = @name@_barriers[i].row;
        }
    p->rows = list_held(at->m, 0, 0, p->held);
    if (@name@_hold(&p->s, now, p->held, p->rows))
        return 1;
    for (int j = 0; j < N; j++)
        inertia += now->M[j*N + j]*@name@_sizes[@NAME@_PLACES + j]*@name@_sizes[@NAME@_PLACES + j];
    for (int i = 0; i < p->count; i++) {
        double x[SIZE];
        @name@_solve(&p->s, now->G + p->row[i]*N, NULL, x);
        memcpy(p->X + i*N, x, N*sizeof *x);
        p->size[i] = measure(now->G + p->row[i]*N);
    }
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->count; k++)
            p->W[i*p->count + k] = dot(now->G + p->row[i]*N, p->X + k*N);
        p->firm[i] = p->W[i*p->count + i]*inertia < SOFT*p->size[i]*p->size[i];
    }
    return 0;
}

/* accelerations a with no stop pushing, and those at the stops */
static void find_free(const place *p, const @name@_numbers *now, double a[], double bends[])
{
    double c[ROWS];
    for (int i = 0; i < p->rows; i++)
        c[i] = now->c[p->held[i]];
    @name@_solve(&p->s, now->f, c, a);
    for (int i = 0; i < p->count; i++)
        bends[i] = dot(now->G + p->row[i]*N, a) - now->c[p->row[i]];
}

/* q >= 0 with w = b + W q >= 0 and q w = 0: who pushes, and how much. By Murty's least-index pivots */
static void solve_complementary(const double W[], const double b[], int n, double q[])
{
    int pushes[BARRIERS] = {0}, rounds = 4 << (n < 12 ? n : 12);
    double scale = 1e-300, slack = 1e-300;
    for (int i = 0; i < n*n; i++)
        scale = fmax(scale, fabs(W[i]));
    for (int i = 0; i < n; i++)
        slack = fmax(slack, fabs(b[i]));
    slack *= 1e-12;
    while (rounds--) {
        double A[BARRIERS*BARRIERS], x[BARRIERS];
        int list[BARRIERS], pivot[BARRIERS], count = 0, wrong = -1;
        memset(q, 0, n*sizeof *q);
        for (int i = 0; i < n; i++)
            if (pushes[i])
                list[count++] = i;
        for (int i = 0; i < count; i++) {
            x[i] = -b[list[i]];
            for (int k = 0; k < count; k++)
                A[i*count + k] = W[list[i]*n + list[k]] + (i == k ? 1e-14*scale : 0.0);
        }
        if (!@name@_eliminate(A, count, pivot)) {
            @name@_substitute(A, count, pivot, x);
            for (int i = 0; i < count; i++)
                q[list[i]] = x[i];
        }
        for (int i = n - 1; i >= 0; i--) {
            double w = b[i];
            for (int k = 0; k < n; k++)
                w += W[i*n + k]*q[k];
            if (pushes[i] ? q[i]*scale < -slack : w < -slack)
                wrong = i;
        }
        if (wrong < 0)
            break;
        pushes[wrong] = !pushes[wrong];
    }
    for (int i = 0; i < n; i++)
        q[i] = fmax(q[i], 0.0);
}

/* impacts at all stops that something moves into, one pair at a time, the fastest first, each with its own restitution,
   until all move apart: so momentum runs through a row of balls. Where that does not end, what still moves together is
   stopped together. Whether there are any */
static int strike(const place *p, const @name@_numbers *now, const double drift[], const double e[], double u[])
{
    double v[BARRIERS] = {0.0}, still[BARRIERS] = {0.0}, rest[BARRIERS];
    for (int i = 0; i < p->count; i++)
        still[i] = STILL*dot_sizes(now->G + p->row[i]*N, u) + 1e-300;
    for (int round = 0; round < 2000; round++) {
        int i = 0;
        for (int k = 0; k < p->count; k++) {
            v[k] = dot(now->G + p->row[k]*N, u) + drift[k];
            if (v[k]/still[k] < v[i]/still[i])
                i = k;
        }
        if (v[i] >= -still[i] || p->firm[i])
            return round > 0;
        const double impulse = -(1.0 + e[i])*v[i]/p->W[i*p->count + i];
        for (int j = 0; j < N; j++)
            u[j] += p->X[i*N + j]*impulse;
    }
    for (int k = 0; k < p->count; k++)
        v[k] = dot(now->G + p->row[k]*N, u) + drift[k];
    solve_complementary(p->W, v, p->count, rest);
    for (int k = 0; k < p->count; k++)
        for (int j = 0; j < N; j++)
            u[j] += p->X[k*N + j]*rest[k];
    return 1;
}

/* what strikes is stopped by impulses, and constraints hold all the same; else nothing can give way */
static int is_jammed(const place *p, const @name@_numbers *before, const @name@_numbers *after, const double u[],
    const double last[])
{
    int into = 0;
    double a[SIZE], bends[BARRIERS];
    const double fastest = find_fastest(u) + find_fastest(last);
    find_free(p, after, a, bends);
    for (int i = 0; i < p->count; i++) {
        const double *row = before->G + p->row[i]*N;
        const double slow = MET*(dot_sizes(row, u) + fabs(before->dg[p->row[i]]));
        const double scale = dot_sizes(row, a) + fabs(after->c[p->row[i]]);
        into |= after->dg[p->row[i]] < -slow;
        into |= p->firm[i] && -bends[i] > MET*scale && after->dg[p->row[i]] <= slow;
    }
    for (int i = 0; i < p->rows; i++) {
        const double opened = fabs(after->dg[p->held[i]]) - fabs(before->dg[p->held[i]]);
        const double *row = before->G + p->held[i]*N;
        into |= opened > MET*dot_sizes(row, last) + missed(row, u, fastest);
    }
    return into;
}

/* which of the closed stops that are still are pressed on: these hold */
static void press(const instant *at, const place *p, const double bends[], const int still[])
{
    double W[BARRIERS*BARRIERS] = {0.0}, b[BARRIERS] = {0.0}, q[BARRIERS];
    int list[BARRIERS] = {0}, count = 0;
    for (int i = 0; i < BARRIERS; i++)
        at->m->holds[@name@_barriers[i].row] = 0;
    for (int i = 0; i < p->count; i++)
        if (still[i])
            list[count++] = i;
    for (int i = 0; i < count; i++) {
        b[i] = bends[list[i]];
        for (int k = 0; k < count; k++)
            W[i*count + k] = p->W[list[i]*p->count + list[k]];
    }
    solve_complementary(W, b, count, q);
    for (int i = 0; i < count; i++)
        at->m->holds[p->row[list[i]]] = q[i] > 0.0;
}

/* restitutions at closed stops; bounces that would be lower than rounding are none, told as rest where they come to it */
static int find_restitutions(const instant *at, const place *p, const @name@_numbers *now, const double bends[],
    double e[])
{
    double z[BARRIERS + GRIPS];
    @name@_readings(at->m, at->t, at->y, z);
    for (int i = 0; i < p->count; i++) {
        const double v = now->dg[p->row[i]];
        e[i] = z[p->stop[i]];
        if (!(e[i] >= 0.0 && e[i] <= 1.0))
            return -5;
        if (!(bends[i] < 0.0 && v < 0.0 && e[i]*v*e[i]*v < 2.0*fabs(bends[i])*REST*p->size[i]))
            continue;
        if (e[i] > 0.0 && !at->m->holds[p->row[i]])
            @name@_say(at, at->t + (e[i] < 1.0 ? 2.0*e[i]*fabs(v)/(fabs(bends[i])*(1.0 - e[i])) : 0.0),
                EVENTS + 2*p->stop[i] + 1);
        e[i] = 0.0;
    }
    return 0;
}

/* impacts at closed stops, and which of them hold afterwards */
static int settle_stops(instant *at, const int closed[], int freed)
{
    @name@_numbers now, after;
    place p;
    double a[SIZE], bends[BARRIERS], drift[BARRIERS] = {0.0}, e[BARRIERS], first[N], *u = at->y + @NAME@_PLACES;
    int still[BARRIERS] = {0}, status;
    @name@_look(at->m, at->t, at->y, &now);
    if (find_place(at, &now, closed, &p))
        return -11;
    memcpy(first, u, sizeof first);
    for (int i = 0; i < p.count; i++)
        drift[i] = now.dg[p.row[i]] - dot(now.G + p.row[i]*N, u);
    find_free(&p, &now, a, bends);
    status = find_restitutions(at, &p, &now, bends, e);
    if (status)
        return status;
    after = now;
    if (p.count && strike(&p, &now, drift, e, u)) {
        @name@_look(at->m, at->t, at->y, &after);
        find_free(&p, &after, a, bends);
    }
    if (is_jammed(&p, &now, &after, first, u))
        return -6;
    for (int i = 0; i < p.count; i++) {
        const double *row = now.G + p.row[i]*N, left = fabs(after.dg[p.row[i]]);
        const double none = STILL*fmax(dot_sizes(row, u), dot_sizes(row, first)) + 1e-300;
        still[i] = (left <= 10.0*none || left*left <= 2.0*fabs(bends[i])*REST*p.size[i]) && p.row[i] != freed;
    }
    press(at, &p, bends, still);
    return 0;
}

/* gaps by their sizes; a ratchet has none */
static void find_gaps(const instant *at, double gaps[])
{
    @name@_numbers now;
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < BARRIERS; i++) {
        const int row = @name@_barriers[i].row;
        gaps[i] = @name@_barriers[i].is_gap ? now.g[row]/measure(now.G + row*N) : 0.0;
    }
}

@end
/* stops that are closed, those that are struck among them, and friction; `freed` does not hold */
static int settle(instant *at, const int struck[], int freed)
{
    int status = 0;
@if barriers
    double gaps[BARRIERS];
    int closed[BARRIERS];
    find_gaps(at, gaps);
    for (int i = 0; i < BARRIERS; i++)
        closed[i] = (struck && struck[i]) || at->m->holds[@name@_barriers[i].row] || gaps[i] <= NEAR
            || @name@_barriers[i].row == freed;
    status = settle_stops(at, closed, freed);
@end
@if grips
    if (!status)
        status = settle_grips(at);
@end
    (void)at; (void)struck; (void)freed;
    return status;
}

@if acting
/* -- events that act ----------------------------------------------------------------------------------------------- */

@if wanted
/* speeds after impulses along what an event gives a value and along all constraints that hold */
static int jump(instant *at, int event, const double a[], const double slopes[])
{
    @name@_numbers now;
    @name@_saddle s;
    double J[SIZE*N] = {0.0}, b[SIZE] = {0.0}, wish[SIZE], x[SIZE], *u = at->y + @NAME@_PLACES;
    int list[ROWS] = {0}, rows = 0;
    const int held = list_held(at->m, 0, 0, list);
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < @NAME@_WANTED; i++)
        if (@name@_wanted[i].event == event) {
            memcpy(J + rows*N, slopes + @name@_wanted[i].slopes*N, N*sizeof *J);
            wish[rows++] = a[@name@_wanted[i].value];
        }
    for (int i = 0; i < held; i++) {
        memcpy(J + rows*N, now.G + list[i]*N, N*sizeof *J);
        wish[rows++] = dot(now.G + list[i]*N, u) - now.dg[list[i]];
    }
    for (int i = 0; i < rows; i++)
        b[i] = wish[i] - dot(J + i*N, u);
    if (@name@_factorise(&s, now.M, J, rows))
        return -11;
    @name@_solve(&s, NULL, b, x);
    for (int j = 0; j < N; j++)
        u[j] += x[j];
    for (int i = 0; i < rows; i++)
        if (!(fabs(dot(J + i*N, u) - wish[i]) <= missed(J + i*N, u, find_fastest(u)) + MET*fabs(wish[i])))
            return -7;
    return 0;
}

@end
@if !wanted
/* speeds after impulses along all constraints that hold */
static int jump(instant *at)
{
    @name@_numbers now;
    int list[ROWS] = {0};
    const int rows = list_held(at->m, 0, 0, list);
    const double *u = at->y + @NAME@_PLACES;
    meet(at, list, rows);
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < rows; i++)
        if (!(fabs(now.dg[list[i]]) <= missed(now.G + list[i]*N, u, find_fastest(u))))
            return -7;
    return 0;
}

@end
@if switches
/* two events at one time must not switch a constraint on and off */
static int disagree(const int now[])
{
    for (int i = 0; i < @NAME@_SWITCHES; i++)
        for (int k = 0; k < i; k++)
            if (now[@name@_switches[i].event] && now[@name@_switches[k].event]
                && @name@_switches[i].row == @name@_switches[k].row && @name@_switches[i].on != @name@_switches[k].on)
                return 1;
    return 0;
}

@end
/* switch constraints, and change speeds, states and inputs as an event says */
static int apply(instant *at, int event, const double a[], const double slopes[])
{
    int jumps = 0;
@if switches
    @name@_numbers now;
    @name@_look(at->m, at->t, at->y, &now);
    for (int i = 0; i < @NAME@_SWITCHES; i++)
        if (@name@_switches[i].event == event) {
            const int row = @name@_switches[i].row;
            at->m->holds[row] = @name@_switches[i].on;
            jumps |= @name@_switches[i].on;
            if (@name@_switches[i].on && fabs(now.g[row]) > PASSED*measure(now.G + row*N))
                return -8;
        }
@end
@if wanted
    for (int i = 0; i < @NAME@_WANTED; i++)
        jumps |= @name@_wanted[i].event == event;
    if (jumps) {
        const int status = jump(at, event, a, slopes);
        if (status)
            return status;
    }
@end
@if !wanted
    if (jumps) {
        const int status = jump(at);
        if (status)
            return status;
    }
    (void)slopes;
@end
@if acts
    @name@_act(at->m, event, a, at->y);
@end
    (void)a;
    return 0;
}

@end
int @name@_react(instant *at, const int now[])
{
    int struck[BARRIERS + 1] = {0}, status = 0;
@if acting
    double a[@n_values@ + 1] = {0.0}, slopes[@n_wanted@*N + 1] = {0.0};
@if values
    @name@_acts(at->m, at->t, at->y, a);
@end
@if wanted
    @name@_slopes(at->m, at->t, at->y, slopes);
@end
@if values
    if (@name@_contradict(now, a))
        return -4;
@end
@if switches
    if (disagree(now))
        return -4;
@end
    for (int i = 0; i < EVENTS && !status; i++)
        if (now[i] && @name@_event_kinds[i] == 1)
            status = apply(at, i, a, slopes);
    if (status)
        return status;
@end
@if barriers
    for (int i = 0; i < BARRIERS; i++)
        struck[i] = now[@name@_barriers[i].watch];
@end
@if grips
    for (int i = 0; i < GRIPS; i++)
        at->halted[i] = now[@name@_grips[i].watch];
@end
    status = settle(at, struck, -1);
    memset(at->halted, 0, sizeof at->halted);
    return status;
}

void @name@_meet(instant *at)
{
    int list[ROWS] = {0};
    const int rows = @name@_list(at->m, list);
    meet(at, list, rows);
}

int @name@_release(instant *at, const int found[], const double after[])
{
    int freed = -1;
@if barriers
    for (int i = 0; i < BARRIERS && freed < 0; i++)
        if (found[EVENTS + i] || after[EVENTS + i] < 0.0) {
            freed = @name@_barriers[i].row;
            at->m->holds[freed] = 0;
            @name@_say(at, at->t, EVENTS + 2*i);
        }
@end
@if grips
    @name@_numbers now;
    double dy[@NAME@_STATES], lambda[ROWS];
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    for (int i = 0; i < GRIPS && freed < 0 && at->slipping < 0; i++)
        if (after[EVENTS + BARRIERS + i] < 0.0) {
            at->slipping = i;
            @name@_look(at->m, at->t, at->y, &now);
            speed_along(&now, i, at->pull);
            for (int k = 0; k < @name@_grips[i].rows && is_stuck(at->m, i); k++)
                at->pull[k] = lambda[@name@_grips[i].row[k]];
        }
@end
    (void)found; (void)after;
    if (freed < 0 && at->slipping < 0)
        return 0;
    const int status = settle(at, NULL, freed);
    at->slipping = -1;
    return status;
}

int @name@_begin(@name@ *m, @name@_steps *s, double t, double y[], void tell(double, int))
{
    instant at = {.m = m, .s = s, .t = t, .y = y, .tell = tell, .slipping = -1};
    int struck[BARRIERS + 1] = {0};
@if grips
    m->slow = fmax(SLOW, 30.0*s->tolerance);
@end
@if barriers
    double gaps[BARRIERS];
    find_gaps(&at, gaps);
    for (int i = 0; i < BARRIERS; i++) {
        struck[i] = gaps[i] <= TOUCH;
        if (gaps[i] < -PASSED)
            return -10;
    }
@end
    return settle(&at, struck, -1);
}
