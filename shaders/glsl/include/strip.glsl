// Splitting a strip: a run of tiles that one workgroup takes one after another. bucket_next says
// where the strip's first key of each bucket goes; load_keys() has been called for its first tile.

void split_strip(uint first, uint end) {
    while (first < end) {
        find_buckets(first);
        rank_in_subgroup();
        barrier();
        sum_over_subgroups();
        place_items();
        scatter_tile(first, end);
        first += TILE;
        barrier();  // shared memory is written again
    }
}
