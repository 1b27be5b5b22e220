// Provides bin_of(), which returns the bin of a sample, or push.bins for samples out of range.
//
// The function is a built-in one, selected by BIN_KIND, or the user's `uint bucket_of(K sample)` from the include
// user_bucket.glsl.

#ifndef BINS_GLSL
#define BINS_GLSL

#include "histogram.glsl"
#include "sample.glsl"

// Values of BIN_KIND. `lo` and `hi` are the lowest and the highest edge, `m` is the number of bins.
const uint BIN_IDENTITY = 0;      // bin = sample
const uint BIN_EVEN_FLOAT = 1;    // bin k begins at k * ((hi - lo) / m) + lo, rounded after each operation
const uint BIN_EVEN_INTEGER = 2;  // (sample - lo) * m / (hi - lo), exactly
const uint BIN_EVEN_SHIFT = 3;    // as BIN_EVEN_INTEGER, if (hi - lo) / m is a power of two
const uint BIN_RANGE = 4;         // number of inner splitters at or below the sample (range_bins.glsl)

#ifdef USER_BUCKET

void stage_bins() {}

// Converts the bits of a sample to the parameter type of the user's function. The type of `tag` selects the overload.
#if SAMPLE_BITS == 64
uint64_t user_sample(SAMPLE bits, uint64_t tag) { return bits; }
int64_t user_sample(SAMPLE bits, int64_t tag) { return int64_t(bits); }
#ifdef DOUBLE
double user_sample(SAMPLE bits, double tag) { return real_of(bits); }
#endif
#else
uint user_sample(SAMPLE bits, uint tag) { return bits; }
int user_sample(SAMPLE bits, int tag) { return int(bits); }
float user_sample(SAMPLE bits, float tag) { return uintBitsToFloat(bits); }
#endif

#include "user_bucket.glsl"

uint bin_of(SAMPLE bits) {
    return min(bucket_of(user_sample(bits, USER_KEY_TYPE(0))), push.bins);
}

uint likely_bin(SAMPLE bits, out bool unsure) {
    unsure = false;
    return bin_of(bits);
}

#else

#include "range_bins.glsl"

// Copies tables to shared memory or registers. Called by all threads; a barrier must follow, before the first bin_of().
void stage_bins() {
    if (BIN_KIND == BIN_RANGE) stage_range();
}

uint identity_bin(SAMPLE bits) {
#if SAMPLE_BITS == 64
    return bits < uint64_t(push.bins) ? uint(bits) : push.bins;
#else
    return min(bits, push.bins);
#endif
}

#ifdef REAL
// 1.5 * 2^52 for doubles, 1.5 * 2^23 for floats. Adding it to a number rounds the number to an integer, because the sum
// has no fraction bits.
#ifdef DOUBLE
const double NO_FRACTION = 6755399441055744.0lf;
#else
const float NO_FRACTION = 12582912.0;
#endif

// Returns the lower edge of bin k, converted by ordered(). `precise` prevents fused multiply-add, so that the edge has
// the same bits as on the host.
SAMPLE even_edge(REAL k) {
    precise REAL above = k * real_of(sample_of(push.parameter_0, push.parameter_1));
    precise REAL edge = above + real_of(sample_of(push.origin_low, push.origin_high));
    // Both zeros belong to the bin above an edge at zero. -0 has the smaller ordered() value.
    return ordered(edge == REAL(0) ? SAMPLE(1) << (SAMPLE_BITS - 1) : bits_of(edge));
}

// Returns the bin of a sample in range. Scales the sample to bins, rounds to the nearest edge and compares the
// sample with that edge. This suffices, because scaling is monotonic and the rounding error of a scaled edge is
// less than half a bin, which the host checks.
uint even_float_bin(SAMPLE bits, SAMPLE key, bool in_range) {
    precise REAL above = real_of(bits) - real_of(sample_of(push.origin_low, push.origin_high));
    precise REAL scaled = above * real_of(sample_of(push.scale_low, push.scale_high));
    REAL nearest = roundEven(in_range ? scaled : REAL(0));
    uint bin = uint(nearest);
    if (key < even_edge(nearest)) bin -= 1;
    return min(bin, push.bins - 1);
}

// Returns the bin of a sample, without comparing it with edges. Sets `unsure` if the sample is so close to an edge that
// rounding may have moved it to the other side. For a sample out of range, the result is arbitrary.
uint likely_even_float_bin(SAMPLE bits, out bool unsure) {
    REAL above = real_of(bits) - real_of(sample_of(push.origin_low, push.origin_high));
    // After subtracting half a bin, all samples of a bin round to the bin's number. Rounding by adding NO_FRACTION
    // takes a quarter of the time of a conversion to an integer.
    REAL from_middle = above * real_of(sample_of(push.scale_low, push.scale_high)) - REAL(0.5);
    precise REAL lifted = from_middle + NO_FRACTION;
    precise REAL middle = lifted - NO_FRACTION;
    unsure = abs(from_middle - middle) >= REAL(0.5) - REAL(uintBitsToFloat(push.parameter_2));
    return uint(bits_of(lifted)) - uint(bits_of(NO_FRACTION));
}
#endif

