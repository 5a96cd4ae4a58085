// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "Internal.h"

// libvips 8.14's own enlargement shifts the result by half of its pixels to the right and down. Here the centre of
// the first pixel stays the centre of the area that it becomes.
static cvips_image *enlarge(VipsImage *image, double horizontal, double vertical) {
    VipsInterpolate *bicubic = vips_interpolate_new("bicubic");
    if (!bicubic) return NULL;
    int size[4] = {0, 0, (int)rint(image->Xsize * horizontal), (int)rint(image->Ysize * vertical)};
    VipsArrayInt *area = vips_array_int_new(size, 4);
    double x = horizontal > 1 ? 0.5 : 0, y = vertical > 1 ? 0.5 : 0;
    VipsImage *out = NULL;
    int failed = vips_affine(
        image, &out, horizontal, 0.0, 0.0, vertical, "interpolate", bicubic, "idx", x, "idy", y, "odx", -x, "ody",
        -y, "oarea", area, "extend", VIPS_EXTEND_COPY, "premultiplied", TRUE, NULL);
    vips_area_unref(VIPS_AREA(area));
    g_object_unref(bicubic);
    return made(failed, out);
}

// By default, vips_resize() averages boxes of pixels down to twice the target size before its kernel, which is slower
// than the kernel alone and aliases. Measured over 6 megapixels: reducing the sides to a quarter takes 31 ms instead of
// 306, to an eighth 20 instead of 191, to a sixteenth 95 instead of 119, each with 3 to 6 dB less error. Beyond that,
// boxes are cheaper.
static const double widest_kernel = 16;

/// What Lanczos leaves of white, whose bits are all set, along a row or a column: the least sample. −1 on failure.
static double measure_white(VipsBandFormat format, int length, double factor, bool down) {
    size_t size = (size_t)length * vips_format_sizeof(format);
    uint8_t *samples = g_malloc(size);
    memset(samples, 255, size);
    VipsImage *white = vips_image_new_from_memory_copy(samples, size, down ? 1 : length, down ? length : 1, 1, format);
    VipsImage *reduced = NULL;
    g_free(samples);
    if (!white) return -1;
    double least = -1;
    if (!vips_resize(
            white, &reduced, down ? 1 : factor, "vscale", down ? factor : 1, "kernel", VIPS_KERNEL_LANCZOS3, "gap",
            widest_kernel, NULL)) {
        if (vips_min(reduced, &least, NULL)) least = -1;
        g_object_unref(reduced);
    }
    g_object_unref(white);
    return least;
}

/// As `measure_white`, which takes 2 ms: longer than the frames of an animation take to be reduced, and they all ask the same.
static double white_left(VipsBandFormat format, int length, double factor, bool down) {
    enum { KNOWN = 32 };
    static _Thread_local struct {
        VipsBandFormat format;
        int length;
        double factor;
        bool down;
        double left;
    } known[KNOWN];
    static _Thread_local unsigned count;
    for (int i = 0; i < KNOWN; i++) {
        if (known[i].length == length && known[i].factor == factor && known[i].format == format && known[i].down == down) {
            return known[i].left;
        }
    }
    double left = measure_white(format, length, factor, down);
    if (left < 0) return left;
    unsigned next = count++ % KNOWN;
    known[next].format = format;
    known[next].length = length;
    known[next].factor = factor;
    known[next].down = down;
    known[next].left = left;
    return left;
}

// libvips cuts the weights of a kernel off after 12 bits, so those of many pixels sum up to less than 1: white would become 253,
// and opaque pixels transparent by as much. From this factor down, samples are multiplied by what is missing. In 8 bits
// that costs some of the others half a level, so it is done only where more is lost.
static double least_exact(VipsBandFormat format) { return format == VIPS_FORMAT_USHORT ? 1.0 / 2 : 1.0 / 8; }

/// The picture that was made of `image` by these factors, with all of its white. The caller keeps `reduced`.
static VipsImage *with_white(VipsImage *image, VipsImage *reduced, double horizontal, double vertical) {
    VipsBandFormat format = image->BandFmt;
    if (format != VIPS_FORMAT_UCHAR && format != VIPS_FORMAT_USHORT) return g_object_ref(reduced);
    double white = format == VIPS_FORMAT_USHORT ? 65535 : 255;
    double across = white_left(format, image->Xsize, horizontal, false);
    double down = white_left(format, image->Ysize, vertical, true);
    if (across <= 0 || down <= 0) return NULL;
    double missing = white * white / (across * down);
    if (missing <= 1) return g_object_ref(reduced);
    VipsImage *floats = NULL, *out = NULL;
    // The cast cuts off, and ends at white.
    if (vips_linear1(reduced, &floats, missing, 0.5, NULL)) return NULL;
    int failed = vips_cast(floats, &out, format, NULL);
    g_object_unref(floats);
    return failed ? NULL : out;
}

