/* Invariants of followers: vectors of unit length and rotations that rounding, or a move, takes them off; and followers
 * that coordinates tell, which errors of their own would take apart from them. */

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

/* y := R x with the axes R of a part of so many dimensions, or of the ground */
static void turn_vector(const double *e, const int *R, int axes, int d, const double *x, double *y) {
    if (!axes) { memcpy(y, x, d * sizeof(double)); return; }
    if (d == 2) {
        const double c = e[R[0]], s = e[R[1]];
        y[0] = c * x[0] - s * x[1];
        y[1] = s * x[0] + c * x[1];
        return;
    }
    for (int i = 0; i < 3; i++) y[i] = e[R[3 * i]] * x[0] + e[R[3 * i + 1]] * x[1] + e[R[3 * i + 2]] * x[2];
}

/* Followers that a coordinate q tells, along a tree from the ground: the axes R K(q) of a part on a hinge of a part with
 * the axes R, K(q) = K0 + K1 cos q + K2 sin q by columns, or what a travel adds to a place, q R a, or the axes cos q, sin q of a
 * part that turns in the plane; how far they were off. */
static double tie(const lw_system *s, double *e) {
    double largest = 0.0;
    const int *at = s->tie; /* how many followers, the slot of q, how many entries R has, or -1 for a turn; the slots of these */
    const double *number = s->tied;
    for (long i = 0; i < s->ties; i++) {
        const int count = at[0], turns = at[2] < 0, axes = turns ? 0 : at[2], *out = at + 3, *R = out + count;
        const double q = e[at[1]], c = cos(q), sine = sin(q);
        double x[9], y[9], to[9];
        if (count == 9)
            for (int j = 0; j < 9; j++) x[j] = number[j] + number[9 + j] * c + number[18 + j] * sine;
        else
            for (int j = 0; j < count && !turns; j++) x[j] = q * number[j];
        if (turns) to[0] = c, to[1] = sine;
        else if (count == 9)
            for (int j = 0; j < 3; j++) {
                turn_vector(e, R, axes, 3, x + 3 * j, y + 3 * j);
                for (int k = 0; k < 3; k++) to[3 * k + j] = y[3 * j + k];
            }
        else
            turn_vector(e, R, axes, count, x, to);
        for (int j = 0; j < count; j++) {
            const double off = fabs(to[j] - e[out[j]]) * s->per_size[at[1]];
            if (!(off <= largest)) largest = off;
            e[out[j]] = to[j];
        }
        number += turns ? 0 : count == 9 ? 27 : count;
        at = R + axes;
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
    if (s->ties) {
        const double off = tie(s, e);
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
