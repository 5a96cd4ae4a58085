// SPDX-License-Identifier: Apache-2.0
// Linear light in 16 bits, for resizing on light instead of samples: the sRGB curve in both directions (IEC 61966-2-1).
// Colours are multiplied by alpha in light, and divided on the way back, because multiplied samples would be other
// light.
//
// Beside transparent pixels, Lanczos makes more than all of opaque alpha, and as much more of the colour. Alpha that is cut off
// would leave the colour too bright. So opaque alpha is less than 16 bits hold, and multiplied light is less by as much.
#include <math.h>

#include "Internal.h"

enum {
    white = 65535,
    /// What a level of alpha becomes. Opaque alpha is 51,000.
    alpha_step = 200,
};

static uint16_t lights[256];
static uint8_t numbers[65536];

void make_light_tables(void) {
    for (int i = 0; i < 256; i++) {
        double number = i / 255.0;
        double light = number <= 0.04045 ? number / 12.92 : pow((number + 0.055) / 1.055, 2.4);
        lights[i] = (uint16_t)lrint(light * 65535);
    }
    // A sample covers the light up to halfway to the next sample's.
    for (int i = 0, number = 0; i < 65536; i++) {
        while (number < 255 && 2 * i >= lights[number] + lights[number + 1]) number++;
        numbers[i] = (uint8_t)number;
    }
}

/// Bands of colour: all but an alpha behind them.
static inline int colours_of(int bands) { return bands == 2 || bands == 4 ? bands - 1 : bands; }

static void light_row(const uint8_t *in, uint16_t *out, int pixels, int bands) {
    int colours = colours_of(bands);
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        if (colours == bands) {
            for (int i = 0; i < bands; i++) out[i] = lights[in[i]];
            continue;
        }
        unsigned alpha = in[colours] * alpha_step;
        for (int i = 0; i < colours; i++) out[i] = (uint16_t)((lights[in[i]] * alpha + white / 2) / white);
        out[colours] = (uint16_t)alpha;
    }
}

static void number_row(const uint16_t *in, uint8_t *out, int pixels, int bands) {
    int colours = colours_of(bands);
    for (int x = 0; x < pixels; x++, in += bands, out += bands) {
        if (colours == bands) {
            for (int i = 0; i < bands; i++) out[i] = numbers[in[i]];
            continue;
        }
        uint64_t alpha = in[colours];
        for (int i = 0; i < colours; i++) {
            // Lanczos overshoots, so the product may exceed alpha.
            uint64_t light = alpha == 0 ? 0 : in[i] >= alpha ? white : (in[i] * (uint64_t)white + alpha / 2) / alpha;
            out[i] = numbers[light];
        }
        out[colours] = (uint8_t)VIPS_MIN(255, (alpha + alpha_step / 2) / alpha_step);
    }
}

static int generate(VipsRegion *out, void *sequence, void *image, void *is_light, gboolean *stop) {
    VipsRegion *in = sequence;
    VipsRect *area = &out->valid;
    if (vips_region_prepare(in, area)) return -1;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area); y++) {
        void *from = VIPS_REGION_ADDR(in, area->left, y), *to = VIPS_REGION_ADDR(out, area->left, y);
        if (is_light) {
            light_row(from, to, area->width, in->im->Bands);
        } else {
            number_row(from, to, area->width, in->im->Bands);
        }
    }
    return 0;
}

static cvips_image *converted(cvips_image *image, VipsBandFormat from, VipsBandFormat to, bool is_light) {
    VipsImage *in = vips(image);
    if (in->Coding != VIPS_CODING_NONE || in->Bands > 4 || in->BandFmt != from) {
        vips_error("cvips_linear", "%s", "not the numbers of grey or RGB");
        return NULL;
    }
    VipsImage *out = vips_image_new();
    if (vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL)) {
        g_object_unref(out);
        return NULL;
    }
    out->BandFmt = to;
    bool is_grey = in->Bands < 3;
    out->Type = is_light ? (is_grey ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16)
                         : (is_grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB);
    int failed = vips_image_generate(out, vips_start_one, generate, vips_stop_one, in, is_light ? out : NULL);
    return generated(failed, out, in);
}

cvips_image *cvips_to_linear(cvips_image *image) {
    return converted(image, VIPS_FORMAT_UCHAR, VIPS_FORMAT_USHORT, true);
}

cvips_image *cvips_from_linear(cvips_image *image) {
    return converted(image, VIPS_FORMAT_USHORT, VIPS_FORMAT_UCHAR, false);
}
