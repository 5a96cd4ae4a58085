// SPDX-License-Identifier: Apache-2.0
//
// The functions of libvips that Swift needs. No GLib type leaves this header: Swift sees opaque images, plain
// structs and typed functions.
//
// A function that makes an image returns NULL on failure; the others return 0 on success. cvips_take_error tells
// the reason of a failure. An image owns what it was made from, so the caller may release its own reference at
// once; a source must outlive every image that reads it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CEncoders.h"

typedef struct cvips_image cvips_image;
typedef struct cvips_source cvips_source;

// MARK: The process

/// A loader of libvips. Each reads its own format and no other.
typedef enum {
    CVIPS_JPEG, CVIPS_PNG, CVIPS_WEBP, CVIPS_GIF, CVIPS_HEIF, CVIPS_TIFF, CVIPS_SVG, CVIPS_JXL, CVIPS_PDF,
} cvips_loader;

/// Starts libvips with the HEIF module and those that the loaders need. Only these loaders work. To be called
/// once, before anything else allocates much.
int cvips_start(const cvips_loader *loaders, int count, bool writes_jxl);

/// Maps memory for the loops that ORC compiles, for a process that may not map code later. ORC maps one file twice, to write
/// and to execute. Forks would share the mapping, so each fork must call this after the start.
void cvips_reserve_code(void);

/// Returns freed memory to the kernel, if it is 4 MiB or more. To be called at the end of a job.
void cvips_release_memory(void);

/// The version of libvips, such as 8, 14, 1.
void cvips_version(int *major, int *minor, int *micro);

/// Writes the versions of the libraries that make pixels and files, besides libvips, to `buffer`, with a zero at the end:
/// `heif 1.15.1, av1-out aom 3.6.0, …`. The versions are those in use in this process. To be called after the start.
void cvips_library_versions(char *buffer, size_t size);

/// False for a librsvg that does not know `feDropShadow`.
bool cvips_draws_shadows(void);

/// False if the loader's module is not installed, or cvips_start was not asked for the loader.
bool cvips_has_loader(cvips_loader loader);
/// False if the JPEG XL module is not installed, or cvips_start was not asked to write JPEG XL.
bool cvips_can_save_jxl(void);

/// Bytes of pixels that libvips holds now; 0 between jobs.
size_t cvips_tracked_memory(void);

/// Copies the beginning of the error log to `buffer`, with a zero at the end, and clears the log.
void cvips_take_error(char *buffer, size_t size);

/// Adds a line to the error log.
void cvips_say_error(const char *words);

/// The number of messages that libraries wanted to print since the start. They are counted and not printed.
uint64_t cvips_warnings(void);

// MARK: Text

typedef enum { CVIPS_LEFT, CVIPS_CENTRE, CVIPS_RIGHT } cvips_side;

/// Draws plain text as a picture of its own: RGB and alpha, as large as its ink. Lines are broken after `width` pixels and
/// aligned to `side`. `font` is a Pango font description, such as `DejaVu Sans 24px`; `colour` is 0xRRGGBB. Fails if nothing
/// would be visible.
cvips_image *cvips_text(const char *text, const char *font, uint32_t colour, int width, cvips_side side);

// MARK: Loading

typedef struct {
    cvips_loader loader;
    /// Show the available part of a truncated file instead of failing.
    bool shows_damaged;
    /// The first frame or page to load, from 0 on. For GIF, WebP, TIFF and PDF.
    int page;
    /// The number of frames to load from that one on. For GIF and WebP.
    int pages;
    /// 1, 2, 4 or 8: decode at this fraction of the size, rounded down. For JPEG.
    int shrink;
    /// Decode at this scale. WebP: 0…1; SVG and PDF: from 0.001 on, relative to 72 pixels an inch.
    double scale;
    /// Load the embedded thumbnail; the picture itself if there is none. For HEIF.
    bool thumbnail;
} cvips_load_options;

/// The bytes are borrowed, not copied.
cvips_source *cvips_source_memory(const void *bytes, size_t length);
void cvips_source_release(cvips_source *source);

