/* @title@: the equations solved with the constraints that hold, by elimination.

   [ M  J' ] [a]        [f]
   [ J  -E ] [lambda] = [c]     E is tiny: rows that depend on each other do no harm, and refinement takes it out */
#include "solve.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define N @NAME@_SPEEDS
#define ROWS @NAME@_MULTIPLIERS
#define SIZE @NAME@_SIZE

/* -- elimination --------------------------------------------------------------------------------------------------- */

int @name@_eliminate(double A[], int n, int pivot[])
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i*n + k]) > fabs(A[best*n + k]))
                best = i;
        pivot[k] = best;
        if (!(fabs(A[best*n + k]) > 0.0) || !isfinite(A[best*n + k]))
            return 1;
        for (int j = 0; best != k && j < n; j++) {
            const double kept = A[k*n + j];
            A[k*n + j] = A[best*n + j];
            A[best*n + j] = kept;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i*n + k] /= A[k*n + k];
            for (int j = k + 1; factor != 0.0 && j < n; j++)
                A[i*n + j] -= factor*A[k*n + j];
        }
    }
    return 0;
}

void @name@_substitute(const double A[], int n, const int pivot[], double x[])
{
    for (int k = 0; k < n; k++) {
        const double kept = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = kept;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= A[i*n + j]*x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i*n + j]*x[j];
        x[i] /= A[i*n + i];
    }
}

int @name@_factorise(@name@_saddle *s, const double M[], const double J[], int rows)
{
    const int size = N + rows;
    double largest = 0.0;
    memset(s->exact, 0, sizeof s->exact);
    for (int i = 0; i < N; i++)
        memcpy(s->exact + i*size, M + i*N, N*sizeof *M);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            s->exact[(N + i)*size + j] = s->exact[j*size + N + i] = J[i*N + j];
            largest = fmax(largest, fabs(J[i*N + j]));
        }
    s->rows = rows;
    memcpy(s->lu, s->exact, sizeof s->lu);
    for (int i = N; i < size; i++)
        s->lu[i*size + i] = -1e-13*largest*largest;
    return @name@_eliminate(s->lu, size, s->pivot);
}

void @name@_solve(const @name@_saddle *s, const double f[], const double b[], double x[])
{
    const int size = N + s->rows;
    double left[SIZE], change[SIZE];
    for (int i = 0; i < size; i++)
        left[i] = i < N ? (f ? f[i] : 0.0) : (b ? b[i - N] : 0.0);
    memcpy(x, left, size*sizeof *x);
    @name@_substitute(s->lu, size, s->pivot, x);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < size; i++) {
            change[i] = left[i];
            for (int j = 0; j < size; j++)
                change[i] -= s->exact[i*size + j]*x[j];
        }
        @name@_substitute(s->lu, size, s->pivot, change);
        for (int i = 0; i < size; i++)
            x[i] += change[i];
    }
}

/* -- the state ----------------------------------------------------------------------------------------------------- */

void @name@_look(const @name@ *m, double t, const double y[], @name@_numbers *at)
{
    @name@_terms(m, t, y, at->M, at->G, at->f, at->c);
    @name@_constraints(m, t, y, at->g, at->dg);
}

int @name@_list(const @name@ *m, int list[])
{
    int count = 0;
    for (int i = 0; i < ROWS; i++)
        if (m->holds[i])
            list[count++] = i;
    return count;
}

int @name@_hold(@name@_saddle *s, const @name@_numbers *at, const int list[], int rows)
{
    double J[SIZE*N] = {0.0};
    for (int i = 0; i < rows; i++)
        memcpy(J + i*N, at->G + list[i]*N, N*sizeof *J);
    return @name@_factorise(s, at->M, J, rows);
}

/* some entries of an array */
static void pick(const double from[], const int list[], int count, double to[])
{
    for (int i = 0; i < count; i++)
        to[i] = from[list[i]];
}

/* rates and multipliers; s is left for more of the kind. 0 if that succeeds */
static int respond(const @name@ *m, double t, const double y[], @name@_saddle *s, double dy[], double lambda[])
{
    @name@_numbers at;
    int list[ROWS] = {0};
    const int rows = @name@_list(m, list);
    double x[SIZE], c[ROWS];
    @name@_terms(m, t, y, at.M, at.G, at.f, at.c);
    const int failed = @name@_hold(s, &at, list, rows);
    pick(at.c, list, rows, c);
    if (!failed)
        @name@_solve(s, at.f, c, x);
    for (int i = 0; i < N + rows && failed; i++)
        x[i] = NAN;
    @name@_moves(m, t, y, y + @NAME@_PLACES, dy);
    memcpy(dy + @NAME@_PLACES, x, N*sizeof *x);
    memset(lambda, 0, ROWS*sizeof *lambda);
    for (int i = 0; i < rows; i++)
        lambda[list[i]] = x[N + i];
    return failed;
}

