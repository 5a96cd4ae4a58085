// SPDX-License-Identifier: Apache-2.0
//
// Measures how alike two pictures look, on the scale of SSIMULACRA 2 (Sneyers 2022; 100 = the same, 90 = no difference
// seen side by side, 70 = hard to see, 50 = seen). In JPEG XL's colour space XYB (ISO/IEC 18181-1), SSIMULACRA 2 compares
// the structure (SSIM; Wang, Bovik, Sheikh, Simoncelli 2004), added edges and lost edges, as a mean and as the norm of
// the fourth power, at six resolutions. Most of its 108 terms repeat others. Nine maps reproduce its result to 0.5 of
// 100: luma at the full resolution, and the maps from a quarter to a sixteenth that show an encoder's loss of chroma and
// of shades. The weights are a fit over 107 pictures in three formats at five qualities and more; see
// Benchmarks/encoders.md.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "Internal.h"

enum { X, Y, B, channels };
enum { radius = 5, taps = 2 * radius + 1 };

/// Planes of one size, one behind the other.
typedef struct {
    int width, height;
    float *samples;
} planes;

static size_t count_of(const planes *p) { return (size_t)p->width * p->height; }

// MARK: Colours

/// Linear light of red, green and blue, 0…1. Transparent pixels become mid grey.
static planes light_of(VipsImage *image) {
    planes light = {image->Xsize, image->Ysize, NULL};
    size_t count = count_of(&light);
    int bands = image->Bands, colours = bands > 2 ? 3 : 1;
    const uint8_t *in = VIPS_IMAGE_ADDR(image, 0, 0);
    float table[256];
    for (int i = 0; i < 256; i++) {
        float value = i / 255.0f;
        table[i] = value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
    }
    light.samples = malloc(3 * count * sizeof(float));
    if (!light.samples) return light;
    for (size_t i = 0; i < count; i++, in += bands) {
        for (int band = 0; band < 3; band++) {
            int value = in[colours == 3 ? band : 0];
            if (bands > colours) value = 128 + (value - 128) * in[colours] / 255;
            light.samples[band * count + i] = table[value];
        }
    }
    return light;
}

/// Halves the size in place by means of 2 × 2 samples. The last sample of an odd number is paired with
/// itself.
static void halve(planes *light) {
    planes half = {(light->width + 1) / 2, (light->height + 1) / 2, light->samples};
    size_t from = count_of(light), to = count_of(&half);
    for (int band = 0; band < 3; band++) {
        for (int y = 0; y < half.height; y++) {
            const float *above = light->samples + band * from + (size_t)2 * y * light->width;
            const float *below = 2 * y + 1 < light->height ? above + light->width : above;
            float *out = half.samples + band * to + (size_t)y * half.width;
            for (int x = 0; x < half.width; x++) {
                int left = 2 * x, right = 2 * x + 1 < light->width ? left + 1 : left;
                out[x] = (above[left] + above[right] + below[left] + below[right]) / 4;
            }
        }
    }
    *light = half;
}

/// The cube root of a number above 0, by two steps of Halley's method.
static float cube_root(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits / 3 + 0x2a514067;
    float root;
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 2; i++) {
        float cube = root * root * root;
        root *= (cube + 2 * value) / (2 * cube + value);
    }
    return root;
}

/// One channel of XYB, shifted and scaled as SSIMULACRA 2 does.
static void channel_of(const planes *light, int channel, float *out) {
    const float bias = 0.0037930732552754493f, root = cube_root(bias);
    size_t count = count_of(light);
    const float *red = light->samples, *green = red + count, *blue = green + count;
    for (size_t i = 0; i < count; i++) {
        float r = red[i], g = green[i], b = blue[i];
        float l = cube_root(0.3f * r + 0.622f * g + 0.078f * b + bias) - root;
        float m = cube_root(0.23f * r + 0.692f * g + 0.078f * b + bias) - root;
        float y = (l + m) / 2;
        if (channel == X) {
            out[i] = 7 * (l - m) + 0.42f;
        } else if (channel == Y) {
            out[i] = y + 0.01f;
        } else {
            float s = 0.24342268924547819f * r + 0.20476744424496821f * g + 0.55180986650955360f * b + bias;
            out[i] = cube_root(s) - root - y + 0.55f;
        }
    }
}

// MARK: Maps

/// A Gaussian of sigma 1.5; beyond the edge, the edge's sample repeats.
static void blur(const float *in, float *out, float *row, int width, int height, const float *weights) {
    for (int y = 0; y < height; y++) {
        float *to = out + (size_t)y * width;
        memset(row, 0, (width + 2 * radius) * sizeof(float));
        for (int tap = -radius; tap <= radius; tap++) {
            const float *from = in + (size_t)VIPS_CLIP(0, y + tap, height - 1) * width;
            float weight = weights[tap + radius];
            for (int x = 0; x < width; x++) row[radius + x] += weight * from[x];
        }
        for (int i = 0; i < radius; i++) {
            row[i] = row[radius];
            row[radius + width + i] = row[radius + width - 1];
        }
        for (int x = 0; x < width; x++) to[x] = 0;
        for (int tap = 0; tap < taps; tap++) {
            for (int x = 0; x < width; x++) to[x] += weights[tap] * row[tap + x];
        }
    }
}