/// Reads the header now. Pixels are decoded when they are asked for, once and from top to bottom.
cvips_image *cvips_load(cvips_source *source, const cvips_load_options *options);

// MARK: Facts

typedef enum { CVIPS_SPACE_GREY, CVIPS_SPACE_RGB, CVIPS_SPACE_CMYK, CVIPS_SPACE_OTHER } cvips_space;

typedef struct {
    int width;
    /// The height of all loaded pages together.
    int height;
    int bands;
    cvips_space space;
    /// True for 8 bits a band in a space that needs no conversion before a resize.
    bool plain;
    bool alpha;
    /// The number of frames or pages in the file, whatever was loaded.
    int pages;
    /// Bits of the colour index if the file had a palette, else 0.
    int palette_bits;
} cvips_facts;

void cvips_describe(cvips_image *image, cvips_facts *facts);

/// The EXIF orientation, 1 to 8; for a TIFF that of the loaded page. 1 if none is given.
int cvips_orientation(cvips_image *image);

/// The embedded ICC profile, which lives as long as the image; NULL if there is none.
const void *cvips_profile(cvips_image *image, size_t *length);

/// The samples of a picture in memory with 8 bits a band, row by row. They live as long as the picture.
const void *cvips_samples(cvips_image *image, size_t *length);

void cvips_release(cvips_image *image);
/// Adds a reference, which the caller releases.
cvips_image *cvips_retain(cvips_image *image);

// MARK: Colour

/// Converts to 8 bits a band of sRGB, or of grey if there are fewer than three bands; alpha is kept.
cvips_image *cvips_to_plain(cvips_image *image);

/// Corrects a TIFF's page whose colours libvips has divided by alpha. With floating-point samples, libvips before 8.15 takes an
/// alpha of 1 for 1 of 255.
cvips_image *cvips_divided_light(cvips_image *image);

typedef enum {
    /// From the embedded profile, by the relative colorimetric intent. libvips ignores a profile that has
    /// tables, but none for the intent.
    CVIPS_PROFILE_EMBEDDED,
    /// From the embedded profile, by the perceptual intent.
    CVIPS_PROFILE_EMBEDDED_PERCEPTUAL,
    /// From libvips' built-in CMYK profile of an average press.
    CVIPS_PROFILE_PRESS,
} cvips_profile_choice;

/// Whether lcms can read the profile, and the profile's bands match the image.
bool cvips_is_profile_of(cvips_image *image, const uint8_t *bytes, size_t length);

/// Converts to sRGB, 8 bits a band; alpha is kept.
cvips_image *cvips_profile_to_srgb(cvips_image *image, cvips_profile_choice choice);
/// Converts to Display P3, 8 bits a band; alpha is kept.
cvips_image *cvips_profile_to_p3(cvips_image *image, cvips_profile_choice choice);

/// A gain as a function of light: `CVIPS_GAINS` factors over the square root of light, 0…√top. NULL means a
/// gain of 1.
#define CVIPS_GAINS 4096
typedef struct {
    const float *gains;
    float top;
} cvips_gain;

/// The conversion from samples to light and back. All tables are copied.
typedef struct {
    /// The light of each 12-bit sample: `CVIPS_LIGHTS` values.
#define CVIPS_LIGHTS 4096
    const float *light;
    /// The gain by luminance before the matrix: from scene light to display light.
    cvips_gain scene;
    /// The weights of red, green and blue in luminance.
    float luminance[3];
    /// The matrix to light of the result's primaries, row by row.
    float matrix[9];
    /// The gain by the largest of the three components after the matrix: into the result's range.
    cvips_gain range;
    /// The result's sample for each light of 0…1: `CVIPS_NUMBERS` values.
#define CVIPS_NUMBERS 16385
    const uint8_t *numbers;
} cvips_light;

/// Converts grey or RGB of 8 or 16 bits a band to 8 bits; alpha is kept.
cvips_image *cvips_convert_light(cvips_image *image, const cvips_light *light);

