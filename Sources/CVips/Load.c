// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"

cvips_source *cvips_source_memory(const void *bytes, size_t length) {
    return (cvips_source *)vips_source_new_from_memory(bytes, length);
}

void cvips_source_release(cvips_source *source) { g_object_unref(source); }

// The options that every loader gets.
#define COMMON                                                                                          \
    "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",                                                        \
        options->shows_damaged ? VIPS_FAIL_ON_NONE : VIPS_FAIL_ON_TRUNCATED

// Newer versions of libvips make libraries stop early at limits of their own. These limits are lifted, because headers are
// checked against the picture limits before a loader is called, and the decoder process bounds what a job takes.

// From libvips 8.18.3 on, libheif reads only 16 items of a file, or 256 with `unlimited`; a telephone's photograph has an item
// for each of its tiles, and as many for its gain map. Before, the option only raises the longest side.
static cvips_image *load_heif(VipsSource *source, const cvips_load_options *options) {
    VipsImage *out = NULL;
    int failed = vips_heifload_source(
        source, &out, COMMON, "thumbnail", options->thumbnail, "unlimited", is_since(8, 18, 3), NULL);
    return made(failed, out);
}

// From libvips 8.17 on, which has the option, libtiff may hold only 50 MB without it, and a single strip may
// be the whole picture.
static cvips_image *load_tiff(VipsSource *source, const cvips_load_options *options) {
    VipsImage *out = NULL;
    int failed = is_since(8, 17, 0)
        ? vips_tiffload_source(source, &out, COMMON, "page", options->page, "unlimited", TRUE, NULL)
        : vips_tiffload_source(source, &out, COMMON, "page", options->page, NULL);
    return made(failed, out);
}

// Floating-point samples as numbers of 16 bits, white and opaque at 65,535 instead of 1. They are coded as the profile describes, but
// libvips takes those of RGB for linear light of sRGB, and those of grey for 0…255.
static VipsImage *in_whole_numbers(VipsImage *image) {
    VipsInterpretation space = image->Bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
    VipsImage *wide = NULL, *whole = NULL, *out = NULL;
    int failed = vips_linear1(image, &wide, 65535, 0.5, NULL) || vips_cast(wide, &whole, VIPS_FORMAT_USHORT, NULL) ||
        vips_copy(whole, &out, "interpretation", space, NULL);
    VIPS_UNREF(whole);
    VIPS_UNREF(wide);
    return failed ? NULL : out;
}

static cvips_image *load_jxl(VipsSource *source, const cvips_load_options *options) {
    VipsImage *loaded = NULL;
    if (vips_jxlload_source(source, &loaded, COMMON, NULL)) return NULL;
    if (loaded->BandFmt != VIPS_FORMAT_FLOAT) return ours(loaded);
    VipsImage *whole = in_whole_numbers(loaded);
    g_object_unref(loaded);
    return ours(whole);
}

cvips_image *cvips_load(cvips_source *opaque, const cvips_load_options *options) {
    VipsSource *source = (VipsSource *)opaque;
    VipsImage *out = NULL;
    switch (options->loader) {
    case CVIPS_JPEG:
        return made(vips_jpegload_source(source, &out, COMMON, "shrink", options->shrink, NULL), out);
    case CVIPS_PNG:
        return made(vips_pngload_source(source, &out, COMMON, NULL), out);
    case CVIPS_WEBP:
        return made(vips_webpload_source(
            source, &out, COMMON, "page", options->page, "n", options->pages, "scale", options->scale, NULL), out);
    case CVIPS_GIF:
        return made(vips_gifload_source(
            source, &out, COMMON, "page", options->page, "n", options->pages, NULL), out);
    case CVIPS_HEIF:
        return load_heif(source, options);
    case CVIPS_TIFF:
        return load_tiff(source, options);
    case CVIPS_SVG:
        return made(vips_svgload_source(source, &out, COMMON, "scale", options->scale, NULL), out);
    case CVIPS_JXL:
        return load_jxl(source, options);
    case CVIPS_PDF:
        return made(vips_pdfload_source(
            source, &out, COMMON, "page", options->page, "scale", options->scale, NULL), out);
    }
    return NULL;
}

void cvips_release(cvips_image *image) { g_object_unref(image); }

cvips_image *cvips_retain(cvips_image *image) { return g_object_ref(image); }

// MARK: Facts

static cvips_space space_of(VipsImage *image) {
    switch (vips_image_guess_interpretation(image)) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16: return CVIPS_SPACE_GREY;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16: return CVIPS_SPACE_RGB;
    case VIPS_INTERPRETATION_CMYK: return CVIPS_SPACE_CMYK;
    default: return CVIPS_SPACE_OTHER;
    }
}

void cvips_describe(cvips_image *opaque, cvips_facts *facts) {
    VipsImage *image = vips(opaque);
    facts->width = image->Xsize;
    facts->height = image->Ysize;
    facts->bands = image->Bands;
    facts->space = space_of(image);
    facts->plain = image->Coding == VIPS_CODING_NONE && image->BandFmt == VIPS_FORMAT_UCHAR &&
        (image->Type == VIPS_INTERPRETATION_sRGB || image->Type == VIPS_INTERPRETATION_B_W);
    facts->alpha = vips_image_hasalpha(image);
    facts->pages = vips_image_get_n_pages(image);
    facts->palette_bits = 0;
    if (vips_image_get_typeof(image, "palette-bit-depth")) {
        vips_image_get_int(image, "palette-bit-depth", &facts->palette_bits);
    }
}

int cvips_orientation(cvips_image *image) { return vips_image_get_orientation(vips(image)); }

const void *cvips_profile(cvips_image *image, size_t *length) {
    const void *bytes = NULL;
    *length = 0;
    if (!vips_image_get_typeof(vips(image), VIPS_META_ICC_NAME)) return NULL;
    return vips_image_get_blob(vips(image), VIPS_META_ICC_NAME, &bytes, length) ? NULL : bytes;
}

const void *cvips_samples(cvips_image *opaque, size_t *length) {
    VipsImage *image = vips(opaque);
    if (image->BandFmt != VIPS_FORMAT_UCHAR || vips_image_wio_input(image)) return NULL;
    *length = VIPS_IMAGE_SIZEOF_IMAGE(image);
    return VIPS_IMAGE_ADDR(image, 0, 0);
}