cvips_image *cvips_resize(cvips_image *image, double horizontal, double vertical) {
    VipsImage *shrunk = NULL;
    double gap = fmin(horizontal, vertical) * widest_kernel >= 1 ? widest_kernel : 2;
    if (vips_resize(
            vips(image), &shrunk, fmin(horizontal, 1), "vscale", fmin(vertical, 1), "kernel",
            VIPS_KERNEL_LANCZOS3, "gap", gap, NULL)) {
        return NULL;
    }
    if (gap == widest_kernel && fmin(horizontal, vertical) < least_exact(vips(image)->BandFmt)) {
        VipsImage *whole = with_white(vips(image), shrunk, fmin(horizontal, 1), fmin(vertical, 1));
        g_object_unref(shrunk);
        if (!whole) return NULL;
        shrunk = whole;
    }
    if (horizontal <= 1 && vertical <= 1) return ours(shrunk);
    cvips_image *out = enlarge(shrunk, fmax(horizontal, 1), fmax(vertical, 1));
    g_object_unref(shrunk);
    return out;
}

cvips_image *cvips_crop(cvips_image *image, int left, int top, int width, int height) {
    VipsImage *out = NULL;
    return made(vips_extract_area(vips(image), &out, left, top, width, height, NULL), out);
}

cvips_image *cvips_extend(cvips_image *image, int width, int height) {
    VipsImage *out = NULL;
    return made(vips_embed(vips(image), &out, 0, 0, width, height, "extend", VIPS_EXTEND_COPY, NULL), out);
}

cvips_image *cvips_embed(
    cvips_image *image, int left, int top, int width, int height, const double *background) {
    VipsImage *out = NULL;
    VipsArrayDouble *colour = vips_array_double_new(background, vips(image)->Bands);
    int failed = vips_embed(
        vips(image), &out, left, top, width, height, "extend", VIPS_EXTEND_BACKGROUND, "background", colour, NULL);
    vips_area_unref(VIPS_AREA(colour));
    return made(failed, out);
}

// Repeats the image as often as the area needs; the last copies are not cut. An image that covers the area stays as
// it is.
static VipsImage *repeated(VipsImage *image, int width, int height) {
    int across = VIPS_ROUND_UP(width, image->Xsize) / image->Xsize;
    int down = VIPS_ROUND_UP(height, image->Ysize) / image->Ysize;
    if (across == 1 && down == 1) return g_object_ref(image);
    VipsImage *out = NULL;
    return vips_replicate(image, &out, across, down, NULL) ? NULL : out;
}

// vips_replicate() draws the image once for each copy, so a single pixel takes 75 times longer than rows of many. The image is
// therefore repeated up to this side first, in pixels.
enum { least_tile = 64 };

cvips_image *cvips_tile(cvips_image *image, int width, int height) {
    VipsImage *several = repeated(vips(image), VIPS_MIN(width, least_tile), VIPS_MIN(height, least_tile));
    if (!several) return NULL;
    // Copies an image that was repeated. An image that was large enough is in memory already and is not
    // copied.
    VipsImage *tile = vips(cvips_to_memory(ours(several)));
    g_object_unref(several);
    if (!tile) return NULL;
    VipsImage *whole = repeated(tile, width, height), *out = NULL;
    g_object_unref(tile);
    if (!whole) return NULL;
    int failed = vips_extract_area(whole, &out, 0, 0, width, height, NULL);
    g_object_unref(whole);
    return made(failed, out);
}

// vips_affine() alone turns the picture around the middle of its first pixel, and makes a canvas for a turn around that pixel's
// corner: the picture lies up to a pixel aside, and loses as much at one edge. Here the middles of picture and canvas meet.
cvips_image *cvips_rotate(cvips_image *image, double degrees, const double *background) {
    VipsInterpolate *bicubic = vips_interpolate_new("bicubic");
    if (!bicubic) return NULL;
    double cosine = cos(VIPS_RAD(degrees)), sine = sin(VIPS_RAD(degrees));
    double width = vips(image)->Xsize, height = vips(image)->Ysize;
    int size[4] = {
        0, 0, (int)round(fabs(cosine) * width + fabs(sine) * height),
        (int)round(fabs(sine) * width + fabs(cosine) * height)};
    double right = (size[2] - (cosine * width - sine * height)) / 2;
    double down = (size[3] - (sine * width + cosine * height)) / 2;
    VipsArrayInt *area = vips_array_int_new(size, 4);
    VipsArrayDouble *colour = vips_array_double_new(background, vips(image)->Bands);
    VipsImage *out = NULL;
    int failed = vips_affine(
        vips(image), &out, cosine, -sine, sine, cosine, "interpolate", bicubic, "idx", 0.5, "idy", 0.5, "odx",
        right - 0.5, "ody", down - 0.5, "oarea", area, "background", colour, "extend", VIPS_EXTEND_BACKGROUND,
        "premultiplied", TRUE, NULL);
    vips_area_unref(VIPS_AREA(colour));
    vips_area_unref(VIPS_AREA(area));
    g_object_unref(bicubic);
    return made(failed, out);
}

