// SPDX-License-Identifier: Apache-2.0
//
// picture WIDTH HEIGHT SEED FILE: writes a picture that compresses about like a photograph: soft shapes at several
// scales, hard edges between cells, and grain. The same arguments give the same picture.

#include <stdlib.h>
#include <vips/vips.h>

static void must(int failed) {
    if (failed) vips_error_exit(NULL);
}

static int width, height;

static VipsImage *scaled(VipsImage *in, double factor, double offset) {
    VipsImage *out;
    must(vips_linear1(in, &out, factor, offset, NULL));
    return out;
}

static VipsImage *sum(VipsImage *a, VipsImage *b) {
    VipsImage *out;
    must(vips_add(a, b, &out, NULL));
    return out;
}

// Hills and valleys of −1…1, times `strength`.
static VipsImage *hills(int cell, int seed, double strength, double offset) {
    VipsImage *out;
    must(vips_perlin(&out, width, height, "cell_size", cell, "seed", seed, NULL));
    return scaled(out, strength, offset);
}

// Distances to the nearest of scattered points: soft inside, hard at the borders.
static VipsImage *cells(int cell, int seed, double strength, double offset) {
    VipsImage *out;
    must(vips_worley(&out, width, height, "cell_size", cell, "seed", seed, NULL));
    return scaled(out, strength, offset);
}

static VipsImage *grain(int seed, double sigma) {
    VipsImage *out;
    must(vips_gaussnoise(&out, width, height, "mean", 0.0, "sigma", sigma, "seed", seed, NULL));
    return out;
}

int main(int count, char **arguments) {
    if (count != 5 || VIPS_INIT(arguments[0])) return 2;
    width = atoi(arguments[1]), height = atoi(arguments[2]);
    int seed = atoi(arguments[3]);

    VipsImage *light = sum(sum(cells(160, seed, 0.45, -10), hills(14, seed + 1, 9, 0)), grain(seed + 2, 3));
    VipsImage *bands[3], *joined, *bytes, *picture;
    for (int i = 0; i < 3; i++) {
        bands[i] = sum(sum(hills(width / 4, seed + 3 + i, 50, 90), hills(96, seed + 6 + i, 18, 0)), light);
    }
    must(vips_bandjoin(bands, &joined, 3, NULL));
    must(vips_cast(joined, &bytes, VIPS_FORMAT_UCHAR, NULL));
    must(vips_copy(bytes, &picture, "interpretation", VIPS_INTERPRETATION_sRGB, NULL));

    // Encoder options follow the name, as in "p.jpg[Q=90]".
    must(vips_image_write_to_file(picture, arguments[4], NULL));
    return 0;
}
