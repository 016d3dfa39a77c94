/* Andrews' squeezing mechanism in the absolute angles b of its links (see model.py, which supplies the constants).

   Every arm is a pendulum; its inner link i and outer link o are coupled by k cos(b_i - b_o), k = m_o l_i c_o:
       M_ii a_i + k cos(b_i - b_o) a_o = Q_i - k sin(b_i - b_o) w_o^2
       M_oo a_o + k cos(b_i - b_o) a_i = Q_o + k sin(b_i - b_o) w_i^2                                              */
#include <math.h>
#include <string.h>

enum { OF, FE, BE, GE, AG, HE, AH, LINKS };
typedef struct { double x, y; } vec;
typedef struct { int inner, outer; double Mii, Moo, k, c, s; } arm;

static inline vec along(double l, vec e) { return (vec){l * e.x, l * e.y}; }
static inline vec plus(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y}; }
static inline vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y}; }
static inline double dot(vec a, vec b) { return a.x * b.x + a.y * b.y; }
static inline vec turned(vec e) { return (vec){-e.y, e.x}; }

/* everything both forms of the equations need at (b, w) */
typedef struct { vec e[LINKS], p[LINKS]; arm arms[3]; double length[LINKS], M3, f[LINKS]; } state;

static inline arm make_arm(const state *s, int inner, int outer, double Mii, double Moo, double k) {
    vec i = s->e[inner], o = s->e[outer];
    return (arm){inner, outer, Mii, Moo, k, k * dot(i, o), k * (i.y * o.x - i.x * o.y)};
}

static void evaluate(const double *b, const double *w, state *s) {
    const double c4 = e - ea, c6 = zf - fa;
    const double length[LINKS] = {rr, d, ss, e, zt, zf, u};
    for (int i = 0; i < LINKS; i++) {
        s->length[i] = length[i];
        s->e[i] = (vec){cos(b[i]), sin(b[i])};
        s->p[i] = turned(s->e[i]);
    }
    s->arms[0] = make_arm(s, OF, FE, i1 + m1 * ra * ra + m2 * rr * rr, i2 + m2 * da * da, m2 * rr * da);
    s->arms[1] = make_arm(s, AG, GE, i5 + m5 * (ta * ta + tb * tb) + m4 * zt * zt, i4 + m4 * c4 * c4, m4 * zt * c4);
    s->arms[2] = make_arm(s, AH, HE, i7 + m7 * (ua * ua + ub * ub) + m6 * u * u, i6 + m6 * c6 * c6, m6 * u * c6);
    s->M3 = i3 + m3 * (sa * sa + sb * sb);
    for (int k = 0; k < 3; k++) {
        const arm *a = &s->arms[k];
        s->f[a->inner] = -a->s * w[a->outer] * w[a->outer];
        s->f[a->outer] = a->s * w[a->inner] * w[a->inner];
    }
    s->f[OF] += mom;
    /* the spring between C and D = B + sc e + sd p */
    vec arm_D = plus(along(sc, s->e[BE]), along(sd, s->p[BE]));
    vec CD = {xb + arm_D.x - xc, yb + arm_D.y - yc};
    double now = sqrt(dot(CD, CD));
    s->f[BE] = -c0 * (now - l0) / now * dot(CD, turned(arm_D));
}

/* y = M a */
static void times_mass(const state *s, const double *a, double *y) {
    for (int k = 0; k < 3; k++) {
        const arm *m = &s->arms[k];
        y[m->inner] = m->Mii * a[m->inner] + m->c * a[m->outer];
        y[m->outer] = m->Moo * a[m->outer] + m->c * a[m->inner];
    }
    y[BE] = s->M3 * a[BE];
}

/* x l_i p_i + y l_j p_j = r */
static inline void solve_links(const state *s, int i, int j, vec r, double *a) {
    double area = s->e[i].x * s->e[j].y - s->e[i].y * s->e[j].x;
    a[i] = dot(r, s->e[j]) / (s->length[i] * area);
    a[j] = -dot(r, s->e[i]) / (s->length[j] * area);
}

/* accelerations of all links that close the loops for a given crank acceleration; bend: centripetal terms on or off */
static void follow_crank(const state *s, double crank, const double *w2, double bend, double *a) {
    vec pull[LINKS];
    for (int i = 0; i < LINKS; i++) pull[i] = along(-bend * s->length[i] * w2[i], s->e[i]);
    vec tip = plus(along(rr * crank, s->p[OF]), plus(pull[OF], pull[FE]));
    /* coupler and plate first: d a_FE p_FE - ss a_BE p_BE = pull_BE - tip */
    solve_links(s, FE, BE, minus(pull[BE], tip), a);
    a[BE] = -a[BE];
    a[OF] = crank;
    vec E = plus(along(ss * a[BE], s->p[BE]), pull[BE]);
    solve_links(s, AG, GE, minus(E, plus(pull[AG], pull[GE])), a);
    solve_links(s, AH, HE, minus(E, plus(pull[AH], pull[HE])), a);
}