cvips_image *cvips_take_bands(cvips_image *image, int first, int count);
/// Appends an opaque alpha band.
cvips_image *cvips_add_alpha(cvips_image *image);
/// Appends the last band of another picture of the same size.
cvips_image *cvips_with_alpha_of(cvips_image *image, cvips_image *other);
/// Converts between grey and RGB; alpha is kept.
cvips_image *cvips_to_rgb(cvips_image *image);
cvips_image *cvips_to_grey(cvips_image *image);
/// Lays the picture on a colour and drops alpha. `colour` has a number of 0…255 for each remaining band.
cvips_image *cvips_flatten(cvips_image *image, const double *colour);
/// Multiplies the colours by alpha, and divides them. 2 or 4 bands of 8 bits; those that are divided may have 16.
cvips_image *cvips_premultiply(cvips_image *image);
cvips_image *cvips_unpremultiply(cvips_image *image);
/// The same for steps between them that overshoot. One more band has alpha with room for that: `cvips_room` of it.
cvips_image *cvips_premultiply_with_room(cvips_image *image);
cvips_image *cvips_unpremultiply_with_room(cvips_image *image);
double cvips_room(double alpha);
/// Makes wholly transparent pixels black.
cvips_image *cvips_clear(cvips_image *image);

// MARK: Shape

/// Reduces by Lanczos-3 and enlarges by a bicubic kernel. A factor of 1 keeps the size.
cvips_image *cvips_resize(cvips_image *image, double horizontal, double vertical);
cvips_image *cvips_crop(cvips_image *image, int left, int top, int width, int height);

/// Extends to a larger size by repeating the last pixels at the right and at the bottom.
cvips_image *cvips_extend(cvips_image *image, int width, int height);

/// Puts the picture on a larger canvas. The background has a number of 0…255 for each band.
cvips_image *cvips_embed(
    cvips_image *image, int left, int top, int width, int height, const double *background);

/// Repeats the image to the right and downwards, up to this size. The image has to be in memory.
cvips_image *cvips_tile(cvips_image *image, int width, int height);

/// Converts 8 bits of sRGB or grey to linear light in 16 bits, multiplied by alpha if there is one. Opaque alpha has room above
/// it for steps that overshoot.
cvips_image *cvips_to_linear(cvips_image *image);

/// The inverse of cvips_to_linear.
cvips_image *cvips_from_linear(cvips_image *image);

/// Finds the window of this size with the highest entropy. The image has to be in memory.
int cvips_entropy(cvips_image *image, int width, int height, int *left, int *top);

/// Turns clockwise by 1…3 quarter turns. The image has to be in memory.
cvips_image *cvips_turn(cvips_image *image, int quarters);
/// Mirrors left to right, or top to bottom if `vertical`, which needs the image in memory.
cvips_image *cvips_mirror(cvips_image *image, bool vertical);

/// Rotates clockwise by any angle, on the smallest canvas that holds the result. Colours, also those of the
/// background, have to be multiplied by alpha. The image has to be in memory.
cvips_image *cvips_rotate(cvips_image *image, double degrees, const double *background);

/// Joins `count` images of one size, one below the other.
cvips_image *cvips_join(cvips_image *const *images, int count);

/// Makes a frame from its pixels before the steps; the caller releases it. NULL on failure, which is in the
/// error log.
typedef cvips_image *(*cvips_make_frame)(void *context, cvips_image *pixels);

/// Joins `count` frames of the first one's size, one below the other. Each frame behind the first is made from its part of
/// the strip when its rows are asked for. `make` is called only once if its result can be computed again from other pixels.
/// The context is released with the image, or before NULL is returned. Rows must be read from top to bottom, as encoders do.
cvips_image *cvips_frames(
    cvips_image *first, cvips_image *strip, int count, cvips_make_frame make, void (*release)(void *context),
    void *context);

/// An animation in which each part stays as it was last shown while its difference is only noise; any other image is returned
/// unchanged. Whole rows must be read from top to bottom, as of `cvips_frames`.
cvips_image *cvips_steady(cvips_image *image);

/// Declares that the image consists of pages of this height; 0 means a single page.
cvips_image *cvips_set_page_height(cvips_image *image, int height);

/// The height of a page; of a single page that of the image.
int cvips_page_height(cvips_image *image);

/// Computes the pixels now, into memory.
cvips_image *cvips_to_memory(cvips_image *image);