// even_integer_bin() returns push.bins * above / span, rounded down. A float estimate of this quotient is off by at
// most one, because there are at most 2^20 bins and floats have 24 significant bits. The exact remainder, computed in
// double width, shows whether the estimate is too large or too small.
#if SAMPLE_BITS == 64
// Returns the low 64 bits of a * b, and the higher bits in `high`.
uint64_t product(uint a, uint64_t b, out uint64_t high) {
    uint64_t low = uint64_t(a) * (b & 0xFFFFFFFFul);
    uint64_t middle = uint64_t(a) * (b >> 32) + (low >> 32);
    high = middle >> 32;
    return (middle << 32) | (low & 0xFFFFFFFFul);
}

uint even_integer_bin(uint64_t above, uint64_t span) {
    uint bin = uint(float(above) * uintBitsToFloat(push.scale_low));
    uint64_t wanted_high, begin_high;
    uint64_t wanted = product(push.bins, above, wanted_high);
    uint64_t begin = product(bin, span, begin_high);
    uint64_t rest = wanted - begin;
    uint64_t rest_high = wanted_high - begin_high - (wanted < begin ? 1 : 0);
    if ((rest_high >> 63) != 0) return bin - 1;
    return rest_high > 0 || rest >= span ? bin + 1 : bin;
}
#else
uint even_integer_bin(uint above, uint span) {
    uint bin = uint(float(above) * uintBitsToFloat(push.scale_low));
    uint wanted_high, wanted, begin_high, begin, borrow;
    umulExtended(push.bins, above, wanted_high, wanted);
    umulExtended(bin, span, begin_high, begin);
    uint rest = usubBorrow(wanted, begin, borrow);
    uint rest_high = wanted_high - begin_high - borrow;
    if ((rest_high >> 31) != 0) return bin - 1;
    return rest_high > 0 || rest >= span ? bin + 1 : bin;
}
#endif

// Returns whether a sample is in range, given the difference between ordered(sample) and ordered(lowest edge). For a
// sample below the lowest edge, the difference wraps around and exceeds the span. NaNs are out of range.
bool is_in_range(SAMPLE above) {
    SAMPLE span = sample_of(push.span_low, push.span_high);
    return CLOSED != 0 ? above <= span : above < span;
}

uint bin_of(SAMPLE bits) {
    if (BIN_KIND == BIN_IDENTITY) return identity_bin(bits);
    SAMPLE key = ordered(bits);
    SAMPLE above = key - sample_of(push.min_low, push.min_high);
    SAMPLE span = sample_of(push.span_low, push.span_high);
    bool in_range = is_in_range(above);
    uint bin = 0;
    if (BIN_KIND == BIN_RANGE) bin = range_bin(bits, key, above, in_range);
    if (BIN_KIND == BIN_EVEN_SHIFT) bin = uint(above >> place_shift());
    if (BIN_KIND == BIN_EVEN_INTEGER) bin = even_integer_bin(in_range ? above : 0, span);
#ifdef REAL
    if (BIN_KIND == BIN_EVEN_FLOAT) bin = even_float_bin(bits, key, in_range);
#endif
    // A sample equal to the upper edge belongs to the last bin.
    if (CLOSED != 0) bin = min(bin, push.bins - 1);
    return in_range ? bin : push.bins;
}

// Like bin_of(), but skips edge comparisons and, with cells, searches: sets `unsure` if one is needed. Callers with
// several samples call bin_of() for the few unsure ones afterwards, so that lanes diverge only once.
uint likely_bin(SAMPLE bits, out bool unsure) {
    unsure = false;
    SAMPLE above = ordered(bits) - sample_of(push.min_low, push.min_high);
    bool in_range = is_in_range(above);
    if (BIN_KIND == BIN_RANGE && SEARCH == SEARCH_LOOKUP) {
        uint bin = likely_range_bin(bits, above, in_range, unsure);
        return in_range ? bin : push.bins;
    }
#ifdef REAL
    if (BIN_KIND == BIN_EVEN_FLOAT) {
        uint bin = likely_even_float_bin(bits, unsure);
        unsure = unsure && in_range;
        return in_range ? bin : push.bins;
    }
#endif
    return bin_of(bits);
}

#endif

#endif
