// SPDX-License-Identifier: Apache-2.0
//
// SSIM (Wang, Bovik, Sheikh, Simoncelli 2004) of the luma: windows of 11 × 11 pixels weighted by a Gaussian of
// sigma 1.5, K1 = 0.01, K2 = 0.03, the mean over all windows. Neighbouring windows tell nearly the same, so they are
// taken at every so many pixels, a distance that is odd and so has nothing in common with the blocks of the encoders.
#include <math.h>
#include <stdlib.h>

#include "Internal.h"

enum { window = 11, most_windows = 60000 };

// ITU-R BT.601, as JPEG and WebP have it. What is transparent shows a mid grey.
static float *luma_of(VipsImage *image) {
    size_t count = (size_t)image->Xsize * image->Ysize;
    int bands = image->Bands, colours = bands > 2 ? 3 : 1;
    const uint8_t *in = VIPS_IMAGE_ADDR(image, 0, 0);
    float *luma = malloc(count * sizeof(float));
    if (!luma) return NULL;
    for (size_t i = 0; i < count; i++, in += bands) {
        float value = colours == 3 ? 0.299f * in[0] + 0.587f * in[1] + 0.114f * in[2] : in[0];
        if (bands > colours) value = 128 + (value - 128) * in[colours] / 255.0f;
        luma[i] = value;
    }
    return luma;
}

// A Gaussian of this length, of sum 1.
static void fill_weights(float *weights, int length) {
    float sum = 0;
    for (int i = 0; i < length; i++) {
        float distance = i - (length - 1) / 2.0f;
        weights[i] = expf(-distance * distance / (2 * 1.5f * 1.5f));
        sum += weights[i];
    }
    for (int i = 0; i < length; i++) weights[i] /= sum;
}

typedef struct {
    int width, height;
    float across[window], down[window];
} frame;

static double ssim_at(const float *a, const float *b, int stride, const frame *f) {
    float sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int y = 0; y < f->height; y++, a += stride, b += stride) {
        float ra = 0, rb = 0, raa = 0, rbb = 0, rab = 0;
        for (int x = 0; x < f->width; x++) {
            float weight = f->across[x], p = a[x] - 128, q = b[x] - 128;
            ra += weight * p;
            rb += weight * q;
            raa += weight * p * p;
            rbb += weight * q * q;
            rab += weight * p * q;
        }
        float weight = f->down[y];
        sa += weight * ra;
        sb += weight * rb;
        saa += weight * raa;
        sbb += weight * rbb;
        sab += weight * rab;
    }
    const double c1 = 0.01 * 255 * 0.01 * 255, c2 = 0.03 * 255 * 0.03 * 255;
    // Variances know nothing of the shift by 128; means are shifted back.
    double va = saa - (double)sa * sa, vb = sbb - (double)sb * sb, cov = sab - (double)sa * sb;
    double ma = sa + 128.0, mb = sb + 128.0;
    return (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
}

static double mean_ssim(const float *a, const float *b, int width, int height) {
    frame f = {.width = VIPS_MIN(width, window), .height = VIPS_MIN(height, window)};
    fill_weights(f.across, f.width);
    fill_weights(f.down, f.height);
    int columns = width - f.width + 1, rows = height - f.height + 1, step = 1;
    while ((double)columns * rows / step / step > most_windows) step += 2;

    double sum = 0;
    int count = 0;
    for (int y = 0; y < rows; y += step) {
        for (int x = 0; x < columns; x += step, count++) {
            size_t start = (size_t)y * width + x;
            sum += ssim_at(a + start, b + start, width, &f);
        }
    }
    return sum / count;
}

int cvips_likeness(cvips_image *one, cvips_image *other, double *likeness) {
    VipsImage *a = vips(one), *b = vips(other);
    if (vips_image_wio_input(a) || vips_image_wio_input(b)) return -1;
    if (a->Xsize != b->Xsize || a->Ysize != b->Ysize || a->BandFmt != VIPS_FORMAT_UCHAR ||
        b->BandFmt != VIPS_FORMAT_UCHAR) {
        vips_error("cvips_likeness", "pictures of different sizes or kinds");
        return -1;
    }
    float *left = luma_of(a), *right = luma_of(b);
    if (left && right) *likeness = mean_ssim(left, right, a->Xsize, a->Ysize);
    int failed = left && right ? 0 : -1;
    free(left);
    free(right);
    return failed;
}
