// SPDX-License-Identifier: Apache-2.0
// Effects that look at a pixel's neighbours or work in another colour space than RGB. All take and return 8
// bits a band.
#include <math.h>
#include <string.h>

#include "Internal.h"

/// Casts to 8 bits, in grey or sRGB by the number of bands. Releases its argument.
static cvips_image *bytes(VipsImage *image) {
    VipsImage *cast = NULL, *out = NULL;
    int failed = vips_cast(image, &cast, VIPS_FORMAT_UCHAR, NULL);
    g_object_unref(image);
    if (failed) return NULL;
    VipsInterpretation space = cast->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    failed = vips_copy(cast, &out, "interpretation", space, NULL);
    g_object_unref(cast);
    return made(failed, out);
}

// MARK: Levels

cvips_image *cvips_map_levels(cvips_image *image, const uint8_t *table, int bands) {
    VipsImage *levels = vips_image_new_from_memory_copy(table, 256 * bands, 256, 1, bands, VIPS_FORMAT_UCHAR);
    if (!levels) return NULL;
    VipsImage *out = NULL;
    int failed = vips_maplut(vips(image), &out, levels, NULL);
    g_object_unref(levels);
    return failed ? NULL : bytes(out);
}

cvips_image *cvips_recombine(cvips_image *image, const double matrix[9]) {
    int bands = vips(image)->Bands;
    VipsImage *weights = vips_image_new_matrix(bands, bands);
    if (!weights) return NULL;
    for (int y = 0; y < bands; y++) {
        for (int x = 0; x < bands; x++) {
            *VIPS_MATRIX(weights, x, y) = x < 3 && y < 3 ? matrix[3 * y + x] : x == y;
        }
    }
    VipsImage *out = NULL;
    int failed = vips_recomb(vips(image), &out, weights, NULL);
    g_object_unref(weights);
    return failed ? NULL : bytes(out);
}

// MARK: CIE Lab

/// Changes the colours of an image without alpha; returns NULL on failure.
typedef VipsImage *(*change_colours)(VipsImage *image, const double *numbers);

/// Applies `change` to the colours with alpha taken off once. libvips takes alpha off around each conversion between spaces, and
/// computes all earlier steps twice for that: a dozen conversions take 25 times as long, and kilobytes a pixel.
static cvips_image *beside_alpha(VipsImage *image, change_colours change, const double *numbers) {
    VipsImage *colours = NULL, *alpha = NULL, *joined = NULL;
    if (!vips_image_hasalpha(image)) {
        VipsImage *whole = change(image, numbers);
        return whole ? bytes(whole) : NULL;
    }
    int last = image->Bands - 1;
    if (vips_extract_band(image, &colours, 0, "n", last, NULL)) return NULL;
    VipsImage *changed = change(colours, numbers);
    g_object_unref(colours);
    VipsImage *plain = changed ? vips(bytes(changed)) : NULL;
    if (!plain) return NULL;
    int failed = vips_extract_band(image, &alpha, last, NULL) || vips_bandjoin2(plain, alpha, &joined, NULL);
    VIPS_UNREF(alpha);
    g_object_unref(plain);
    return failed ? NULL : bytes(joined);
}

static VipsImage *modulated(VipsImage *image, const double *numbers) {
    double factors[3] = {numbers[0], numbers[1], 1}, offsets[3] = {0, 0, numbers[2]};
    VipsImage *lch = NULL, *changed = NULL, *out = NULL;
    VipsInterpretation space = image->Type;
    if (vips_colourspace(image, &lch, VIPS_INTERPRETATION_LCH, NULL)) return NULL;
    int failed = vips_linear(lch, &changed, factors, offsets, 3, NULL);
    g_object_unref(lch);
    if (failed) return NULL;
    failed = vips_colourspace(changed, &out, space, "source_space", VIPS_INTERPRETATION_LCH, NULL);
    g_object_unref(changed);
    return failed ? NULL : out;
}

cvips_image *cvips_modulate(cvips_image *image, double lightness, double chroma, double hue) {
    return beside_alpha(vips(image), modulated, (double[]){lightness, chroma, hue});
}

