// SPDX-License-Identifier: Apache-2.0
//
// One palette for all frames of a GIF. libvips makes a new palette for each frame whose colours drift from the earlier ones.
// That costs 768 bytes a frame and the time to compute it, and changes colours in parts that stay the same. Frames of one
// scene mostly look as good with a shared palette. The shared palette is computed from a sample of all frames, and used only
// if it shows the sample well; the pictures of a slide show keep their own palettes.
//
// The sample has pixels at equal distances in each frame, and one pixel of each kind of colour that is not among those, so
// that small details keep their colours. libvips computes the palette, for the sample as a still picture.
//
// All frames are held in memory, because the palette needs the last frame and the frames are made only once.
#include <math.h>
#include <string.h>

#include "Internal.h"

enum {
    /// With fewer frames or pixels, little can be saved.
    least_frames = 4,
    least_pixels = 1 << 14,
    /// The most bytes of frames that are held.
    most_held = 64 << 20,
    /// The most pixels at equal distances in the sample; one in `spread_share` of all pixels is taken.
    most_spread = 1 << 16,
    spread_share = 8,
    /// The bits of a channel that distinguish kinds of colours.
    kind_bits = 5,
    kinds = 1 << 3 * kind_bits,
    sample_width = 256,
    /// A GIF that libvips writes has 255 colours, of which the first is transparent.
    most_colours = 254,
    /// From this alpha on, libvips takes a pixel for opaque.
    opaque = 128,
    /// Bytes of a GIF before its colour table.
    file_head = 13,
};

/// Errors are means of squared differences in a channel. At 48 dB nobody sees a difference; the limits are 34 dB, and 31 dB for
/// kinds of colours with few pixels.
static const double unseen_error = 1, greatest_error = 26, greatest_kind_error = 52;
/// The largest squared distance between a pixel and its palette colour, red, green and blue together. Beyond it the hue changes, which
/// a mean error hides if the area is small. Photographs whose frames share a palette well had distances of at most 60.
enum { greatest_distance = 80 * 80 };
/// How much larger than with a frame's own palette, without dither, the error with the shared palette may be. The dither of
/// frames with their own palettes has a factor of 1.2.
static const double most_loss = 1.5;

typedef struct {
    int red[most_colours], green[most_colours], blue[most_colours], count;
} colours;

typedef struct {
    VipsImage *in;
    int height, frames;
    /// Opaque pixels as RGBA: those of each frame in turn, then one of each further kind.
    uint8_t *pixels;
    int length;
    /// For each frame, the end of its pixels.
    int *ends;
    /// The number of pixels of each kind.
    int count[kinds];
} frame_sample;

static int kind_of(const uint8_t *pixel) {
    int shift = 8 - kind_bits;
    return (pixel[0] >> shift << 2 * kind_bits) | (pixel[1] >> shift << kind_bits) | pixel[2] >> shift;
}

static void add(frame_sample *sample, const uint8_t *pixel) {
    if (sample->in->Bands == 4 && pixel[3] < opaque) return;
    uint8_t *to = sample->pixels + 4 * (size_t)sample->length++;
    memcpy(to, pixel, 3);
    to[3] = 255;
    sample->count[kind_of(pixel)]++;
}

static int64_t spread_over(const frame_sample *sample, int step) {
    return (int64_t)((sample->in->Xsize - 1) / step + 1) * ((sample->height - 1) / step + 1) * sample->frames;
}

static void take_sample(frame_sample *sample) {
    VipsImage *in = sample->in;
    int64_t most = VIPS_MAX(VIPS_MIN(most_spread, (int64_t)in->Xsize * in->Ysize / spread_share), sample->frames);
    int step = 1;
    while (spread_over(sample, step) > most) step++;
    sample->pixels = g_malloc(4 * ((size_t)spread_over(sample, step) + kinds + sample_width));
    sample->ends = g_new(int, sample->frames);
    for (int frame = 0; frame < sample->frames; frame++) {
        // Each frame is sampled at other places, so that all of a still area is sampled.
        int left = frame % VIPS_MIN(step, in->Xsize), top = frame / step % VIPS_MIN(step, sample->height);
        for (int y = top; y < sample->height; y += step)
            for (int x = left; x < in->Xsize; x += step) add(sample, VIPS_IMAGE_ADDR(in, x, frame * sample->height + y));
        sample->ends[frame] = sample->length;
    }
    for (int y = 0; y < in->Ysize; y++) {
        const uint8_t *pixel = VIPS_IMAGE_ADDR(in, 0, y);
        for (int x = 0; x < in->Xsize; x++, pixel += in->Bands)
            if (sample->count[kind_of(pixel)] == 0) add(sample, pixel);
    }
}

