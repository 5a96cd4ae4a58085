// SPDX-License-Identifier: Apache-2.0
// Recognises drawings of few colours. Drawings and screenshots consist of runs of one colour; a camera's noise leaves
// next to none.
#include <string.h>

#include "Internal.h"

enum { slots = 1 << 13 };

/// The colours seen so far, in a hash table with open addressing. Bit 32 is set in each entry, so that 0 is a free
/// slot.
typedef struct {
    uint64_t held[slots];
    int count;
} colour_set;

static void insert(colour_set *set, const uint8_t *pixel, size_t bands) {
    uint32_t colour = 0;
    memcpy(&colour, pixel, bands);
    uint64_t entry = (uint64_t)1 << 32 | colour;
    size_t slot = (colour * 2654435761u) >> 19;
    while (set->held[slot] && set->held[slot] != entry) slot = (slot + 1) % slots;
    if (set->held[slot]) return;
    set->held[slot] = entry;
    set->count++;
}

double flatness_of(const uint8_t *pixels, size_t stride, int width, int height, size_t bands, int colours) {
    size_t equal = 0;
    if (width < 2 || bands > 4 || colours > slots / 2) return 0;
    colour_set set = {0};
    for (int y = 0; y < height; y++) {
        const uint8_t *pixel = pixels + y * stride;
        insert(&set, pixel, bands);
        // Each row may add a colour here, and a full table has no free slot that would end the search for one.
        if (set.count > colours) return 0;
        for (int x = 1; x < width; x++, pixel += bands) {
            if (memcmp(pixel, pixel + bands, bands) == 0) {
                equal++;
            } else {
                insert(&set, pixel + bands, bands);
                if (set.count > colours) return 0;
            }
        }
    }
    return (double)equal / ((double)(width - 1) * height);
}

double cvips_flatness(cvips_image *image, int colours) {
    VipsImage *in = vips(image);
    return flatness_of(
        VIPS_IMAGE_ADDR(in, 0, 0), VIPS_IMAGE_SIZEOF_LINE(in), in->Xsize, in->Ysize, in->Bands, colours);
}
