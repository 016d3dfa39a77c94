/* Invariants of followers: vectors of unit length and rotations that rounding, or a move, takes them off. */

/* a vector back to unit length */
static double normalise_vector(double *e, const int *slot, int count) {
    double square = 0.0;
    for (int i = 0; i < count; i++) square += e[slot[i]] * e[slot[i]];
    const double factor = 1.0 / sqrt(square);
    for (int i = 0; i < count; i++) e[slot[i]] *= factor;
    return fabs(factor - 1.0);
}

/* A matrix back to the nearest rotation, R := R (3 - R'R) / 2, whose error is the square of the one before. */
static double normalise_rotation(double *e, const int *slot) {
    double largest = 0.0;
    for (int again = 0; again < 4; again++) {
        double R[9], C[9], lack = 0.0;
        for (int i = 0; i < 9; i++) R[i] = e[slot[i]];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double unit = i == j, c = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
                C[3 * i + j] = 0.5 * (unit - c);
                lack = fmax(lack, fabs(C[3 * i + j]));
            }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                e[slot[3 * i + j]] = R[3 * i + j] + (R[3 * i] * C[j] + R[3 * i + 1] * C[3 + j] + R[3 * i + 2] * C[6 + j]);
        largest = fmax(largest, lack);
        if (lack < 1e-9) break;
    }
    return largest;
}

/* bring followers back to their invariants; how far they were off */
static double normalise(const lw_system *s, double *e) {
    double largest = 0.0;
    const int *group = s->invariant; /* how many, then their slots */
    for (long i = 0; i < s->invariants; i++, group += 1 + group[0]) {
        const double off = group[0] == 9 ? normalise_rotation(e, group + 1) : normalise_vector(e, group + 1, group[0]);
        if (!(off <= largest)) largest = off;
    }
    return largest;
}

/* move the followers in row 0 of S as the coordinates are moved, by `delta`: e := e + N(e) delta */
static void move_followers(const lw_system *s, double t, double *S, const double *delta) {
    double *e = s->moved, *rate = s->moved + s->slots;
    memcpy(e, S, s->slots * sizeof(double));
    memset(rate, 0, s->slots * sizeof(double));
    for (long i = 0; i < s->coordinates; i++) rate[s->coordinate[i]] = delta[s->coordinate[i]];
    advance_followers(s, -1, t, s->moved);
    for (long j = s->unknowns; j < s->moving; j++) S[j] += rate[j];
    normalise(s, S);
}
