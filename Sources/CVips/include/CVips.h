// SPDX-License-Identifier: Apache-2.0
//
// What Swift needs of libvips. No glib type leaves this header: Swift sees opaque images, plain structs and typed
// functions.
//
// A function that makes an image returns NULL when it fails; the others return 0 when they succeed. Why
// something failed is told by cvips_take_error. An image owns what it was made from, so the caller may
// release its own reference at once; a source must outlive every image that reads it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CEncoders.h"

typedef struct cvips_image cvips_image;
typedef struct cvips_source cvips_source;

// MARK: The process

/// A loader of libvips, which reads a format by that name and no other.
typedef enum {
    CVIPS_JPEG, CVIPS_PNG, CVIPS_WEBP, CVIPS_GIF, CVIPS_HEIF, CVIPS_TIFF, CVIPS_SVG, CVIPS_JXL, CVIPS_PDF,
} cvips_loader;

/// Starts libvips with the HEIF module, those that the loaders need, and no other. No loader works but these.
/// To be called once, before anything else allocates much.
int cvips_start(const cvips_loader *loaders, int count, bool writes_jxl);

/// Maps the room for the loops that ORC compiles, so that a process can that maps no code later. ORC maps it twice, to write
/// and to execute, from one file: forks would share it, so it is to be called in each of them, after the start.
void cvips_reserve_code(void);

/// Gives freed memory back to the kernel, if it is 4 MiB or more. To be called at the end of a job.
void cvips_release_memory(void);

/// 8, 14, 1.
void cvips_version(int *major, int *minor, int *micro);

/// Writes the versions of the libraries beside libvips that pixels and files come from to `buffer`, and a zero: `heif 1.15.1,
/// av1-out aom 3.6.0, …`. They are those that are in use in this process. To be called after the start.
void cvips_library_versions(char *buffer, size_t size);

/// False for a librsvg that knows no `feDropShadow`.
bool cvips_draws_shadows(void);

/// False where its module is not installed, or the loader was not asked for.
bool cvips_has_loader(cvips_loader loader);
/// False where the module of JPEG XL is not installed, or nobody asked for its loader.
bool cvips_can_save_jxl(void);

/// Bytes of pixels that libvips holds now; 0 between jobs.
size_t cvips_tracked_memory(void);

/// Copies the error log's last lines to `buffer`, ends them with a zero, and empties the log.
void cvips_take_error(char *buffer, size_t size);

/// Adds a line to the error log.
void cvips_say_error(const char *words);

/// What libraries wanted to print to the terminal since the start. They are counted and not printed.
uint64_t cvips_warnings(void);

// MARK: Text

typedef enum { CVIPS_LEFT, CVIPS_CENTRE, CVIPS_RIGHT } cvips_side;

/// Writes plain text into a picture of its own: RGB and alpha, as large as its ink. Lines are broken after `width`
/// pixels and begin, lie in the middle or end at `side`. `font` is a description of Pango, as `DejaVu Sans 24px`; `colour` is
/// 0xRRGGBB. Fails where nothing is to be seen.
cvips_image *cvips_text(const char *text, const char *font, uint32_t colour, int width, cvips_side side);

// MARK: Loading

typedef struct {
    cvips_loader loader;
    /// Give what there is of a file that is cut short, instead of failing.
    bool shows_damaged;
    /// The first frame or page to load, from 0 on. GIF, WebP, TIFF and PDF.
    int page;
    /// Frames to load, from that one on. GIF and WebP.
    int pages;
    /// 1, 2, 4 or 8: decode at this part of the size, rounded down. JPEG.
    int shrink;
    /// Decode at this size. WebP: 0…1; SVG and PDF: from 0.001, of 72 pixels an inch.
    double scale;
    /// Load the embedded thumbnail; the picture itself where there is none. HEIF.
    bool thumbnail;
} cvips_load_options;