cvips_image *cvips_tint(cvips_image *image, double a, double b) {
    double chroma[2] = {a, b};
    VipsImage *lab = NULL, *lightness = NULL, *joined = NULL, *out = NULL;
    if (vips_colourspace(vips(image), &lab, VIPS_INTERPRETATION_LAB, NULL)) return NULL;
    int failed = vips_extract_band(lab, &lightness, 0, NULL);
    g_object_unref(lab);
    if (failed) return NULL;
    failed = vips_bandjoin_const(lightness, &joined, chroma, 2, NULL);
    g_object_unref(lightness);
    if (failed) return NULL;
    failed = vips_colourspace(
        joined, &out, VIPS_INTERPRETATION_sRGB, "source_space", VIPS_INTERPRETATION_LAB, NULL);
    g_object_unref(joined);
    return failed ? NULL : bytes(out);
}

// MARK: Neighbours

/// How far a blur takes even areas from their level, at most; −1 on failure.
static double blur_error(double sigma) {
    static const uint8_t levels[4] = {255, 200, 128, 60};
    VipsImage *even = vips_image_new_from_memory_copy(levels, 4, 1, 1, 4, VIPS_FORMAT_UCHAR), *blurred = NULL;
    if (!even) return -1;
    double *values = NULL, error = 0;
    int count = 0;
    int failed = vips_gaussblur(even, &blurred, sigma, NULL) || vips_getpoint(blurred, &values, &count, 0, 0, NULL);
    for (int i = 0; !failed && i < count && i < 4; i++) error = fmax(error, fabs(values[i] - levels[i]));
    g_free(values);
    VIPS_UNREF(blurred);
    g_object_unref(even);
    return failed ? -1 : error;
}

// libvips rounds the weights of a blur to a few bits. For some sigmas they sum up to 2 % less or more than 1: white would become
// 249, and opaque pixels translucent. A sigma that differs by a few hundredths looks the same, and can have weights that fit.
static double fitting(double sigma) {
    // A try plans loops for 3 to 9 ms, more than a placeholder takes otherwise. Sites have few sigmas, and so have the frames of an
    // animation.
    enum { KNOWN = 32 };
    static _Thread_local struct {
        double sigma, fitting;
    } known[KNOWN];
    static _Thread_local unsigned count;
    for (int i = 0; i < KNOWN; i++) {
        if (known[i].sigma == sigma) return known[i].fitting;
    }
    double best = sigma, least = INFINITY;
    for (int i = 0; i <= 16 && least > 0; i++) {
        double tried = sigma * (1 + 0.005 * (i % 2 ? (i + 1) / 2 : -i / 2));
        double error = blur_error(tried);
        if (error < 0) return -1;
        if (error < least) {
            least = error;
            best = tried;
        }
    }
    known[count % KNOWN].sigma = sigma;
    known[count % KNOWN].fitting = best;
    count++;
    return best;
}

cvips_image *cvips_blur(cvips_image *image, double sigma) {
    double used = fitting(sigma);
    if (used < 0) return NULL;
    VipsImage *out = NULL;
    return made(vips_gaussblur(vips(image), &out, used, NULL), out);
}

cvips_image *cvips_convolve(cvips_image *image, const double kernel[9], double scale) {
    VipsImage *matrix = vips_image_new_matrix_from_array(3, 3, kernel, 9);
    if (!matrix) return NULL;
    vips_image_set_double(matrix, "scale", scale);
    VipsImage *out = NULL;
    int failed = vips_conv(vips(image), &out, matrix, "precision", VIPS_PRECISION_INTEGER, NULL);
    g_object_unref(matrix);
    return made(failed, out);
}

// MARK: Squares

/// The means of a row of squares, one pixel each, from `rows` rows of pixels.
static void average(
    const uint8_t *in, size_t stride, int width, int rows, size_t bands, int side, uint8_t *means) {
    for (int left = 0; left < width; left += side) {
        int columns = VIPS_MIN(side, width - left);
        // 32 bits are enough for 1,000 × 1,000 samples of 8 bits.
        uint32_t sums[4] = {0}, count = (uint32_t)rows * columns;
        for (int y = 0; y < rows; y++) {
            const uint8_t *sample = in + y * stride + left * bands;
            for (int x = 0; x < columns; x++) {
                for (size_t i = 0; i < bands; i++) sums[i] += *sample++;
            }
        }
        for (size_t i = 0; i < bands; i++) *means++ = (sums[i] + count / 2) / count;
    }
}