/// The results of one map: means, and norms of the fourth power.
typedef struct {
    double structure, structure4, artifacts4, losses4;
} differences;

/// - Parameter memory: room for five planes and a row with margins.
static differences compare(const float *p, const float *q, int width, int height, float *memory) {
    size_t count = (size_t)width * height;
    float *mean_p = memory, *mean_q = mean_p + count, *squares = mean_q + count, *pq = squares + count;
    float *product = pq + count, *row = product + count;
    float weights[taps], sum = 0;
    for (int i = 0; i < taps; i++) sum += weights[i] = expf(-(i - radius) * (i - radius) / 4.5f);
    for (int i = 0; i < taps; i++) weights[i] /= sum;

    blur(p, mean_p, row, width, height, weights);
    blur(q, mean_q, row, width, height, weights);
    for (size_t i = 0; i < count; i++) product[i] = p[i] * p[i] + q[i] * q[i];
    blur(product, squares, row, width, height, weights);
    for (size_t i = 0; i < count; i++) product[i] = p[i] * q[i];
    blur(product, pq, row, width, height, weights);

    differences d = {0};
    for (size_t i = 0; i < count; i++) {
        float a = mean_p[i], b = mean_q[i];
        float means = 1 - (a - b) * (a - b);
        float rest = (2 * (pq[i] - a * b) + 0.0009f) / (squares[i] - a * a - b * b + 0.0009f);
        double structure = VIPS_MAX(0, 1 - means * rest);
        double edge = (1 + fabsf(q[i] - b)) / (1 + fabsf(p[i] - a)) - 1;
        double artifact = VIPS_MAX(0, edge), loss = VIPS_MAX(0, -edge);
        d.structure += structure;
        d.structure4 += structure * structure * structure * structure;
        d.artifacts4 += artifact * artifact * artifact * artifact;
        d.losses4 += loss * loss * loss * loss;
    }
    d.structure /= count;
    d.structure4 = sqrt(sqrt(d.structure4 / count));
    d.artifacts4 = sqrt(sqrt(d.artifacts4 / count));
    d.losses4 = sqrt(sqrt(d.losses4 / count));
    return d;
}

// MARK: The measure

/// The maps in the order of computation: how often the picture is halved first, the channel, and the weight of
/// each difference.
static const struct {
    int halvings, channel;
    differences weight;
} maps[] = {
    {0, Y, {0, 19.56, 0, 31.62}},
    {2, X, {1.949, 4.787, 36.78, 12.44}}, {2, Y, {483.6, 51.6, 8.151, 0}},
    {3, X, {0, 0, 34.32, 0}},             {3, Y, {314.6, 0, 54.06, 0}},        {3, B, {0, 22.91, 14.37, 0}},
    {4, X, {0, 0, 0, 42.97}},             {4, Y, {260.7, 0, 105.5, 2.641}},    {4, B, {141.9, 11.95, 364.6, 0}},
};

int cvips_likeness(cvips_image *one, cvips_image *other, double *likeness) {
    VipsImage *a = vips(one), *b = vips(other);
    if (vips_image_wio_input(a) || vips_image_wio_input(b)) return -1;
    if (a->Xsize != b->Xsize || a->Ysize != b->Ysize || a->BandFmt != VIPS_FORMAT_UCHAR ||
        b->BandFmt != VIPS_FORMAT_UCHAR) {
        vips_error("cvips_likeness", "pictures of different sizes or kinds");
        return -1;
    }
    planes left = light_of(a), right = light_of(b);
    size_t count = count_of(&left);
    float *memory = malloc((7 * count + left.width + 2 * radius) * sizeof(float));
    int failed = left.samples && right.samples && memory ? 0 : -1;
    double distance = 0;
    for (int i = 0, halvings = 0; !failed && i < (int)VIPS_NUMBER(maps); i++) {
        for (; halvings < maps[i].halvings; halvings++) {
            halve(&left);
            halve(&right);
        }
        float *p = memory, *q = p + count;
        channel_of(&left, maps[i].channel, p);
        channel_of(&right, maps[i].channel, q);
        differences d = compare(p, q, left.width, left.height, q + count), w = maps[i].weight;
        distance += w.structure * d.structure + w.structure4 * d.structure4 + w.artifacts4 * d.artifacts4 +
                    w.losses4 * d.losses4;
    }
    if (!failed) *likeness = VIPS_MAX(0, 1 - pow(distance, 0.6276336467831387) / 10);
    free(left.samples);
    free(right.samples);
    free(memory);
    return failed;
}