/// The bytes are borrowed.
cvips_source *cvips_source_memory(const void *bytes, size_t length);
void cvips_source_release(cvips_source *source);

/// Reads the header now and the pixels when they are asked for, from top to bottom and once.
cvips_image *cvips_load(cvips_source *source, const cvips_load_options *options);

// MARK: Facts

typedef enum { CVIPS_SPACE_GREY, CVIPS_SPACE_RGB, CVIPS_SPACE_CMYK, CVIPS_SPACE_OTHER } cvips_space;

typedef struct {
    int width;
    /// The height of all loaded pages together.
    int height;
    int bands;
    cvips_space space;
    /// 8 bits a band, in a space that needs no conversion before it is resized.
    bool plain;
    bool alpha;
    /// Frames or pages in the file, whatever was loaded.
    int pages;
    /// Bits of the colour index where the file had a palette, else 0.
    int palette_bits;
} cvips_facts;

void cvips_describe(cvips_image *image, cvips_facts *facts);

/// How the picture is stored, by EXIF's numbers: 1 to 8, of a TIFF as the loaded page says; 1 where nothing is said.
int cvips_orientation(cvips_image *image);

/// The embedded ICC profile, which lives as long as the image; NULL where there is none.
const void *cvips_profile(cvips_image *image, size_t *length);

/// The samples of a picture in memory with 8 bits a band, row by row; they live as long as the picture.
const void *cvips_samples(cvips_image *image, size_t *length);

void cvips_release(cvips_image *image);
/// One more reference, to be released.
cvips_image *cvips_retain(cvips_image *image);

// MARK: Colour

/// To 8 bits a band of sRGB, or of grey where there are fewer than three bands; alpha is kept.
cvips_image *cvips_to_plain(cvips_image *image);

/// A page of a TIFF whose colours libvips has divided by its alpha, as they are meant: of floating-point numbers libvips before 8.15
/// takes an alpha of 1 for 1 of 255.
cvips_image *cvips_divided_light(cvips_image *image);

typedef enum {
    /// From the embedded profile, by relative colorimetric intent. libvips leaves a profile aside that has
    /// tables, but none for the intent.
    CVIPS_PROFILE_EMBEDDED,
    /// From the embedded profile, by perceptual intent.
    CVIPS_PROFILE_EMBEDDED_PERCEPTUAL,
    /// From libvips' own profile of an average press.
    CVIPS_PROFILE_PRESS,
} cvips_profile_choice;

/// Whether lcms reads the profile, and it speaks of as many bands as the image has.
bool cvips_is_profile_of(cvips_image *image, const uint8_t *bytes, size_t length);

/// To sRGB, 8 bits a band; alpha is kept.
cvips_image *cvips_profile_to_srgb(cvips_image *image, cvips_profile_choice choice);
/// To Display P3, the same way.
cvips_image *cvips_profile_to_p3(cvips_image *image, cvips_profile_choice choice);

/// A gain by light: `CVIPS_GAINS` numbers over the square root of light, 0…√top; NULL: 1.
#define CVIPS_GAINS 4096
typedef struct {
    const float *gains;
    float top;
} cvips_gain;

/// How numbers become light and light numbers. All tables are copied.
typedef struct {
    /// Light by number, of 12 bits: `CVIPS_LIGHTS` of them.
#define CVIPS_LIGHTS 4096
    const float *light;
    /// What a gain by luminance is before the matrix: the display's light from the scene's.
    cvips_gain scene;
    /// The parts of red, green and blue in luminance.
    float luminance[3];
    /// To the light of the result's primaries, row by row.
    float matrix[9];
    /// What a gain by the largest of the three is behind the matrix: into the result's range.
    cvips_gain range;
    /// The result's numbers by their light, 0…1: `CVIPS_NUMBERS` of them.
#define CVIPS_NUMBERS 16385
    const uint8_t *numbers;
} cvips_light;

