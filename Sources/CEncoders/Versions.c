// SPDX-License-Identifier: Apache-2.0
// Versions as the libraries in the running process report them. Headers would tell the versions at build time, and files
// those installed by now.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>
#include <libheif/heif.h>
#include <webp/encode.h>

#include "CEncoders.h"

void cencoders_add_version(char *buffer, size_t size, const char *name, const char *words) {
    if (!words) return;
    // Takes the last word of the first line, as in "libde265 HEVC decoder, version 1.0.11" and "LIBTIFF, Version
    // 4.5.0\nCopyright …".
    int length = (int)strcspn(words, "\n"), start = length;
    while (start > 0 && words[start - 1] != ' ') start--;
    if (start < length && words[start] == 'v') start++;
    size_t used = strnlen(buffer, size);
    snprintf(buffer + used, size - used, "%s%s %.*s", used ? ", " : "", name, length - start, words + start);
}

void cencoders_add_number(char *buffer, size_t size, const char *name, unsigned number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    cencoders_add_version(buffer, size, name, digits);
}

// MARK: libheif

static void add_coder(char *buffer, size_t size, const char *way, const char *id, const char *words) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", way, id ? id : "coder");
    cencoders_add_version(buffer, size, name, words);
}

// Of several coders, libheif uses the first.
static void add_decoder(char *buffer, size_t size, const char *way, enum heif_compression_format format) {
    const struct heif_decoder_descriptor *decoder;
    if (heif_get_decoder_descriptors(format, &decoder, 1) < 1) return;
    add_coder(
        buffer, size, way, heif_decoder_descriptor_get_id_name(decoder), heif_decoder_descriptor_get_name(decoder));
}

static void add_heif(char *buffer, size_t size) {
    cencoders_add_version(buffer, size, "heif", heif_get_version());
    const struct heif_encoder_descriptor *encoder;
    if (heif_get_encoder_descriptors(heif_compression_AV1, NULL, &encoder, 1) > 0) {
        add_coder(
            buffer, size, "av1-out", heif_encoder_descriptor_get_id_name(encoder),
            heif_encoder_descriptor_get_name(encoder));
    }
    add_decoder(buffer, size, "av1-in", heif_compression_AV1);
    add_decoder(buffer, size, "hevc-in", heif_compression_HEVC);
}

// MARK: libjpeg

// libjpeg-turbo has no function for its version. Its messages contain the version of the interface and, in the copyright,
// the year of the release. mozjpeg, which can take its place and writes other files, is recognised by a function that only
// it has. A libjpeg whose methods cannot be replaced has no trellis and writes other files as well, so it gets a third
// name.
static void add_jpeg(char *buffer, size_t size) {
    struct jpeg_error_mgr messages;
    jpeg_std_error(&messages);
    const char *version = messages.jpeg_message_table[JMSG_VERSION];
    const char *years = messages.jpeg_message_table[JMSG_COPYRIGHT];
    years += strcspn(years, "0123456789");
    char words[32];
    snprintf(
        words, sizeof words, "%.*s/%.*s", (int)strcspn(version, " "), version, (int)strspn(years, "0123456789-"), years);
    bool is_mozjpeg = dlsym(RTLD_DEFAULT, "jpeg_c_set_bool_param") != NULL;
    const char *name = is_mozjpeg ? "mozjpeg" : cjpeg_has_trellis() ? "jpeg" : "jpeg-rounding";
    cencoders_add_version(buffer, size, name, words);
}

// MARK: All

void cencoders_add_versions(char *buffer, size_t size) {
    add_heif(buffer, size);
    int webp = WebPGetEncoderVersion();
    char words[32];
    snprintf(words, sizeof words, "%d.%d.%d", webp >> 16 & 0xFF, webp >> 8 & 0xFF, webp & 0xFF);
    cencoders_add_version(buffer, size, "webp", words);
    add_jpeg(buffer, size);
}