/// Whether the first colour of a GIF's table stands for transparency; `at` is the offset of the table's end.
static gboolean has_transparent(const uint8_t *file, size_t length, size_t at) {
    // An extension has a mark, a label, and sub-blocks that begin with their length; a length of 0 ends it.
    while (at + 4 <= length && file[at] == 0x21) {
        if (file[at + 1] == 0xf9) return file[at + 3] & 1;
        for (at += 2; at < length && file[at] > 0; at += 1 + file[at]) {
        }
        at++;
    }
    return FALSE;
}

/// The palette that libvips makes for a still picture, without the transparent colour.
static int read_palette(VipsImage *still, int effort, colours *palette) {
    void *bytes = NULL;
    size_t length = 0;
    if (vips_gifsave_buffer(still, &bytes, &length, "effort", effort, "dither", 0.0, NULL)) return -1;
    const uint8_t *file = bytes;
    // The table's size is a power of two, filled up with black.
    int size = length > file_head && file[10] & 0x80 ? 2 << (file[10] & 7) : 0;
    size_t end = file_head + 3 * (size_t)size;
    palette->count = 0;
    if (length < end) size = 0;
    for (int i = size > 0 && has_transparent(file, length, end); i < size && palette->count < most_colours; i++) {
        const uint8_t *colour = file + file_head + 3 * i;
        int at = palette->count++;
        palette->red[at] = colour[0], palette->green[at] = colour[1], palette->blue[at] = colour[2];
    }
    g_free(bytes);
    return palette->count > 0 ? 0 : -1;
}

static int find_palette(VipsImage *pixels, int effort, colours *palette) {
    VipsImage *still = NULL;
    if (vips_copy(pixels, &still, NULL)) return -1;
    vips_image_remove(still, VIPS_META_PAGE_HEIGHT);
    int failed = read_palette(still, effort, palette);
    g_object_unref(still);
    return failed;
}

static int palette_of_sample(frame_sample *sample, int effort, colours *palette) {
    int height = sample->length / sample_width + 1;
    size_t room = (size_t)height * sample_width;
    memset(sample->pixels + 4 * (size_t)sample->length, 0, 4 * (room - sample->length));
    VipsImage *image =
        vips_image_new_from_memory(sample->pixels, 4 * room, sample_width, height, 4, VIPS_FORMAT_UCHAR);
    if (!image) return -1;
    image->Type = VIPS_INTERPRETATION_sRGB;
    int failed = find_palette(image, effort, palette);
    g_object_unref(image);
    return failed;
}

static int palette_of_frame(frame_sample *sample, int frame, int effort, colours *palette) {
    VipsImage *image = NULL;
    if (vips_crop(sample->in, &image, 0, frame * sample->height, sample->in->Xsize, sample->height, NULL)) return -1;
    int failed = find_palette(image, effort, palette);
    g_object_unref(image);
    return failed;
}

static int distance(const uint8_t *pixel, const colours *palette) {
    int least = G_MAXINT;
    for (int i = 0; i < palette->count; i++) {
        int red = palette->red[i] - pixel[0], green = palette->green[i] - pixel[1], blue = palette->blue[i] - pixel[2];
        int square = red * red + green * green + blue * blue;
        least = VIPS_MIN(least, square);
    }
    return least;
}

/// The mean squared error of pixels; infinite if a pixel is too far from every colour.
static double error_between(const frame_sample *sample, int first, int end, const colours *palette) {
    double sum = 0;
    for (int i = first; i < end; i++) {
        int square = distance(sample->pixels + 4 * (size_t)i, palette);
        if (square > greatest_distance) return INFINITY;
        sum += square;
    }
    return end > first ? sum / (3.0 * (end - first)) : 0;
}