/// Grey or RGB of 8 or 16 bits a band, to 8 bits; alpha is kept.
cvips_image *cvips_convert_light(cvips_image *image, const cvips_light *light);

cvips_image *cvips_take_bands(cvips_image *image, int first, int count);
/// Appends an opaque alpha band.
cvips_image *cvips_add_alpha(cvips_image *image);
/// Appends the last band of another picture of the same size.
cvips_image *cvips_with_alpha_of(cvips_image *image, cvips_image *other);
/// Between grey and RGB; alpha is kept.
cvips_image *cvips_to_rgb(cvips_image *image);
cvips_image *cvips_to_grey(cvips_image *image);
/// Puts the picture on a colour and drops alpha. A number for each band that remains, 0…255.
cvips_image *cvips_flatten(cvips_image *image, const double *colour);
/// Multiplies the colours by alpha, and back. 2 or 4 bands of 8 bits.
cvips_image *cvips_premultiply(cvips_image *image);
cvips_image *cvips_unpremultiply(cvips_image *image);
/// Makes what is wholly transparent black.
cvips_image *cvips_clear(cvips_image *image);

// MARK: Shape

/// Lanczos-3 downwards, bicubic upwards. The factors are 1 at the same size.
cvips_image *cvips_resize(cvips_image *image, double horizontal, double vertical);
cvips_image *cvips_crop(cvips_image *image, int left, int top, int width, int height);

/// To a larger size: the last pixels at the right and at the bottom are repeated.
cvips_image *cvips_extend(cvips_image *image, int width, int height);

/// Upon a larger canvas. The background has a number for each band, 0…255.
cvips_image *cvips_embed(
    cvips_image *image, int left, int top, int width, int height, const double *background);

/// Repeated to the right and downwards, up to this size. The image has to be in memory.
cvips_image *cvips_tile(cvips_image *image, int width, int height);

/// 8 bits of sRGB or grey as light in 16 bits, multiplied by alpha if there is one.
cvips_image *cvips_to_linear(cvips_image *image);

/// The way back.
cvips_image *cvips_from_linear(cvips_image *image);

/// Where the part of this size with the highest entropy lies. The image has to be in memory.
int cvips_entropy(cvips_image *image, int width, int height, int *left, int *top);

/// Quarter turns clockwise, 1…3. The image has to be in memory.
cvips_image *cvips_turn(cvips_image *image, int quarters);
/// Left to right, or (`vertical`, which needs the image in memory) top to bottom.
cvips_image *cvips_mirror(cvips_image *image, bool vertical);

/// Clockwise by any angle, upon the smallest canvas that holds the result. Colours have to be multiplied by
/// alpha, those of the background as well. The image has to be in memory.
cvips_image *cvips_rotate(cvips_image *image, double degrees, const double *background);

/// One below the other; `count` images of one size.
cvips_image *cvips_join(cvips_image *const *images, int count);

/// Makes a frame of its pixels before the steps, for its caller to release; NULL: it cannot, and has said why.
typedef cvips_image *(*cvips_make_frame)(void *context, cvips_image *pixels);

/// `count` frames of the first one's size, one below the other, each behind the first made of its part of the
/// strip when its rows are asked for. `make` is called once where what it returns can be made anew of other
/// pixels. The context is released with the image, or before NULL is returned. Encoders ask for its rows from top to bottom.
cvips_image *cvips_frames(
    cvips_image *first, cvips_image *strip, int count, cvips_make_frame make, void (*release)(void *context),
    void *context);

/// The animation with each part whose difference is only noise left as it was last shown; any other image unchanged. Whole rows
/// must be asked of it from top to bottom, as of `cvips_frames`.
cvips_image *cvips_steady(cvips_image *image);

/// Says that the image is made of pages of this height; 0: that it is one page.
cvips_image *cvips_set_page_height(cvips_image *image, int height);

/// Makes the pixels now.
cvips_image *cvips_to_memory(cvips_image *image);

