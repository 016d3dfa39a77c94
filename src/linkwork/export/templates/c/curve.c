/* a piecewise polynomial: y = sum of c[k, j] (x - origins[k])^j where knots[k - 1] <= x < knots[k] */
typedef struct {
    const double *knots, *origins, *coefficients;
    int count, degree;
    double period;
} curve;

static int curve_piece(const curve *c, double x)
{
    int low = 0, high = c->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->knots[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* the derivative of a curve of this order */
static double curve_value(const curve *c, double x, int order)
{
    const int k = curve_piece(c, x);
    const double *row = c->coefficients + k*(c->degree + 1);
    double d = x - c->origins[k], y = 0.0;
    if (c->period > 0.0)
        d -= c->period*rint(d/c->period);
    for (int j = c->degree; j >= order; j--) {
        double factor = 1.0;
        for (int i = 0; i < order; i++)
            factor *= j - i;
        y = y*d + factor*row[j];
    }
    return y;
}
@if sides

/* a distance from the knots that changes its sign at each of them */
static double curve_side(const curve *c, double x)
{
    const int k = curve_piece(c, x);
    double away = INFINITY;
    if (k > 0)
        away = x - c->knots[k - 1];
    if (k < c->count)
        away = fmin(away, c->knots[k] - x);
    return k % 2 ? away : -away;
}
@end