/// The pixels in memory, for operations that read them in any order. Among the steps of a frame (`cvips_frames`) they are
/// computed again for each frame, so nothing but such operations may look at them.
cvips_image *cvips_buffered(cvips_image *image);

/// Copies samples, row by row from the top: grey or sRGB, with alpha or without.
cvips_image *cvips_from_memory(const uint8_t *bytes, int width, int height, int bands);

/// The samples of one pixel, at most four. The image has to be in memory.
int cvips_pixel(cvips_image *image, int x, int y, double values[4]);

// MARK: Effects

// All take and return 8 bits a band: grey or RGB, with alpha or without.

/// Maps each band by its table. `table` has `bands` numbers for each of 256 levels; an image of one band gets
/// as many bands as the table has.
cvips_image *cvips_map_levels(cvips_image *image, const uint8_t *table, int bands);

/// Multiplies RGB by a matrix, given row by row; alpha stays.
cvips_image *cvips_recombine(cvips_image *image, const double matrix[9]);

/// Changes colours in CIE LCh: factors of lightness and chroma, and degrees to add to the hue.
cvips_image *cvips_modulate(cvips_image *image, double lightness, double chroma, double hue);

/// Keeps the lightness of every pixel and sets a* and b*. The result is RGB without alpha.
cvips_image *cvips_tint(cvips_image *image, double a, double b);

/// A Gaussian blur. Alpha is blurred like the other bands, so colours have to be multiplied by it.
cvips_image *cvips_blur(cvips_image *image, double sigma);

/// A 3 × 3 convolution, divided by `scale`. Colours have to be multiplied by alpha.
cvips_image *cvips_convolve(cvips_image *image, const double kernel[9], double scale);

/// Replaces each square of this side by the mean of its pixels. Colours have to be multiplied by alpha. The
/// image has to be in memory.
cvips_image *cvips_pixelate(cvips_image *image, int side);

/// Sharpens the lightness only; alpha stays.
cvips_image *cvips_sharpen(cvips_image *image, double sigma, double flat, double jagged);

/// Takes the colours of wholly transparent pixels from `behind`. Both have to be in memory. Alpha stays.
cvips_image *cvips_fill_clear(cvips_image *image, cvips_image *behind);

typedef struct { int left, top, width, height; } cvips_area;

/// The box around all pixels that differ from the background by more than `threshold` in some band; empty if
/// there are none. Alpha, if any, is flattened on the background. `background` has `count` numbers, one for
/// each band. The image has to be in memory. A median of 3 × 3 pixels removes noise first, and with it lines
/// one pixel wide.
int cvips_find_trim(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found);

/// Like cvips_find_trim, for 8 bits a band and without the median, so that every pixel counts.
int cvips_find_contents(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found);

// MARK: One upon the other

/// Lays 4 bands on a colour of red, green, blue, alpha.
cvips_image *cvips_on_colour(cvips_image *image, const uint8_t colour[4]);

/// Lays 4 bands, with an opacity of 0…255, over 3 or 4 bands of the same size.
cvips_image *cvips_overlay(cvips_image *image, cvips_image *upper, uint8_t opacity);

/// Shows 4 bands where `coverage`, of one band, is 255, and the colour of red, green, blue, alpha where it is
/// 0.
cvips_image *cvips_mask(cvips_image *image, cvips_image *coverage, const uint8_t colour[4]);

// MARK: Pixels that others make

/// An image in memory of grey (one band) or sRGB (three), 8 bits a band. The caller writes the rows to `samples`, one
/// behind the other, before the image is used.
cvips_image *cvips_canvas(int width, int height, int bands, uint8_t **samples);

/// Attaches an ICC profile, which is copied. The image must not be in use yet.
void cvips_attach_profile(cvips_image *image, const uint8_t *bytes, size_t length);

/// The pixels per millimetre, across and down.
void cvips_density(cvips_image *image, double density[2]);

/// The image with these pixels per millimetre.
cvips_image *cvips_with_density(cvips_image *image, double across, double down);

// MARK: Watching

