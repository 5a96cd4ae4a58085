// SPDX-License-Identifier: Apache-2.0
// Alpha in 8 bits. libvips' own premultiply makes images of floats, which its resampler processes several times
// slower than bytes. A pixel shows colour × alpha anyway, so rounding the product to 8 bits changes what is shown
// by at most half a level; browsers store their pictures the same way.
#include <string.h>

#include "Internal.h"

/// Computes a row of `pixels` pixels. `other` is the same row of the second picture, if there is one.
typedef void (*row_function)(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter);

/// The product divided by 255 and rounded to nearest; exact for products of two 8-bit factors.
static inline unsigned over255(unsigned product) {
    product += 128;
    return (product + (product >> 8)) >> 8;
}

// MARK: One picture

static void premultiply_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        unsigned alpha = in[colours];
        for (int i = 0; i < colours; i++) out[i] = over255(in[i] * alpha);
        out[colours] = alpha;
    }
}

/// The colour before it was multiplied by alpha. Lanczos overshoots, so the product may exceed alpha.
static inline uint8_t divided(unsigned product, unsigned alpha) {
    if (alpha == 0) return 0;
    if (product > alpha) product = alpha;
    return (product * 255 + alpha / 2) / alpha;
}

static void unpremultiply_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        unsigned alpha = in[colours];
        if (alpha == 255) {
            memcpy(out, in, bands);
            continue;
        }
        for (int i = 0; i < colours; i++) out[i] = divided(in[i], alpha);
        out[colours] = alpha;
    }
}

/// The same for 16 bits.
static void unpremultiply_deep_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    const uint16_t *products = (const void *)in;
    uint16_t *results = (void *)out;
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, products += bands, results += bands) {
        uint32_t alpha = products[colours];
        for (int i = 0; i < colours; i++) {
            uint32_t product = products[i] < alpha ? products[i] : alpha;
            // Cannot overflow: 65,535² + 32,767 is less than 2³².
            results[i] = alpha == 0 ? 0 : (product * 65535 + alpha / 2) / alpha;
        }
        results[colours] = alpha;
    }
}

// Beside transparent pixels, Lanczos makes more than 255 of opaque alpha, and as much more of the colour. Alpha is cut off at
// 255, so dividing by it would leave the colour too bright. A further band therefore holds alpha with room above it, where
// this number is opaque.
enum { opaque = 204 };

static void add_room_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    int colours = bands - 2;
    for (int x = 0; x < pixels; x++, in += bands - 1, out += bands) {
        unsigned alpha = in[colours];
        for (int i = 0; i < colours; i++) out[i] = over255(in[i] * alpha);
        out[colours] = alpha;
        out[colours + 1] = over255(opaque * alpha);
    }
}

static void take_room_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    int colours = bands - 1;
    for (int x = 0; x < pixels; x++, in += bands + 1, out += bands) {
        unsigned alpha = in[colours], whole = in[bands];
        for (int i = 0; i < colours; i++) {
            // A product of 255 was cut off too. A surplus of 1 may be the rounding.
            out[i] = alpha < 255 ? divided(in[i], alpha)
                : whole <= opaque + 1 || in[i] == 255 ? in[i] : (in[i] * opaque + whole / 2) / whole;
        }
        out[colours] = alpha;
    }
}

static inline void clear_pixels(uint8_t *out, const uint8_t *in, int pixels, int bands) {
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        if (in[bands - 1] == 0) {
            memset(out, 0, bands);
        } else {
            memcpy(out, in, bands);
        }
    }
}

static void clear_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *parameter) {
    // With a constant number of bands, the compiler copies a pixel as one word instead of calling memcpy().
    if (bands == 4) {
        clear_pixels(out, in, pixels, 4);
    } else {
        clear_pixels(out, in, pixels, bands);
    }
}

// MARK: Two pictures

// Porter and Duff's "over" for colours that are not premultiplied: the upper colour covers `cover` of 255, the lower
// one `alpha` of the rest.
static inline void lay_over(
    uint8_t *out, const uint8_t *upper, unsigned cover, const uint8_t *lower, unsigned alpha, int colours) {
    unsigned rest = over255(alpha * (255 - cover));
    unsigned sum = cover + rest;
    for (int i = 0; i < colours; i++) {
        out[i] = sum ? (upper[i] * cover + lower[i] * rest + sum / 2) / sum : 0;
    }
}

/// Lays 4 bands over a colour, which is red, green, blue, alpha.
static void on_colour_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *colour) {
    for (int x = 0; x < pixels; x++, in += 4, out += 4) {
        unsigned alpha = in[3];
        lay_over(out, in, alpha, colour, colour[3], 3);
        out[3] = alpha + over255(colour[3] * (255 - alpha));
    }
}

