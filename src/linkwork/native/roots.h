/* Roots of a polynomial in a piece of a step: where to look at the true values so that no change of sign is missed.
 *
 * In the form of Bernstein, p(x) = sum of B_j binomial(n, j) x^j (1 - x)^(n - j) with x from 0 to 1, there are at most as
 * many roots as changes of sign in B_0 .. B_n; halves of an interval follow from averages. An interval is halved until
 * it has no more than one change, or all of it is noise.
 */
enum { MOST_LOOKS = 512, HALVINGS = 26, MOST_ORDER = 72 };

/* places at which a value is looked at, in order, from 0 to 1 */
typedef struct {
    double place[MOST_LOOKS];
    long count;
} lw_looks;

static void look_there(lw_looks *looks, double place) {
    if (looks->count < MOST_LOOKS && (looks->count == 0 || place > looks->place[looks->count - 1]))
        looks->place[looks->count++] = place;
}

/* from powers of x, c_0 .. c_n, to the form of Bernstein, in place: c_i / binomial(n, i) are differences of the B_j */
static void to_bernstein(double *c, long n) {
    double binomial = 1.0;
    for (long i = 1; i <= n; i++) {
        binomial *= (double)(n - i + 1) / (double)i;
        c[i] /= binomial;
    }
    for (long level = n; level >= 1; level--)
        for (long j = level; j <= n; j++) c[j] += c[j - 1];
}

static int count_changes(const double *B, long n) {
    int changes = 0;
    double last = 0.0;
    for (long j = 0; j <= n; j++) {
        if (B[j] == 0.0) continue;
        changes += last * B[j] < 0.0;
        last = B[j] > 0.0 ? 1.0 : -1.0;
    }
    return changes;
}

static void isolate(lw_looks *looks, const double *B, long n, double low, double high, double noise, int halvings) {
    const int changes = count_changes(B, n);
    if (changes == 0) return;
    look_there(looks, low);
    if (changes > 1) {
        const double middle = 0.5 * (low + high);
        double largest = 0.0;
        for (long j = 0; j <= n; j++) largest = larger(fabs(B[j]), largest);
        if (halvings == 0 || largest <= noise) look_there(looks, middle);
        else {
            double left[MOST_ORDER + 1], right[MOST_ORDER + 1];
            memcpy(right, B, (n + 1) * sizeof(double));
            for (long k = 0; k <= n; k++) {
                left[k] = right[0];
                for (long j = 0; j < n - k; j++) right[j] = 0.5 * (right[j] + right[j + 1]);
            }
            isolate(looks, left, n, low, middle, noise, halvings - 1);
            look_there(looks, middle);
            isolate(looks, right, n, middle, high, noise, halvings - 1);
        }
    }
    look_there(looks, high);
}
