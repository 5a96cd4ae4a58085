// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"

// With scRGB, whose light is 0…1, alpha is 0…1 as well. libvips before 8.15 takes it for 0…255.
static bool mistakes_alpha(VipsImage *image) {
    return image->Type == VIPS_INTERPRETATION_scRGB && image->Bands >= 4 && !is_since(8, 15, 0);
}

/// Multiplies the first three bands by `colours` and the others by `alpha`.
static VipsImage *multiplied(VipsImage *image, double colours, double alpha) {
    double *factors = VIPS_ARRAY(NULL, image->Bands, double), *none = VIPS_ARRAY(NULL, image->Bands, double);
    VipsImage *out = NULL;
    for (int i = 0; i < image->Bands; i++) {
        factors[i] = i < 3 ? colours : alpha;
        none[i] = 0;
    }
    int failed = vips_linear(image, &out, factors, none, image->Bands, NULL);
    g_free(factors);
    g_free(none);
    return failed ? NULL : out;
}

cvips_image *cvips_divided_light(cvips_image *image) {
    return mistakes_alpha(vips(image)) ? ours(multiplied(vips(image), 1.0 / 255, 1)) : cvips_retain(image);
}

// CIELAB in a TIFF has signed 16-bit numbers. libvips reads the alpha beside them as signed too, which would make opaque pixels
// invisible. This converts alpha to 0…255.
static VipsImage *without_sign_of_alpha(VipsImage *image) {
    VipsImage *colours = NULL, *rest = NULL, *plain = NULL, *bytes = NULL, *joined = NULL, *out = NULL;
    int failed = vips_extract_band(image, &colours, 0, "n", 3, NULL) ||
        vips_extract_band(image, &rest, 3, "n", image->Bands - 3, NULL) ||
        vips_copy(rest, &plain, "format", VIPS_FORMAT_USHORT, NULL) ||
        vips_linear1(plain, &bytes, 1.0 / 257, 0.5, NULL) ||
        vips_bandjoin2(colours, bytes, &joined, NULL) || vips_cast(joined, &out, VIPS_FORMAT_SHORT, NULL);
    VIPS_UNREF(joined);
    VIPS_UNREF(bytes);
    VIPS_UNREF(plain);
    VIPS_UNREF(rest);
    VIPS_UNREF(colours);
    return failed ? NULL : out;
}

// Rescales alpha that libvips would misread; opaque pixels would become invisible.
static VipsImage *with_wide_alpha(VipsImage *image) {
    if (mistakes_alpha(image)) return multiplied(image, 1, 255);
    bool has_sign = image->Type == VIPS_INTERPRETATION_LABS && image->BandFmt == VIPS_FORMAT_SHORT;
    return has_sign && image->Bands > 3 ? without_sign_of_alpha(image) : g_object_ref(image);
}

cvips_image *cvips_to_plain(cvips_image *image) {
    VipsInterpretation space =
        vips(image)->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    VipsImage *in = with_wide_alpha(vips(image)), *converted = NULL, *out = NULL;
    if (!in) return NULL;
    int refused = vips_colourspace(in, &converted, space, NULL);
    g_object_unref(in);
    if (refused) return NULL;
    // libvips keeps the sample type if it takes the image for this space already.
    int failed = vips_cast(converted, &out, VIPS_FORMAT_UCHAR, NULL);
    g_object_unref(converted);
    return made(failed, out);
}

static cvips_image *profile_to(cvips_image *image, cvips_profile_choice choice, const char *target) {
    VipsImage *converted = NULL, *out = NULL;
    VipsIntent intent = choice == CVIPS_PROFILE_EMBEDDED_PERCEPTUAL ? VIPS_INTENT_PERCEPTUAL : VIPS_INTENT_RELATIVE;
    if (vips_icc_transform(
            vips(image), &converted, target, "embedded", choice != CVIPS_PROFILE_PRESS, "input_profile",
            choice == CVIPS_PROFILE_PRESS ? "cmyk" : NULL, "intent", intent, "black_point_compensation", TRUE, "depth",
            8, NULL)) {
        return NULL;
    }
    // The attached profile describes the samples before the conversion.
    int failed = vips_copy(converted, &out, NULL);
    g_object_unref(converted);
    if (!failed) vips_image_remove(out, VIPS_META_ICC_NAME);
    return made(failed, out);
}

cvips_image *cvips_profile_to_srgb(cvips_image *image, cvips_profile_choice choice) {
    return profile_to(image, choice, "srgb");
}

cvips_image *cvips_profile_to_p3(cvips_image *image, cvips_profile_choice choice) {
    return profile_to(image, choice, "p3");
}

bool cvips_is_profile_of(cvips_image *image, const uint8_t *bytes, size_t length) {
    return vips_icc_is_compatible_profile(vips(image), bytes, length);
}

cvips_image *cvips_take_bands(cvips_image *image, int first, int count) {
    VipsImage *taken = NULL, *out = NULL;
    if (vips_extract_band(vips(image), &taken, first, "n", count, NULL)) return NULL;
    int failed = count < 3 ? vips_copy(taken, &out, "interpretation", VIPS_INTERPRETATION_B_W, NULL)
                           : vips_copy(taken, &out, NULL);
    g_object_unref(taken);
    return made(failed, out);
}

cvips_image *cvips_add_alpha(cvips_image *image) {
    VipsImage *out = NULL;
    return made(vips_addalpha(vips(image), &out, NULL), out);
}

cvips_image *cvips_with_alpha_of(cvips_image *image, cvips_image *other) {
    VipsImage *alpha = NULL, *out = NULL;
    if (vips_extract_band(vips(other), &alpha, vips(other)->Bands - 1, NULL)) return NULL;
    int failed = vips_bandjoin2(vips(image), alpha, &out, NULL);
    g_object_unref(alpha);
    return made(failed, out);
}

cvips_image *cvips_to_rgb(cvips_image *image) {
    VipsImage *out = NULL;
    return made(vips_colourspace(vips(image), &out, VIPS_INTERPRETATION_sRGB, NULL), out);
}

cvips_image *cvips_to_grey(cvips_image *image) {
    VipsImage *out = NULL;
    return made(vips_colourspace(vips(image), &out, VIPS_INTERPRETATION_B_W, NULL), out);
}

cvips_image *cvips_flatten(cvips_image *image, const double *colour) {
    VipsImage *out = NULL;
    VipsArrayDouble *background = vips_array_double_new(colour, vips(image)->Bands > 2 ? 3 : 1);
    int failed = vips_flatten(vips(image), &out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return made(failed, out);
}
