//! C that does not depend on the plan: arithmetic, roots, and the functions on vectors.

use std::collections::BTreeSet;

/// The functions on vectors of these names.
pub fn vectors(used: &BTreeSet<&str>) -> String {
    let all = [
        ("load", MOVES[0]),
        ("store", MOVES[1]),
        ("load_strided", MOVES[2]),
        ("store_strided", MOVES[3]),
        ("load_skipping", MOVES[4]),
        ("store_skipping", MOVES[5]),
        ("cooley_tukey", COOLEY_TUKEY),
        ("gentleman_sande", GENTLEMAN_SANDE),
        ("multiply", MULTIPLY),
        ("unpack", UNPACK),
        ("pack", PACK),
    ];
    let used = all.iter().filter(|(name, _)| used.contains(name));
    used.map(|(_, text)| *text).collect()
}

/// Sums, differences and products modulo q.
pub const ARITHMETIC: &str = "\
static inline void product(word a, word b, word *high, word *low)
{
    uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
    word low0 = (word)a0 * b0, cross0 = (word)a0 * b1, cross1 = (word)a1 * b0;
    word middle = (low0 >> 64) + (uint64_t)cross0 + (uint64_t)cross1;
    *low = middle << 64 | (uint64_t)low0;
    *high = (word)a1 * b1 + (cross0 >> 64) + (cross1 >> 64) + (middle >> 64);
}

/* a b / 2^128 modulo q, for a b < 2^128 q; inverse is that of q modulo 2^128. */
static inline word times(word a, word b, word q, word inverse)
{
    word high, low, taken, none;
    product(a, b, &high, &low);
    product(low * inverse, q, &taken, &none);
    word difference = high - taken;
    return high < taken ? difference + q : difference;
}

static inline word plus(word a, word b, word q)
{
    word sum = a + b;
    return sum >= q ? sum - q : sum;
}

static inline word minus(word a, word b, word q)
{
    return a >= b ? a - b : a + q - b;
}

";

/// Powers and roots of unity.
pub const ROOTS: &str = "\
/* base^exponent; base and result times 2^128, so is one. */
static word power(word base, word exponent, word one, word q, word inverse)
{
    word result = one;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = times(result, base, q, inverse);
        base = times(base, base, q, inverse);
    }
    return result;
}

/* The smallest primitive 2N-th root of unity, times 2^128; 0 where there is none. */
static word smallest_root(word one, word q, word inverse)
{
    word n = (word)1 << LOG_N, found = 0, some = 0;
    for (word g = one, tries = 0; !some && tries < 1000; g = plus(g, one, q), tries++) {
        word w = power(g, (q - 1) / (2 * n), one, q, inverse);
        if (power(w, n, one, q, inverse) == q - one)
            some = w;
    }
    if (!some)
        return 0;
    word square = times(some, some, q, inverse), least = q, w = some;
    for (word k = 0; k < n; k++, w = times(w, square, q, inverse)) {
        word plain = times(w, 1, q, inverse);
        if (plain < least) {
            least = plain;
            found = w;
        }
    }
    return found;
}

";

/// Where index bits are permuted.
pub const PLACE: &str = "\
/* Address bit a is index bit bits[a]. */
static size_t place(size_t i, const unsigned char *bits, size_t count)
{
    size_t address = 0;
    for (size_t a = 0; a < count; a++)
        address |= (i >> bits[a] & 1) << a;
    return address;
}

";

const MOVES: [&str; 6] = [
    "\
static void load(word *d, const word *m)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i];
}

",
    "\
static void store(word *m, const word *a)
{
    for (size_t i = 0; i < V; i++)
        m[i] = a[i];
}

",
    "\
static void load_strided(word *d, const word *m, int s)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i << s];
}

",
    "\
static void store_strided(word *m, const word *a, int s)
{
    for (size_t i = 0; i < V; i++)
        m[i << s] = a[i];
}

",
    "\
static void load_skipping(word *d, const word *m, int s)
{
    for (size_t i = 0; i < V; i++)
        d[i] = m[i >> s << (s + 1) | (i & (((size_t)1 << s) - 1))];
}

",
    "\
static void store_skipping(word *m, const word *a, int s)
{
    for (size_t i = 0; i < V; i++)
        m[i >> s << (s + 1) | (i & (((size_t)1 << s) - 1))] = a[i];
}

",
];

const COOLEY_TUKEY: &str = "\
/* a + w b and a - w b; factors repeat after mask + 1 words. */
static void cooley_tukey(word *d, word *d1, const word *a, const word *b, const word *w, size_t mask,
                         const word *t)
{
    word q = t[0], inverse = t[1];
    for (size_t i = 0; i < V; i++) {
        word x = a[i], y = times(b[i], w[i & mask], q, inverse);
        d[i] = plus(x, y, q);
        d1[i] = minus(x, y, q);
    }
}

";

const GENTLEMAN_SANDE: &str = "\
/* a + b and (a - b) w; factors repeat after mask + 1 words. */
static void gentleman_sande(word *d, word *d1, const word *a, const word *b, const word *w,
                            size_t mask, const word *t)
{
    word q = t[0], inverse = t[1];
    for (size_t i = 0; i < V; i++) {
        word x = a[i], y = b[i];
        d[i] = plus(x, y, q);
        d1[i] = times(minus(x, y, q), w[i & mask], q, inverse);
    }
}

";

const MULTIPLY: &str = "\
static void multiply(word *d, const word *a, const word *w, size_t mask, const word *t)
{
    for (size_t i = 0; i < V; i++)
        d[i] = times(a[i], w[i & mask], t[0], t[1]);
}

";

const UNPACK: &str = "\
/* Elements of a and b in turn, of the lower or the upper halves. */
static void unpack(word *d, const word *a, const word *b, size_t half)
{
    for (size_t i = 0; i < V / 2; i++) {
        d[2 * i] = a[half * (V / 2) + i];
        d[2 * i + 1] = b[half * (V / 2) + i];
    }
}

";

const PACK: &str = "\
/* Even or odd elements of a, then of b. */
static void pack(word *d, const word *a, const word *b, size_t odd)
{
    for (size_t i = 0; i < V / 2; i++) {
        d[i] = a[2 * i + odd];
        d[V / 2 + i] = b[2 * i + odd];
    }
}

";
