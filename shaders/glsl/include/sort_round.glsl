// Where a round of a radix sort reads and writes: the data lies in one half of two buffers, and
// each round that has something to do brings it to the other half. Kernels with ONE_HALF work in
// place.

layout(constant_id = 5) const uint VALUE_WORDS = 1;      // 32-bit words of a value: 1, 2 or 4
layout(constant_id = 14) const uint COUNTED_VALUES = 0;  // the values are 0, 1, 2, ... at first

layout(set = 0, binding = 0, std430) buffer KeysA { KEY at[]; } keys_a;
#ifdef PAIRS
layout(set = 0, binding = 5, std430) buffer ValuesA { uint at[]; } values_a;
layout(set = 0, binding = 5, std430) buffer ValuesA2 { uvec2 at[]; } values_a_vec2;
layout(set = 0, binding = 5, std430) buffer ValuesA4 { uvec4 at[]; } values_a_vec4;
#endif

#ifndef ONE_HALF

layout(set = 0, binding = 4, std430) buffer KeysB { KEY at[]; } keys_b;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) buffer KeysA4 { uvec4 at[]; } keys_a_vec4;
layout(set = 0, binding = 4, std430) buffer KeysB4 { uvec4 at[]; } keys_b_vec4;
#endif

#ifdef PAIRS
layout(set = 0, binding = 6, std430) buffer ValuesB { uint at[]; } values_b;
layout(set = 0, binding = 6, std430) buffer ValuesB2 { uvec2 at[]; } values_b_vec2;
layout(set = 0, binding = 6, std430) buffer ValuesB4 { uvec4 at[]; } values_b_vec4;
#endif

// Rounds before this one that had something to do; the data is in half B after an odd number.
uint busy_rounds;

bool data_is_in_b() {
    return (busy_rounds & 1) != 0;
}

#define FROM_HALF(STATEMENT, a, b) \
    if (data_is_in_b()) {          \
        STATEMENT(b)               \
    } else {                       \
        STATEMENT(a)               \
    }
#define FROM_KEYS(STATEMENT) FROM_HALF(STATEMENT, keys_a, keys_b)
#define FROM_FOUR_KEYS(STATEMENT) FROM_HALF(STATEMENT, keys_a_vec4, keys_b_vec4)
#define TO_KEYS(STATEMENT) FROM_HALF(STATEMENT, keys_b, keys_a)

#ifdef PAIRS
bool values_are_counted() {
    return COUNTED_VALUES != 0 && busy_rounds == 0;
}

#define COUNT_VALUES(source) \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) value[w] = item_index(tile_first, w);
#define FROM_VALUES(STATEMENT)                    \
    if (values_are_counted()) {                   \
        COUNT_VALUES(values_a)                    \
    } else {                                      \
        FROM_HALF(STATEMENT, values_a, values_b)  \
    }
#define TO_VALUES(STATEMENT) FROM_HALF(STATEMENT, values_b, values_a)

// Values of more than one word.
void move_value(uint from, uint to) {
    if (data_is_in_b()) {
        if (VALUE_WORDS == 2) values_a_vec2.at[to] = values_b_vec2.at[from];
        if (VALUE_WORDS == 4) values_a_vec4.at[to] = values_b_vec4.at[from];
    } else {
        if (VALUE_WORDS == 2) values_b_vec2.at[to] = values_a_vec2.at[from];
        if (VALUE_WORDS == 4) values_b_vec4.at[to] = values_a_vec4.at[from];
    }
}
#endif

#endif