// Colours premultiplied by alpha, as bytes of an image that libvips takes for one without alpha. libvips would
// premultiply by itself, but into floats, whose histograms have 65,536 bins a channel: the same levels in 60 MB and
// three times the time.
static VipsImage *multiplied_bytes(VipsImage *image) {
    VipsImage *floats = NULL, *whole = NULL, *out = NULL;
    if (!vips_image_hasalpha(image) || image->BandFmt != VIPS_FORMAT_UCHAR) return g_object_ref(image);
    if (vips_premultiply(image, &floats, NULL)) return NULL;
    int failed = vips_cast(floats, &whole, VIPS_FORMAT_UCHAR, NULL);
    g_object_unref(floats);
    if (failed) return NULL;
    failed = vips_copy(whole, &out, "interpretation", VIPS_INTERPRETATION_MULTIBAND, NULL);
    g_object_unref(whole);
    return failed ? NULL : out;
}

int cvips_entropy(cvips_image *image, int width, int height, int *left, int *top) {
    VipsImage *in = multiplied_bytes(vips(image)), *out = NULL;
    if (!in) return -1;
    int failed = vips_smartcrop(in, &out, width, height, "interesting", VIPS_INTERESTING_ENTROPY, NULL);
    g_object_unref(in);
    if (failed) return -1;
    // A cropped image's offsets hold its position, negated.
    *left = -out->Xoffset;
    *top = -out->Yoffset;
    g_object_unref(out);
    return 0;
}

cvips_image *cvips_turn(cvips_image *image, int quarters) {
    static const VipsAngle angles[] = {VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270};
    VipsImage *out = NULL;
    return made(vips_rot(vips(image), &out, angles[quarters & 3], NULL), out);
}

cvips_image *cvips_mirror(cvips_image *image, bool vertical) {
    VipsImage *out = NULL;
    return made(vips_flip(
        vips(image), &out, vertical ? VIPS_DIRECTION_VERTICAL : VIPS_DIRECTION_HORIZONTAL, NULL), out);
}

cvips_image *cvips_join(cvips_image *const *images, int count) {
    VipsImage *out = NULL;
    return made(vips_arrayjoin((VipsImage **)images, &out, count, "across", 1, NULL), out);
}

cvips_image *cvips_set_page_height(cvips_image *image, int height) {
    VipsImage *out = NULL;
    if (vips_copy(vips(image), &out, NULL)) return NULL;
    vips_image_remove(out, VIPS_META_N_PAGES);
    vips_image_remove(out, VIPS_META_PAGE_HEIGHT);
    if (height > 0) vips_image_set_int(out, VIPS_META_PAGE_HEIGHT, height);
    return ours(out);
}

int cvips_page_height(cvips_image *image) { return vips_image_get_page_height(vips(image)); }

cvips_image *cvips_to_memory(cvips_image *image) {
    cvips_pixels_made_at_once++;
    return ours(vips_image_copy_memory(vips(image)));
}

cvips_image *cvips_from_memory(const uint8_t *bytes, int width, int height, int bands) {
    VipsImage *image = vips_image_new_from_memory_copy(
        bytes, (size_t)width * height * bands, width, height, bands, VIPS_FORMAT_UCHAR);
    if (image && bands >= 3) image->Type = VIPS_INTERPRETATION_sRGB;
    return ours(image);
}

cvips_image *cvips_canvas(int width, int height, int bands, uint8_t **samples) {
    VipsImage *image = vips_image_new_memory();
    vips_image_init_fields(
        image, width, height, bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
        bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, 1, 1);
    if (vips_image_write_prepare(image)) {
        g_object_unref(image);
        return NULL;
    }
    *samples = VIPS_IMAGE_ADDR(image, 0, 0);
    return ours(image);
}

void cvips_attach_profile(cvips_image *image, const uint8_t *bytes, size_t length) {
    vips_image_set_blob_copy(vips(image), VIPS_META_ICC_NAME, bytes, length);
}

void cvips_density(cvips_image *image, double density[2]) {
    density[0] = vips(image)->Xres;
    density[1] = vips(image)->Yres;
}

cvips_image *cvips_with_density(cvips_image *image, double across, double down) {
    VipsImage *out = NULL;
    return made(vips_copy(vips(image), &out, "xres", across, "yres", down, NULL), out);
}

int cvips_pixel(cvips_image *image, int x, int y, double values[4]) {
    double *found = NULL;
    int count = 0;
    if (vips_getpoint(vips(image), &found, &count, x, y, NULL)) return -1;
    for (int i = 0; i < count && i < 4; i++) values[i] = found[i];
    g_free(found);
    return 0;
}