/// The error of a frame's pixels in the sample.
static double error_of(const frame_sample *sample, int frame, const colours *palette) {
    return error_between(sample, frame > 0 ? sample->ends[frame - 1] : 0, sample->ends[frame], palette);
}

/// The error of the kinds of colours that only small or short-lived details have.
static double error_of_kinds(const frame_sample *sample, const colours *palette) {
    return error_between(sample, sample->ends[sample->frames - 1], sample->length, palette);
}

/// How rare the kinds of a frame's pixels are in the sample.
static double rarity_of(const frame_sample *sample, int frame) {
    int first = frame > 0 ? sample->ends[frame - 1] : 0, end = sample->ends[frame];
    double sum = 0;
    for (int i = first; i < end; i++) sum += 1.0 / sample->count[kind_of(sample->pixels + 4 * (size_t)i)];
    return end > first ? sum / (end - first) : 0;
}

static gboolean loses_little(frame_sample *sample, int frame, double error, int effort) {
    colours own;
    if (error <= unseen_error) return TRUE;
    return !palette_of_frame(sample, frame, effort, &own) && error <= error_of(sample, frame, &own) * most_loss;
}

/// Checks the frame with the largest error, and the one that is least like the others.
static gboolean shows_all(frame_sample *sample, int effort, const colours *palette) {
    int worst = 0, rarest = 0;
    double *errors = g_new(double, sample->frames), most_rare = 0;
    for (int frame = 0; frame < sample->frames; frame++) {
        double rarity = rarity_of(sample, frame);
        errors[frame] = error_of(sample, frame, palette);
        if (errors[frame] > errors[worst]) worst = frame;
        if (rarity > most_rare) rarest = frame, most_rare = rarity;
    }
    gboolean is_good = errors[worst] <= greatest_error && error_of_kinds(sample, palette) <= greatest_kind_error &&
        loses_little(sample, worst, errors[worst], effort) &&
        (rarest == worst || loses_little(sample, rarest, errors[rarest], effort));
    g_free(errors);
    return is_good;
}

/// False also on failure; the frames then have palettes of their own.
static gboolean find_shared(frame_sample *sample, int effort, colours *palette) {
    take_sample(sample);
    return sample->length > 0 && !palette_of_sample(sample, effort, palette) && shows_all(sample, effort, palette);
}

static void set_palette(VipsImage *image, const colours *palette) {
    int entries[most_colours];
    for (int i = 0; i < palette->count; i++) {
        uint8_t rgba[] = {palette->red[i], palette->green[i], palette->blue[i], 255};
        memcpy(&entries[i], rgba, sizeof rgba);
    }
    vips_image_set_array_int(image, "gif-palette", entries, palette->count);
}

static gboolean may_share(VipsImage *in, int height) {
    int64_t pixels = (int64_t)in->Xsize * in->Ysize;
    return is_since(8, 14, 0) && in->BandFmt == VIPS_FORMAT_UCHAR && in->Type == VIPS_INTERPRETATION_sRGB &&
        (in->Bands == 3 || in->Bands == 4) && in->Ysize / height >= least_frames && pixels >= least_pixels &&
        pixels * in->Bands <= most_held;
}

VipsImage *with_shared_palette(VipsImage *in, int effort, bool *is_shared) {
    int height = vips_image_get_page_height(in);
    VipsImage *held = NULL, *out = NULL;
    *is_shared = false;
    if (!may_share(in, height)) return g_object_ref(in);
    if (!(held = vips_image_copy_memory(in))) return NULL;
    frame_sample *sample = g_new0(frame_sample, 1);
    colours palette;
    *sample = (frame_sample){.in = held, .height = height, .frames = in->Ysize / height};
    *is_shared = find_shared(sample, effort, &palette);
    g_free(sample->ends);
    g_free(sample->pixels);
    g_free(sample);
    if (!*is_shared) {
        vips_error_clear();
        return held;
    }
    // An image that was in memory already is not ours to modify, so this is a copy.
    int failed = vips_copy(held, &out, NULL);
    g_object_unref(held);
    if (failed) return NULL;
    set_palette(out, &palette);
    return out;
}