/// Lays 4 bands over 3 or 4; `opacity` is that of the upper picture.
static void overlay_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *opacity) {
    for (int x = 0; x < pixels; x++, in += bands, out += bands, other += 4) {
        unsigned cover = over255(other[3] * opacity[0]);
        unsigned alpha = bands == 4 ? in[3] : 255;
        if (cover == 0) {
            memcpy(out, in, bands);
            continue;
        }
        lay_over(out, other, cover, in, alpha, 3);
        if (bands == 4) out[3] = cover + over255(alpha * (255 - cover));
    }
}

/// Mixes the picture (4 bands) with a colour, weighted by one band of coverage.
static void mask_row(
    uint8_t *out, const uint8_t *in, const uint8_t *other, int pixels, int bands, const uint8_t *colour) {
    for (int x = 0; x < pixels; x++, in += 4, out += 4) {
        unsigned inside = over255(in[3] * other[x]), outside = over255(colour[3] * (255 - other[x]));
        unsigned alpha = inside + outside;
        for (int i = 0; i < 3; i++) {
            out[i] = alpha ? (in[i] * inside + colour[i] * outside + alpha / 2) / alpha : 0;
        }
        out[3] = alpha;
    }
}

// MARK: Rows of libvips

typedef struct {
    row_function function;
    uint8_t parameter[4];
} row_work;

static int generate(VipsRegion *out, void *sequence, void *images, void *data, gboolean *stop) {
    VipsRegion **in = sequence;
    row_work *work = data;
    VipsRect *area = &out->valid;
    if (vips_reorder_prepare_many(out->im, in, area)) return -1;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area); y++) {
        work->function(
            VIPS_REGION_ADDR(out, area->left, y), VIPS_REGION_ADDR(in[0], area->left, y),
            in[1] ? VIPS_REGION_ADDR(in[1], area->left, y) : NULL, area->width, out->im->Bands, work->parameter);
    }
    return 0;
}

/// `other` is NULL or a picture of the same size. The result has `more` bands than the image.
static cvips_image *map_bands(
    cvips_image *image, cvips_image *other, row_function function, const uint8_t *parameter, size_t length, int more) {
    VipsImage *out = vips_image_new();
    VipsImage **images = VIPS_ARRAY(out, 3, VipsImage *);
    row_work *work = VIPS_NEW(out, row_work);
    if (!images || !work) {
        g_object_unref(out);
        return NULL;
    }
    images[0] = vips(image);
    images[1] = other ? vips(other) : NULL;
    images[2] = NULL;
    work->function = function;
    if (length > 0) memcpy(work->parameter, parameter, length);
    if (vips_image_pipeline_array(out, VIPS_DEMAND_STYLE_THINSTRIP, images)) {
        g_object_unref(out);
        return NULL;
    }
    out->Bands += more;
    if (vips_image_generate(out, vips_start_many, generate, vips_stop_many, images, work)) {
        g_object_unref(out);
        return NULL;
    }
    // The generated image does not hold its inputs, so they are tied to its lifetime here.
    for (int i = 0; images[i]; i++) {
        g_object_ref(images[i]);
        vips_object_local(out, VIPS_OBJECT(images[i]));
    }
    return ours(out);
}

static cvips_image *map_rows(
    cvips_image *image, cvips_image *other, row_function function, const uint8_t *parameter, size_t length) {
    return map_bands(image, other, function, parameter, length, 0);
}

cvips_image *cvips_premultiply_with_room(cvips_image *image) {
    return map_bands(image, NULL, add_room_row, NULL, 0, 1);
}

cvips_image *cvips_unpremultiply_with_room(cvips_image *image) {
    return map_bands(image, NULL, take_room_row, NULL, 0, -1);
}

double cvips_room(double alpha) { return alpha * opaque / 255; }

cvips_image *cvips_premultiply(cvips_image *image) { return map_rows(image, NULL, premultiply_row, NULL, 0); }

cvips_image *cvips_unpremultiply(cvips_image *image) {
    bool is_deep = vips(image)->BandFmt == VIPS_FORMAT_USHORT;
    return map_rows(image, NULL, is_deep ? unpremultiply_deep_row : unpremultiply_row, NULL, 0);
}

cvips_image *cvips_clear(cvips_image *image) { return map_rows(image, NULL, clear_row, NULL, 0); }

cvips_image *cvips_on_colour(cvips_image *image, const uint8_t colour[4]) {
    return map_rows(image, NULL, on_colour_row, colour, 4);
}

cvips_image *cvips_overlay(cvips_image *image, cvips_image *upper, uint8_t opacity) {
    return map_rows(image, upper, overlay_row, &opacity, 1);
}

cvips_image *cvips_mask(cvips_image *image, cvips_image *coverage, const uint8_t colour[4]) {
    return map_rows(image, coverage, mask_row, colour, 4);
}
