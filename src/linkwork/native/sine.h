/* Sine and cosine of all lanes at once, to a unit in the last place; each lane is the same whatever their number.
 *
 * x = k pi/2 + r with |r| <= pi/4, then the series of sin r or cos r, whose terms left out are below rounding.
 */
#include "lanes.h"

/* beyond, k times parts of pi/2 is not exact any more: then a library takes the lanes one by one */
static const double FAR = 1e5;
/* what is added to this has its nearest integer in its last bits */
static const double NEAREST = 0x1.8p52;
static const double QUARTERS = 0x1.45f306dc9c883p-1; /* of a turn in a unit: 2/pi */
/* pi/2 in parts of 33 and 33 bits, and the rest */
static const double FIRST_PART = 0x1.921fb544p+0, SECOND_PART = 0x1.0b4611a6p-34, THIRD_PART = 0x1.3198a2e037073p-69;

/* c0 + c1 s + ... + c7 s^7 in short chains; s2 = s^2 */
#define SUM(s, s2, c0, c1, c2, c3, c4, c5, c6, c7) \
    ((((c0) + (c1) * (s)) + ((c2) + (c3) * (s)) * (s2)) + \
     (((c4) + (c5) * (s)) + ((c6) + (c7) * (s)) * (s2)) * ((s2) * (s2)))

PART bits is_near(v x) { return HOLDS(x * x <= FAR * FAR); }

PART int all_hold(bits what) {
    long all = -1;
    ALL_LANES all &= LANE(what, l);
    return all != 0;
}

APART void swing_far(v x, v *sine, v *cosine) {
    ALL_LANES {
        const double here = LANE(x, l);
        if (!(here * here <= FAR * FAR)) {
            LANE(*sine, l) = sin(here);
            LANE(*cosine, l) = cos(here);
        }
    }
}

/* one or the other by a bit, its sign by the next */
PART v take_odd(bits n, v even, v odd) { return from_bits(to_bits(choose(-(n & 1), odd, even)) ^ (n & 2) << 62); }

/* both, of what is not far */
PART void swing_near(v x, v *sine, v *cosine) {
    const v shifted = x * QUARTERS + NEAREST, k = shifted - NEAREST;
    /* r + rest, and where 1 - s/2 is rounded what that leaves */
    const v exact = x - k * FIRST_PART, second = k * SECOND_PART, near = exact - second;
    const v left = ((exact - near) - second) - k * THIRD_PART, r = near + left, rest = (near - r) + left;
    const v s = r * r, s2 = s * s, half = 0.5 * s, most = 1.0 - half;
    const v s1 = r + (rest + r * s * SUM(s, s2, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                                         1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000));
    const v c1 = most + (((1.0 - most) - half) - r * rest +
                         s2 * SUM(s, s2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                                  -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000));
    const bits n = to_bits(shifted);
    *sine = take_odd(n, s1, c1);
    *cosine = take_odd(n + 1, s1, c1);
}

/* both */
APART void swing(v x, v *sine, v *cosine) {
    swing_near(x, sine, cosine);
    if (!all_hold(is_near(x))) swing_far(x, sine, cosine);
}

PART v sine(v x) {
    v s, c;
    swing(x, &s, &c);
    return s;
}

PART v cosine(v x) {
    v s, c;
    swing(x, &s, &c);
    return c;
}