cvips_image *cvips_pixelate(cvips_image *image, int side) {
    VipsImage *in = vips(image), *out = vips_image_new_memory();
    size_t bands = in->Bands, stride = VIPS_IMAGE_SIZEOF_LINE(in);
    int width = in->Xsize, height = in->Ysize;
    uint8_t *means = NULL;
    if (bands <= 4 && in->BandFmt == VIPS_FORMAT_UCHAR && side > 0 && side <= 1000 &&
        !vips_image_pipelinev(out, VIPS_DEMAND_STYLE_ANY, in, NULL) && !vips_image_write_prepare(out)) {
        means = VIPS_ARRAY(NULL, (width / side + 1) * bands, uint8_t);
    }
    if (!means) {
        g_object_unref(out);
        return NULL;
    }
    for (int top = 0; top < height; top += side) {
        int rows = VIPS_MIN(side, height - top);
        average(VIPS_IMAGE_ADDR(in, 0, top), stride, width, rows, bands, side, means);
        uint8_t *first = VIPS_IMAGE_ADDR(out, 0, top);
        for (int x = 0; x < width; x++) memcpy(first + x * bands, means + x / side * bands, bands);
        for (int y = 1; y < rows; y++) memcpy(first + y * stride, first, stride);
    }
    g_free(means);
    return ours(out);
}

// MARK: Lightness

static VipsImage *sharpened(VipsImage *image, const double *numbers) {
    VipsImage *out = NULL;
    int failed = vips_sharpen(image, &out, "sigma", numbers[0], "m1", numbers[1], "m2", numbers[2], NULL);
    return failed ? NULL : out;
}

cvips_image *cvips_sharpen(cvips_image *image, double sigma, double flat, double jagged) {
    return beside_alpha(vips(image), sharpened, (double[]){sigma, flat, jagged});
}

cvips_image *cvips_fill_clear(cvips_image *image, cvips_image *behind) {
    VipsImage *alpha = NULL, *chosen = NULL, *colours = NULL, *out = NULL;
    int last = vips(image)->Bands - 1;
    if (vips_extract_band(vips(image), &alpha, last, NULL)) return NULL;
    int failed = vips_ifthenelse(alpha, vips(image), vips(behind), &chosen, NULL) ||
        vips_extract_band(chosen, &colours, 0, "n", last, NULL) ||
        vips_bandjoin2(colours, alpha, &out, NULL);
    VIPS_UNREF(colours);
    VIPS_UNREF(chosen);
    g_object_unref(alpha);
    return failed ? NULL : bytes(out);
}

// MARK: The border

int cvips_find_trim(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found) {
    VipsArrayDouble *colour = vips_array_double_new(background, count);
    int failed = vips_find_trim(
        vips(image), &found->left, &found->top, &found->width, &found->height, "threshold", threshold,
        "background", colour, NULL);
    vips_area_unref(VIPS_AREA(colour));
    return failed;
}

static bool differs(const uint8_t *pixel, const double *background, int count, double threshold) {
    for (int i = 0; i < count; i++) {
        if (fabs(pixel[i] - background[i]) > threshold) return true;
    }
    return false;
}

int cvips_find_contents(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found) {
    VipsImage *in = vips(image);
    if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands != count || vips_image_wio_input(in)) return -1;
    int left = in->Xsize, top = 0, right = -1, bottom = -1;
    for (int y = 0; y < in->Ysize; y++) {
        const uint8_t *row = VIPS_IMAGE_ADDR(in, 0, y);
        int first = 0, last = in->Xsize - 1;
        while (first <= last && !differs(row + (size_t)first * count, background, count, threshold)) first++;
        if (first > last) continue;
        while (!differs(row + (size_t)last * count, background, count, threshold)) last--;
        left = VIPS_MIN(left, first);
        right = VIPS_MAX(right, last);
        if (bottom < 0) top = y;
        bottom = y;
    }
    *found = (cvips_area){0, 0, 0, 0};
    if (bottom >= 0) *found = (cvips_area){left, top, right - left + 1, bottom - top + 1};
    return 0;
}
