// Stores 16-bit keys, two per word, in the last round of a sort.
//
// Two keys that are adjacent in the ordered tile are adjacent in the output if they have the same bucket. If they also
// share a word, one thread stores both. Otherwise the other half of the word belongs to another bucket, turn or tile,
// or to no key, and must not change: two atomic operations then update only one half.
//
// Needs: staged_key(), staged_place() and written_place() of scatter_tile.glsl, the shared array `bucket_targets` and
// the buffer `keys_out`, declared before this file; bucket_at().
// Gives: store_half(), store_both(), store_shared_word(), store_lone_keys().

#ifndef PACK_KEYS_GLSL
#define PACK_KEYS_GLSL

#include "narrow_key.glsl"

// Stores one key at `target`, and leaves the other half of its word unchanged.
void store_half(const uint target, const uint key) {
    uint shift = target % 2 * 16;
    atomicAnd(keys_out.at[target / 2], ~(0xFFFFu << shift));
    atomicOr(keys_out.at[target / 2], (keys_from_ordered(key) & 0xFFFFu) << shift);
}

// Stores two keys at `target` and `target + 1`. `target` must be even.
void store_both(const uint target, const uint key, const uint next) {
    keys_out.at[target / 2] = keys_from_ordered(key | next << 16);
}

// If a key and its neighbour share a word and a bucket, one of their two threads stores both. Returns whether they
// share a word and a bucket. `count` is the number of keys in the turn.
bool store_shared_word(const uint target, const uint key, const uint place, const uint count) {
    bool even = target % 2 == 0;
    uint other = even ? place + 1 : place - 1;
    uint neighbour = staged_key(min(other, count - 1));
    bool share = other < count && bucket_at(neighbour) == bucket_at(key);
    if (share && even) store_both(target, key, neighbour);
    return share;
}

// Stores the keys of a chunk whose bits are set in `lone`, one at a time; there are few.
void store_lone_keys(uint lone, const uint first, const uint turn) {
    while (lone != 0) {
        uint w = first + findLSB(lone);
        lone &= lone - 1;
        uint key = staged_key(staged_place(w, turn));
        store_half(bucket_targets[bucket_at(key)] + written_place(w), key);
    }
}

#endif
