/* solve D x = r for x, which takes the place of r, by elimination; 0 if that succeeds */
static int eliminate(double D[@count@][@count@], double r[@count@])
{
    for (int k = 0; k < @count@; k++) {
        int best = k;
        for (int i = k + 1; i < @count@; i++)
            if (fabs(D[i][k]) > fabs(D[best][k]))
                best = i;
        if (!(fabs(D[best][k]) > 0.0))
            return 1;
        for (int j = 0; j < @count@; j++) {
            const double kept = D[k][j];
            D[k][j] = D[best][j];
            D[best][j] = kept;
        }
        const double kept = r[k];
        r[k] = r[best];
        r[best] = kept;
        for (int i = 0; i < @count@; i++) {
            const double factor = i == k ? 0.0 : D[i][k]/D[k][k];
            for (int j = k; j < @count@; j++)
                D[i][j] -= factor*D[k][j];
            r[i] -= factor*r[k];
        }
    }
    for (int k = 0; k < @count@; k++)
        r[k] /= D[k][k];
    return 0;
}

void @name@_settle(@name@ *m, double t, const double y[])
{
@places@
    for (int round = 0; round < 40; round++) {
        double r[@count@], D[@count@][@count@], largest = 0.0, change = 0.0;
        @name@_loop(m, t, y, r, *D);
        if (eliminate(D, r))
            break;
        for (int i = 0; i < @count@; i++) {
            *w[i] -= r[i];
            largest = fmax(largest, fabs(*w[i]));
        }
        for (int i = 0; i < @count@; i++)
            change = fmax(change, fabs(r[i])/fmax(fabs(*w[i]) + 1e-3*largest, 1e-300));
        if (change <= 1e-13 || (round >= 6 && change <= 1e-9))
            return;
    }
    /* nothing satisfies the laws */
    for (int i = 0; i < @count@; i++)
        *w[i] = NAN;
}