void @name@_rhs(const @name@ *m, double t, const double y[], double dy[], double lambda[])
{
    @name@_saddle s;
@if settled
    @name@ now = *m;
    @name@_settle(&now, t, y);
    respond(&now, t, y, &s, dy, lambda);
@end
@if !settled
    respond(m, t, y, &s, dy, lambda);
@end
}

void @name@_correct(const @name@ *m, double t, const double y[], double dy[])
{
    @name@_numbers at;
    @name@_saddle s;
    int list[ROWS] = {0};
    const int rows = @name@_list(m, list);
    double b[ROWS], x[SIZE];
    @name@_look(m, t, y, &at);
    memset(dy, 0, @NAME@_STATES*sizeof *dy);
@if shapes
    @name@_renorm(m, t, y, dy);
@end
    if (!rows || @name@_hold(&s, &at, list, rows))
        return;
    /* places move as the speeds move them */
    double moved[@NAME@_PLACES + 1];
    for (int i = 0; i < rows; i++)
        b[i] = -at.g[list[i]];
    @name@_solve(&s, NULL, b, x);
    @name@_moves(m, t, y, x, moved);
    for (int i = 0; i < @NAME@_PLACES; i++)
        dy[i] += moved[i];
    for (int i = 0; i < rows; i++)
        b[i] = -at.dg[list[i]];
    @name@_solve(&s, NULL, b, x);
    memcpy(dy + @NAME@_PLACES, x, N*sizeof *x);
}
@if settled

/* -- values in laws that belong to the same instant ---------------------------------------------------------------- */

#define VALUES @n_settled@

/* A (a, lambda) = (f, c) and z = 0:   D = dz/dw + dz/d(a, lambda) inv(A) d(f, c)/dw */
static void find_slopes(const @name@ *m, const @name@_saddle *s, const double by[], const double of[], double D[])
{
    int list[ROWS] = {0};
    const int rows = @name@_list(m, list);
    for (int j = 0; j < VALUES; j++) {
        const double *right = of + j*(N + ROWS);
        double b[ROWS], x[SIZE];
        pick(right + N, list, rows, b);
        @name@_solve(s, right, b, x);
        for (int i = 0; i < VALUES; i++) {
            const double *slope = by + i*(N + ROWS);
            for (int k = 0; k < N; k++)
                D[i*VALUES + j] += slope[k]*x[k];
            for (int k = 0; k < rows; k++)
                D[i*VALUES + j] += slope[N + list[k]]*x[N + k];
        }
    }
}

void @name@_settle(@name@ *m, double t, const double y[])
{
    double w[VALUES];
    @name@_get_settled(m, w);
    for (int round = 0; round < 40; round++) {
        @name@_saddle s;
        double dy[@NAME@_STATES], lambda[ROWS], z[VALUES], D[VALUES*VALUES], largest = 0.0, change = 0.0;
        double by[VALUES*(N + ROWS)], of[VALUES*(N + ROWS)];
        int pivot[VALUES];
        if (respond(m, t, y, &s, dy, lambda))
            break;
        @name@_loop(m, t, y, dy, lambda, z, D, by, of);
        find_slopes(m, &s, by, of, D);
        if (@name@_eliminate(D, VALUES, pivot))
            break;
        @name@_substitute(D, VALUES, pivot, z);
        for (int i = 0; i < VALUES; i++) {
            w[i] -= z[i];
            largest = fmax(largest, fabs(w[i]));
        }
        for (int i = 0; i < VALUES; i++)
            change = fmax(change, fabs(z[i])/fmax(fabs(w[i]) + 1e-3*largest, 1e-300));
        @name@_set_settled(m, w);
        if (change <= 1e-13 || (round >= 6 && change <= 1e-9))
            return;
    }
    /* nothing satisfies the laws */
    for (int i = 0; i < VALUES; i++)
        w[i] = NAN;
    @name@_set_settled(m, w);
}
@end
