// SPDX-License-Identifier: Apache-2.0
// Converts samples to light, light by a matrix and two gains, and light to samples, all by the caller's tables.
#include <math.h>
#include <string.h>

#include "Internal.h"

/// A copy of `cvips_light` with its tables, which lives as long as the image.
typedef struct {
    float light[CVIPS_LIGHTS];
    float scene[CVIPS_GAINS], range[CVIPS_GAINS];
    // 0 if there is no gain.
    float scene_scale, range_scale;
    float luminance[3], matrix[9];
    uint8_t numbers[CVIPS_NUMBERS];
} light_work;

static inline float gain(const float *gains, float scale, float light) {
    float place = sqrtf(light) * scale;
    int index = place < CVIPS_GAINS - 2 ? (int)place : CVIPS_GAINS - 2;
    float part = place - index;
    return gains[index] + (gains[index + 1] - gains[index]) * (part < 1 ? part : 1);
}

static inline uint8_t number(const light_work *work, float light) {
    float place = light * (CVIPS_NUMBERS - 1) + 0.5f;
    // Comparisons with NaN are false, so NaN becomes 0.
    return work->numbers[place > 0 ? place < CVIPS_NUMBERS - 1 ? (int)place : CVIPS_NUMBERS - 1 : 0];
}

static void convert_grey(const light_work *work, const unsigned in[1], uint8_t *out) {
    float light = work->light[in[0]];
    if (work->scene_scale > 0) light *= gain(work->scene, work->scene_scale, light);
    if (work->range_scale > 0) light *= gain(work->range, work->range_scale, light);
    out[0] = number(work, light);
}

static void convert_rgb(const light_work *work, const unsigned in[3], uint8_t *out) {
    float light[3] = {work->light[in[0]], work->light[in[1]], work->light[in[2]]};
    if (work->scene_scale > 0) {
        const float *weight = work->luminance;
        float factor = gain(
            work->scene, work->scene_scale, weight[0] * light[0] + weight[1] * light[1] + weight[2] * light[2]);
        for (int i = 0; i < 3; i++) light[i] *= factor;
    }
    float shown[3];
    for (int i = 0; i < 3; i++) {
        const float *row = work->matrix + 3 * i;
        shown[i] = row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
    }
    if (work->range_scale > 0) {
        float most = fmaxf(fmaxf(shown[0], shown[1]), shown[2]);
        float factor = most > 0 ? gain(work->range, work->range_scale, most) : 1;
        for (int i = 0; i < 3; i++) shown[i] *= factor;
    }
    for (int i = 0; i < 3; i++) out[i] = number(work, shown[i]);
}

static void convert_row(const light_work *work, const void *row, gboolean is_deep, int bands, int pixels, uint8_t *out) {
    const uint8_t *bytes = row;
    const uint16_t *words = row;
    int colours = bands < 3 ? 1 : 3;
    for (int x = 0; x < pixels; x++, bytes += bands, words += bands, out += bands) {
        unsigned in[3];
        for (int i = 0; i < colours; i++) in[i] = is_deep ? words[i] >> 4 : bytes[i] << 4;
        if (colours == 1) {
            convert_grey(work, in, out);
        } else {
            convert_rgb(work, in, out);
        }
        if (bands > colours) out[colours] = is_deep ? words[colours] >> 8 : bytes[colours];
    }
}

static int generate(VipsRegion *out, void *sequence, void *image, void *data, gboolean *stop) {
    VipsRegion *in = sequence;
    VipsRect *area = &out->valid;
    if (vips_region_prepare(in, area)) return -1;
    for (int y = area->top; y < VIPS_RECT_BOTTOM(area); y++) {
        convert_row(
            data, VIPS_REGION_ADDR(in, area->left, y), in->im->BandFmt == VIPS_FORMAT_USHORT, in->im->Bands, area->width,
            VIPS_REGION_ADDR(out, area->left, y));
    }
    return 0;
}

static float take_gain(float *gains, const cvips_gain *told) {
    if (!told->gains) return 0;
    memcpy(gains, told->gains, CVIPS_GAINS * sizeof(float));
    return (CVIPS_GAINS - 1) / sqrtf(told->top);
}

cvips_image *cvips_convert_light(cvips_image *image, const cvips_light *light) {
    VipsImage *in = vips(image);
    if (in->Coding != VIPS_CODING_NONE || in->Bands > 4 ||
        (in->BandFmt != VIPS_FORMAT_UCHAR && in->BandFmt != VIPS_FORMAT_USHORT)) {
        vips_error("cvips_convert_light", "%s", "neither grey nor RGB of 8 or 16 bits");
        return NULL;
    }
    VipsImage *out = vips_image_new();
    light_work *work = VIPS_NEW(out, light_work);
    if (!work || vips_image_pipelinev(out, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL)) {
        g_object_unref(out);
        return NULL;
    }
    memcpy(work->light, light->light, sizeof work->light);
    memcpy(work->numbers, light->numbers, sizeof work->numbers);
    memcpy(work->luminance, light->luminance, sizeof work->luminance);
    memcpy(work->matrix, light->matrix, sizeof work->matrix);
    work->scene_scale = take_gain(work->scene, &light->scene);
    work->range_scale = take_gain(work->range, &light->range);
    out->BandFmt = VIPS_FORMAT_UCHAR;
    out->Type = in->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    vips_image_remove(out, VIPS_META_ICC_NAME);
    return generated(vips_image_generate(out, vips_start_one, generate, vips_stop_one, in, work), out, in);
}