/// Copies the bytes, row by row from the top: grey or sRGB, with alpha or without.
cvips_image *cvips_from_memory(const uint8_t *bytes, int width, int height, int bands);

/// The numbers of one pixel, at most four. The image has to be in memory.
int cvips_pixel(cvips_image *image, int x, int y, double values[4]);

// MARK: Effects

// 8 bits a band in and out: grey or RGB, with alpha or without.

/// Each band through its table. `table` has `bands` numbers for each of 256 levels; an image of one band
/// takes as many bands as the table has.
cvips_image *cvips_map_levels(cvips_image *image, const uint8_t *table, int bands);

/// RGB × a matrix, row by row; alpha stays.
cvips_image *cvips_recombine(cvips_image *image, const double matrix[9]);

/// In CIE LCh: factors of lightness and chroma, degrees to add to the hue.
cvips_image *cvips_modulate(cvips_image *image, double lightness, double chroma, double hue);

/// The lightness of every pixel, with these a* and b*. The result is RGB without alpha.
cvips_image *cvips_tint(cvips_image *image, double a, double b);

/// Gaussian. Alpha is a band like the others, so colours have to be multiplied by it.
cvips_image *cvips_blur(cvips_image *image, double sigma);

/// 3 × 3, divided by `scale`; of alpha as above.
cvips_image *cvips_convolve(cvips_image *image, const double kernel[9], double scale);

/// Each square of this side becomes the mean of its pixels; of alpha as above. The image has to be in memory.
cvips_image *cvips_pixelate(cvips_image *image, int side);

/// The lightness only; alpha stays.
cvips_image *cvips_sharpen(cvips_image *image, double sigma, double flat, double jagged);

/// Takes the colours of what is wholly transparent from `behind`, which is in memory as the image is. Alpha
/// stays.
cvips_image *cvips_fill_clear(cvips_image *image, cvips_image *behind);

typedef struct { int left, top, width, height; } cvips_area;

/// The box around all that is further than `threshold` from the background in some band; empty where there is
/// nothing. Alpha, if any, is flattened on the background. `count` numbers, a band each. The image has to be
/// in memory. A median of 3 × 3 pixels comes first, so that noise is looked over, and with it lines of a pixel.
int cvips_find_trim(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found);

/// The same, of 8 bits a band and without the median: every pixel counts.
int cvips_find_contents(
    cvips_image *image, double threshold, const double *background, int count, cvips_area *found);

// MARK: One upon the other

/// 4 bands on red, green, blue, alpha.
cvips_image *cvips_on_colour(cvips_image *image, const uint8_t colour[4]);

/// 4 bands, times `opacity` of 255, over 3 or 4 bands of the same size.
cvips_image *cvips_overlay(cvips_image *image, cvips_image *upper, uint8_t opacity);

/// 4 bands where the one band of `coverage` is 255, and red, green, blue, alpha where it is 0.
cvips_image *cvips_mask(cvips_image *image, cvips_image *coverage, const uint8_t colour[4]);

// MARK: Pixels that others make

/// An image in memory of grey (one band) or sRGB (three), 8 bits a band. `samples` is where its rows belong, one behind
/// the other; they have to be there before the image is used.
cvips_image *cvips_canvas(int width, int height, int bands, uint8_t **samples);

/// Attaches an ICC profile, which is copied. The image must not be in use yet.
void cvips_attach_profile(cvips_image *image, const uint8_t *bytes, size_t length);

/// Takes the pixels per millimetre from `other`. The image must not be in use yet.
void cvips_take_density(cvips_image *image, cvips_image *other);

// MARK: Watching

/// What happened above a place in the chain. It must outlive the images that are made from the watched one.
typedef struct {
    /// The pixels could not be made: whatever fails afterwards fails because of it.
    bool failed;
    /// Time spent in making pixels.
    int64_t nanoseconds;
} cvips_watch;

