/* Followers: what moves at rates linear in the speeds and has no equation of its own, such as a rotation matrix.
 *
 * Their slots lie behind the unknowns. In stage k of an expansion their coefficient of order k + 1 becomes final, with
 * the speeds of order k, and that of order k + 2 is made with the speeds of order k + 1 still zero.
 */

SEPARATE void correct_followers(const lw_system *s, long k, double t, double *S) {
    for (long i = 0; i < s->kinematics; i++) {
        const lw_kinematics *m = &s->kinematic[i];
        m->correct(k, m->blocks, s->capacity, t, S, s->slots, m->from, m->to, m->par, m->work, S + (k + 1) * s->slots);
    }
}

SEPARATE void advance_followers(const lw_system *s, long k, double t, double *S) {
    for (long i = 0; i < s->kinematics; i++) {
        const lw_kinematics *m = &s->kinematic[i];
        m->advance(k, m->blocks, s->capacity, t, S, s->slots, m->from, m->to, m->par, m->work, S + (k + 2) * s->slots);
    }
}

/* the followers' part of a stage, before all others */
SEPARATE void follow(const lw_system *s, long k, double t, double *S) {
    if (k >= 1) correct_followers(s, k, t, S);
    if (k >= -1) advance_followers(s, k, t, S);
}
