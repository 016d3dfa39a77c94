/* Numbers side by side: arithmetic of blocks in which every lane does the same.
 *
 * A value is one vector of LANES numbers. Who includes this file defines LANES before; else it is what fills a register.
 */
#ifndef LIBRARY_H
#include <math.h>
#include <stddef.h>
#include <string.h>
#endif

#ifndef LANES
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif
#endif

/* what compares values has all bits set where it holds */
#if LANES == 1
typedef double v;
typedef long bits;
#define LANE(x, l) (x)
#define HOLDS(comparison) (-(long)(comparison))
#else
typedef double v __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));
typedef long bits __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));
#define LANE(x, l) ((x)[l])
#define HOLDS(comparison) (comparison)
#endif
/* Functions become part of what calls them, or stay apart: never as the compiler likes, who would decide by what else is
 * in the same file, and round differently. */
#define PART static inline __attribute__((always_inline, unused))
#if defined(__clang__)
#define APART static __attribute__((noinline, unused))
#else
#define APART static __attribute__((noinline, noclone, unused))
#endif
/* lanes that somebody asks for: whoever takes more, so that code is the same for all, may use only the first of them */
#ifndef USED
#define USED LANES
#endif
#define ALL_LANES for (int l = 0; l < USED; l++)
/* What formulas use most is written out: a compiler takes its time to unroll loops, or with little optimisation does not. */
#if LANES == 1
#define EACH_LANE(f) f(0);
#elif LANES == 2
#define EACH_LANE(f) f(0); f(1);
#elif LANES == 4
#define EACH_LANE(f) f(0); f(1); f(2); f(3);
#elif LANES == 8
#define EACH_LANE(f) f(0); f(1); f(2); f(3); f(4); f(5); f(6); f(7);
#endif

PART v fill(double x) {
    v y;
#define SET(l) LANE(y, l) = x
    EACH_LANE(SET)
    return y;
}

/* numbers so far apart, put together in a register: it need not wait for each to be written */
PART v collect(const double *from, long apart) {
#define AT(l) from[(l) * apart]
#if LANES == 1
    return AT(0);
#elif LANES == 2
    return (v){AT(0), AT(1)};
#elif LANES == 4
    return (v){AT(0), AT(1), AT(2), AT(3)};
#elif LANES == 8
    return (v){AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7)};
#endif
#undef AT
}

#if LANES == 1
#define ZERO 0.0
#else
#define ZERO ((v){0.0})
#endif

PART bits to_bits(v x) {
    bits y;
    memcpy(&y, &x, sizeof y);
    return y;
}

PART v from_bits(bits x) {
    v y;
    memcpy(&y, &x, sizeof y);
    return y;
}

/* What follows has no branches, and calls stay calls: a compiler makes one instruction of a product and a sum only where nothing
 * lies between them, so that all would round differently with other numbers of lanes. */

PART v choose(bits mask, v yes, v no) { return from_bits((to_bits(yes) & mask) | (to_bits(no) & ~mask)); }
PART v pick(v chosen, v yes, v no) { return choose(HOLDS(chosen != 0.0), yes, no); }
PART v v_less(v x, v y) { return choose(HOLDS(x < y), fill(1.0), ZERO); }
PART v v_less_equal(v x, v y) { return choose(HOLDS(x <= y), fill(1.0), ZERO); }
PART v v_min(v x, v y) { return choose(HOLDS(x <= y), x, y); }
PART v v_max(v x, v y) { return choose(HOLDS(y <= x), x, y); }
PART v v_sign(v x) { return v_less(ZERO, x) - v_less(x, ZERO); }
PART v v_abs(v x) { return from_bits(to_bits(x) & ~to_bits(fill(-0.0))); }

#if LANES == 1
#define LIBRARY PART
#else
#define LIBRARY APART
#endif
#define ON_EACH(name, function) LIBRARY v name(v x) { ALL_LANES LANE(x, l) = function(LANE(x, l)); return x; }
#define ON_EACH2(name, function) LIBRARY v name(v x, v y) { ALL_LANES LANE(x, l) = function(LANE(x, l), LANE(y, l)); return x; }

ON_EACH(v_sqrt, sqrt)
ON_EACH(v_exp, exp)
ON_EACH(v_log, log)
ON_EACH(v_sin, sin)
ON_EACH(v_cos, cos)
ON_EACH(v_tan, tan)
ON_EACH(v_asin, asin)
ON_EACH(v_acos, acos)
ON_EACH(v_atan, atan)
ON_EACH(v_tanh, tanh)
ON_EACH2(v_atan2, atan2)
ON_EACH2(v_pow, pow)
