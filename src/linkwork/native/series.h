/* Taylor expansion: coefficients at a consistent point, and their polynomials. */

enum { LOW_ORDERS = 4 }; /* orders at which a contradiction of the constraints is looked for */

INLINE void run_terms(lw_system *s, long k, double t, const double *S) {
    memset(s->R, 0, s->unknowns * sizeof(double));
    for (long i = 0; i < s->terms; i++) {
        const lw_term *term = &s->term[i];
        if (term->stage && k <= term->last_stage)
            term->stage(k, term->blocks, s->capacity, t, S, s->slots, term->from, term->stage_to, term->stage_par,
                        term->work, s->R);
    }
}

INLINE void run_stage(lw_system *s, long k, double t, double *S) {
    if (s->kinematics) follow(s, k, t, S);
    run_terms(s, k, t, S);
}

/* the size of forces in units of sqrt(M) a, and the rate at which they would move things by their own size */
SEPARATE void natural_size(const lw_system *s, const double *f, double *size, double *rate) {
    double largest = 0.0;
    *size = 0.0;
    for (long i = 0; i < s->coordinates; i++) {
        const int j = s->coordinate[i];
        const double K = fabs(s->K[j]);
        if (K == 0.0) continue;
        *size = fmax(*size, fabs(f[j]) / sqrt(K));
        largest = fmax(largest, fabs(f[j]) / K * s->per_size[j]);
    }
    *rate = sqrt(largest);
}

/* coefficients of order 2 .. order of the coordinates at a consistent, factorised point (stages -2, -1 done);
 * LOCKED if the constraints leave no motion */
SEPARATE long expand_plainly(lw_system *s, double t, double *S, long order, int first) {
    const long width = s->slots, n = s->unknowns;
    double size = 0.0, rate = 0.0;
    const int straight = s->order && s->inverted == (s->full != NULL) && !s->redundant && !s->kinematics;
    for (long k = 0; k + 2 <= order; k++) {
        if (straight && k) {
            s->order(k, t, S, s->term->stage_par, s->term->work, s->inverted ? s->full : s->F, s->inverse);
            continue;
        }
        double *restrict top = S + (k + 2) * width, *restrict row = S + k * width, *restrict R = s->R;
        const double factor = (double)(k + 1) * (double)(k + 2), inverse = 1.0 / factor;
        const double by_kind[] = {[HOLONOMIC] = factor, [VELOCITY] = (double)(k + 1)};
        run_stage(s, k, t, S);
        const int done = s->fused && k; /* by the kernel; else the sign of the right-hand side waits until it is solved */
        const double sign = done ? 1.0 : -1.0, part = sign * inverse;
        for (long i = 0; i < s->multipliers && !done; i++) {
            const int j = s->multiplier[i];
            R[j] *= by_kind[s->kind[j]];
            row[j] = -(s->weight[j] * R[j]);
        }
        if (first && k == 0 && s->redundant) natural_size(s, R, &size, &rate);
        const double contradiction = solve_any(s, R);
        if (size > 0.0 && k <= LOW_ORDERS && contradiction > 1e-6 * size * pow(rate, k)) return LOCKED;
        for (long j = 0; j < n; j++) top[j] = R[j] * part; /* a multiplier's place is filled two stages later */
        for (long i = 0; i < s->multipliers; i++) row[s->multiplier[i]] += sign * R[s->multiplier[i]];
    }
    correct_followers(s, order - 1, t, S);
    return FINISHED;
}

/* the values at h of neighbouring polynomials from `j` on, as many as one `type` holds, and of their first two derivatives */
#define HORNER(type) do { \
        type y, v = {0}, a = {0}, c; \
        memcpy(&y, from + order * width + j, sizeof y); \
        for (long i = order - 1; i >= 0; i--) { \
            memcpy(&c, from + i * width + j, sizeof c); \
            a = a * h + 2.0 * v; \
            v = v * h + y; \
            y = y * h + c; \
        } \
        memcpy(to + j, &y, sizeof y); \
        memcpy(to + width + j, &v, sizeof v); \
        memcpy(acceleration + j, &a, sizeof a); \
    } while (0)

/* rows 0 and 1 of `to`: position and velocity of the polynomial `from` at h; acceleration on request */
SEPARATE void evaluate(const lw_system *s, const double *from, long order, double h, double *to, double *acceleration) {
    const long width = s->slots, n = s->moving;
    memset(to + width + n, 0, (width - n) * sizeof(double));
    memcpy(to + n, from + n, (width - n) * sizeof(double));
    long j = 0;
    for (; j + WIDE <= n; j += WIDE) HORNER(wide);
    if (j < n && n >= WIDE) { j = n - WIDE; HORNER(wide); } /* some of them once more */
    else for (; j < n; j++) HORNER(double);
    for (long i = 0; i < s->multipliers; i++) {
        const int m = s->multiplier[i];
        to[m] = to[width + m] = acceleration[m] = 0.0;
    }
}
