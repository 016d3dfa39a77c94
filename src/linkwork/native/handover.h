/* Handing over steps in other coordinates: y = offset + B x for the rows of a series, and behind y one that is no number. */

SEPARATE void hand_over_row(const lw_system *s, const lw_run *run, const double *x, double *y) {
    const int *begin = run->handover_begin, *column = run->handover_column;
    for (long i = 0; i < run->results; i++) {
        double sum = 0.0;
        for (int a = begin[i]; a < begin[i + 1]; a++) sum += run->handover_entry[a] * x[column[a]];
        y[i] = sum;
    }
    y[run->results] = NAN;
}

/* a series from S; turns of angles are added to its first row on the way */
static void hand_over(const lw_system *s, const lw_run *run, const double *S, const double *turns, double *y) {
    double *first = s->moved;
    memcpy(first, S, s->slots * sizeof(double));
    for (long a = 0; a < s->angles; a++) first[s->angle[a]] += TURN * turns[a];
    hand_over_row(s, run, first, y);
    for (long i = 0; i < run->results; i++) y[i] += run->handover_offset[i];
    for (long k = 1; k <= run->order; k++) hand_over_row(s, run, S + k * s->slots, y + k * (run->results + 1));
}