/// What happened in the operations before the watched image. It must outlive all images made from the watched
/// one.
typedef struct {
    /// Computing the pixels failed; all later failures follow from that.
    bool failed;
    /// Nanoseconds spent on computing pixels.
    int64_t nanoseconds;
} cvips_watch;

cvips_image *cvips_watched(cvips_image *image, cvips_watch *watch);

// MARK: Animation

/// Gets the delay of each frame of the file in milliseconds, whatever was loaded, up to `capacity`, and
/// returns their number. `loop`: how often the animation is played, 0 for ever.
int cvips_timing(cvips_image *image, int *delays, int capacity, int *loop);

/// Sets the delay of each frame and the loop count.
cvips_image *cvips_set_timing(cvips_image *image, const int *delays, int count, int loop);

// MARK: Likeness

/// Measures how alike two pictures of one size and 8 bits a band look: SSIMULACRA 2 divided by 100, mostly within 0.01;
/// 1 if they are equal, 0 at the least. Computes their pixels.
int cvips_likeness(cvips_image *one, cvips_image *other, double *likeness);

/// The share of pixels that equal their left neighbour in every band, of a picture in memory of 8 bits a band. 1 if
/// each row has one colour; 0 if the picture is one pixel wide or has more than `colours` colours, at most 4,096.
double cvips_flatness(cvips_image *image, int colours);

// MARK: Saving

/// A receiver of a bounded number of bytes: a descriptor, from its current position on, or memory.
typedef struct {
    int descriptor;
    /// True if the bytes go to `bytes` and not to the descriptor.
    bool collects;
    int64_t limit;
    int64_t length;
    bool over;
    /// The errno(3) of a failed write, else 0.
    int error;
    uint8_t *bytes;
    int64_t capacity;
} cvips_sink;

/// Writes everything or fails; the sink holds the reason.
int cvips_sink_write(cvips_sink *sink, const void *bytes, size_t length);

/// Frees the collected bytes.
void cvips_sink_clear(cvips_sink *sink);

typedef struct {
    /// 1…100.
    int quality;
    /// Chroma has half of luma's density on both axes.
    bool half_chroma;
    /// Optimise the Huffman codes for this picture.
    bool optimised;
    bool progressive;
} cvips_jpeg_options;

typedef struct {
    /// 0…9.
    int compression;
    /// Choose among all row filters for each row; false: use none.
    bool filter;
    /// Bits of a colour index, 1…8; 0 for true colour.
    int palette_bits;
    bool interlaced;
} cvips_png_options;

typedef struct {
    /// 1…10.
    int effort;
    /// The share of the error that is spread over the neighbours, 0…1. Ignored if all frames share a palette.
    double dither;
    bool interlaced;
} cvips_gif_options;

/// Options for WebP, AVIF and JPEG XL.
typedef struct {
    /// 1…100.
    int quality;
    /// WebP 0…6, AVIF 0…9, JPEG XL 1…9.
    int effort;
    bool lossless;
    /// Chroma has half of luma's density on both axes. For lossy AVIF.
    bool half_chroma;
    /// 0…100; 100 is lossless. For WebP.
    int alpha_quality;
    /// For AVIF.
    cencoders_notes notes;
} cvips_web_options;

typedef struct {
    /// 1…100: JPEG in the file; 0: lossless LZW.
    int quality;
} cvips_tiff_options;

int cvips_save_jpeg(cvips_image *image, cvips_sink *sink, const cvips_jpeg_options *options);
int cvips_save_png(cvips_image *image, cvips_sink *sink, const cvips_png_options *options);
int cvips_save_gif(cvips_image *image, cvips_sink *sink, const cvips_gif_options *options);
int cvips_save_avif(cvips_image *image, cvips_sink *sink, const cvips_web_options *options);
int cvips_save_tiff(cvips_image *image, cvips_sink *sink, const cvips_tiff_options *options);
int cvips_save_jxl(cvips_image *image, cvips_sink *sink, const cvips_web_options *options);
/// Encodes to memory, because libvips 8.14 writes metadata that have to be removed. The caller frees the
/// bytes with cvips_free.
int cvips_save_webp(cvips_image *image, void **bytes, size_t *length, const cvips_web_options *options);
void cvips_free(void *bytes);
