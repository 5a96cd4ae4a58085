// SPDX-License-Identifier: Apache-2.0
//
// Alpha in 8 bits. libvips' own premultiply makes float images, which its resampler handles several times slower
// than bytes. What is shown is colour × alpha anyway, so rounding that product to 8 bits moves a shown pixel by at
// most half a level; browsers keep their pictures the same way.
#include <string.h>

#include "Internal.h"

typedef void (*row_function)(uint8_t *out, const uint8_t *in, int pixels, int bands);

static void premultiply_row(uint8_t *out, const uint8_t *in, int pixels, int bands) {
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        unsigned alpha = in[colours];
        for (int i = 0; i < colours; i++) {
            // The product divided by 255 and rounded to nearest, exact for 8-bit factors.
            unsigned product = in[i] * alpha + 128;
            out[i] = (product + (product >> 8)) >> 8;
        }
        out[colours] = alpha;
    }
}

static void unpremultiply_row(uint8_t *out, const uint8_t *in, int pixels, int bands) {
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        unsigned alpha = in[colours];
        if (alpha == 255) {
            memcpy(out, in, bands);
            continue;
        }
        for (int i = 0; i < colours; i++) {
            // Lanczos overshoots: a product may come out above its alpha.
            unsigned product = in[i] < alpha ? in[i] : alpha;
            out[i] = alpha ? (product * 255 + alpha / 2) / alpha : 0;
        }
        out[colours] = alpha;
    }
}

static int generate(VipsRegion *out, void *sequence, void *image, void *function, gboolean *stop) {
    VipsRegion *in = sequence;
    VipsRect *area = &out->valid;
    if (vips_region_prepare(in, area)) return -1;
    for (int y = 0; y < area->height; y++) {
        ((row_function)function)(
            VIPS_REGION_ADDR(out, area->left, area->top + y), VIPS_REGION_ADDR(in, area->left, area->top + y),
            area->width, out->im->Bands);
    }
    return 0;
}

static cvips_image *map_rows(cvips_image *image, row_function function) {
    VipsImage *out = vips_image_new();
    if (vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, vips(image), NULL) ||
        vips_image_generate(out, vips_start_one, generate, vips_stop_one, image, function)) {
        g_object_unref(out);
        return NULL;
    }
    // The generated image does not hold its input; let it go together with its output.
    g_object_ref(image);
    vips_object_local(out, VIPS_OBJECT(image));
    return ours(out);
}

cvips_image *cvips_premultiply(cvips_image *image) { return map_rows(image, premultiply_row); }

cvips_image *cvips_unpremultiply(cvips_image *image) { return map_rows(image, unpremultiply_row); }