cvips_image *cvips_watched(cvips_image *image, cvips_watch *watch);

// MARK: Animation

/// The milliseconds that each frame of the file is shown, whatever was loaded of it, up to `capacity`; how
/// many they are. `loop`: how often it is played, 0 for ever.
int cvips_timing(cvips_image *image, int *delays, int capacity, int *loop);

/// Says how long each frame is shown and how often all are.
cvips_image *cvips_set_timing(cvips_image *image, const int *delays, int count, int loop);

// MARK: Likeness

/// How like two pictures of one size, 8 bits a band, look: SSIMULACRA 2 in hundredths, within 0.01 mostly; 1 where they
/// are equal, 0 at the least. Makes their pixels.
int cvips_likeness(cvips_image *one, cvips_image *other, double *likeness);

/// The share of pixels that equal their left neighbour in every band, of a picture in memory of 8 bits a band: 1
/// where each row is of one colour, 0 where the picture is one pixel wide or has more than so many colours, at most
/// 4,096.
double cvips_flatness(cvips_image *image, int colours);

// MARK: Saving

/// What takes a bounded number of bytes: a descriptor, from its current position on, or memory.
typedef struct {
    int descriptor;
    /// `bytes` takes them, and not the descriptor.
    bool collects;
    int64_t limit;
    int64_t length;
    bool over;
    /// errno(3) of a write that failed, else 0.
    int error;
    uint8_t *bytes;
    int64_t capacity;
} cvips_sink;

/// Writes everything or fails; the sink knows why.
int cvips_sink_write(cvips_sink *sink, const void *bytes, size_t length);

/// Lets go of collected bytes.
void cvips_sink_clear(cvips_sink *sink);

typedef struct {
    /// 1…100.
    int quality;
    /// Chroma has half of luma's density on both axes.
    bool half_chroma;
    /// Codes made for this picture.
    bool optimised;
    bool progressive;
} cvips_jpeg_options;

typedef struct {
    /// 0…9.
    int compression;
    /// Try every row filter; else none.
    bool filter;
    /// Bits of a colour index, 1…8; 0 for true colour.
    int palette_bits;
    bool interlaced;
} cvips_png_options;

typedef struct {
    /// 1…10.
    int effort;
    /// How much of the error is spread over the neighbours, 0…1. Nothing is, where all frames share a palette.
    double dither;
    bool interlaced;
} cvips_gif_options;

/// WebP, AVIF and JPEG XL.
typedef struct {
    /// 1…100.
    int quality;
    /// WebP 0…6, AVIF 0…9, JPEG XL 1…9.
    int effort;
    bool lossless;
    /// As of JPEG. AVIF with loss.
    bool half_chroma;
    /// 0…100; 100 is lossless. WebP.
    int alpha_quality;
    /// For AVIF.
    cencoders_notes notes;
} cvips_web_options;

typedef struct {
    /// 1…100, as JPEG in the file; 0: exact, by LZW.
    int quality;
} cvips_tiff_options;

int cvips_save_jpeg(cvips_image *image, cvips_sink *sink, const cvips_jpeg_options *options);
int cvips_save_png(cvips_image *image, cvips_sink *sink, const cvips_png_options *options);
int cvips_save_gif(cvips_image *image, cvips_sink *sink, const cvips_gif_options *options);
int cvips_save_avif(cvips_image *image, cvips_sink *sink, const cvips_web_options *options);
int cvips_save_tiff(cvips_image *image, cvips_sink *sink, const cvips_tiff_options *options);
int cvips_save_jxl(cvips_image *image, cvips_sink *sink, const cvips_web_options *options);
/// To memory, because what libvips 8.14 writes has to be cleaned of metadata. Freed by cvips_free.
int cvips_save_webp(cvips_image *image, void **bytes, size_t *length, const cvips_web_options *options);
void cvips_free(void *bytes);
