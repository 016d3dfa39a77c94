/* Slopes of algebraic values: a small full matrix, factorised with pivots and solved. */

static const double NEARLY_SINGULAR = 1e-9;

/* -D as factors L U with its rows in the order of pivots; its determinant, relative to the sizes of rows in `size` */
static double factorise_slopes(lw_algebra *a, double *size) {
    const long n = a->count;
    double determinant = 1.0;
    *size = 1.0;
    for (long i = 0; i < n; i++) {
        double largest = 0.0;
        for (long j = 0; j < n; j++) largest = larger(fabs(a->D[i * n + j]), largest);
        *size *= largest;
        a->order[i] = (int)i;
    }
    for (long k = 0; k < n; k++) {
        long best = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(a->D[i * n + k]) > fabs(a->D[best * n + k])) best = i;
        if (best != k) {
            const int order = a->order[k];
            a->order[k] = a->order[best];
            a->order[best] = order;
            determinant = -determinant;
            for (long j = 0; j < n; j++) {
                const double x = a->D[k * n + j];
                a->D[k * n + j] = a->D[best * n + j];
                a->D[best * n + j] = x;
            }
        }
        determinant *= a->D[k * n + k];
        for (long i = k + 1; i < n; i++) {
            const double factor = a->D[i * n + k] /= a->D[k * n + k];
            for (long j = k + 1; j < n; j++) a->D[i * n + j] -= factor * a->D[k * n + j];
        }
    }
    return determinant;
}

/* x with -D x = rho: the Newton step */
static void solve_slopes(const lw_algebra *a, const double *rho, double *x) {
    const long n = a->count;
    for (long i = 0; i < n; i++) {
        x[i] = rho[a->order[i]];
        for (long j = 0; j < i; j++) x[i] -= a->D[i * n + j] * x[j];
    }
    for (long i = n - 1; i >= 0; i--) {
        for (long j = i + 1; j < n; j++) x[i] -= a->D[i * n + j] * x[j];
        x[i] /= a->D[i * n + i];
    }
}