/* the index-1 ordinary differential equation: y = (b, w). One degree of freedom is left, the crank:
   a = a0 + N a_OF with G N = 0, hence a_OF = N.(f - M a0) / N.M N                                       */
void ode(const double *y, double *dy) {
    state s;
    double w2[LINKS], a0[LINKS], N[LINKS], Ma0[LINKS], MN[LINKS], top = 0, bottom = 0;
    const double *w = y + LINKS;
    evaluate(y, w, &s);
    for (int i = 0; i < LINKS; i++) w2[i] = w[i] * w[i];
    follow_crank(&s, 0.0, w2, 1.0, a0);
    follow_crank(&s, 1.0, w2, 0.0, N);
    times_mass(&s, a0, Ma0);
    times_mass(&s, N, MN);
    for (int i = 0; i < LINKS; i++) {
        top += N[i] * (s.f[i] - Ma0[i]);
        bottom += N[i] * MN[i];
    }
    for (int i = 0; i < LINKS; i++) {
        dy[i] = w[i];
        dy[LINKS + i] = a0[i] + N[i] * top / bottom;
    }
}

/* the same as many libraries ask for it */
void ode_at(double t, const double *y, double *dy, const double *p) {
    (void)t, (void)p;
    ode(y, dy);
}

/* y += G' x for the closures P_OFE - P_k, k = BE, AGE, AHE */
static void add_pulls(const state *s, const double *x, double *y) {
    vec X[3] = {{x[0], x[1]}, {x[2], x[3]}, {x[4], x[5]}}, all = plus(X[0], plus(X[1], X[2]));
    vec force[LINKS] = {all, all, X[0], X[1], X[1], X[2], X[2]};
    for (int i = 0; i < LINKS; i++) y[i] += (i < BE ? 1 : -1) * s->length[i] * dot(s->p[i], force[i]);
}

/* closures: sum of scale_i l_i v_i over each loop */
static void close_loops(const state *s, const double *scale, const vec *v, double *g) {
    vec t[LINKS];
    for (int i = 0; i < LINKS; i++) t[i] = along(s->length[i] * (scale ? scale[i] : 1), v[i]);
    vec tip = plus(t[OF], t[FE]), other[3] = {t[BE], plus(t[AG], t[GE]), plus(t[AH], t[HE])};
    for (int k = 0; k < 3; k++) {
        g[2 * k] = tip.x - other[k].x;
        g[2 * k + 1] = tip.y - other[k].y;
    }
}

/* stabilised index 2 (Gear, Gupta, Leimkuhler): y = (b, w, lambda, mu)
       b' - w + G' mu = 0,   M w' + G' lambda - f = 0,   g = 0,   G w = 0                                        */
enum { SIZE = 26 };
void residual(const double *y, const double *yp, double *r) {
    state s;
    const double *w = y + LINKS, *lambda = y + 14, *mu = y + 20, at[6] = {xb, yb, xa, ya, xa, ya};
    evaluate(y, w, &s);
    times_mass(&s, yp + LINKS, r + LINKS);
    for (int i = 0; i < LINKS; i++) {
        r[i] = yp[i] - w[i];
        r[LINKS + i] -= s.f[i];
    }
    add_pulls(&s, mu, r);
    add_pulls(&s, lambda, r + LINKS);
    close_loops(&s, 0, s.e, r + 14);
    for (int i = 0; i < 6; i++) r[14 + i] -= at[i];
    close_loops(&s, w, s.p, r + 20);
}

/* J = dr/dy + cj dr/dy', by differences (as IDA would, without leaving C); rows of J are rows of the residual */
void jacobian(const double *y, const double *yp, double cj, double *J) {
    double y1[SIZE], yp1[SIZE], r0[SIZE], r1[SIZE];
    residual(y, yp, r0);
    for (int j = 0; j < SIZE; j++) {
        memcpy(y1, y, sizeof y1);
        memcpy(yp1, yp, sizeof yp1);
        double h = 1e-7 * fmax(fabs(y[j]), 1e-3);
        y1[j] += h;
        yp1[j] += cj * h;
        residual(y1, yp1, r1);
        for (int i = 0; i < SIZE; i++) J[SIZE * i + j] = (r1[i] - r0[i]) / h;
    }
}
