// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEncoders.h"
#include "Internal.h"

// The function by which each library tells its version, as text or as a number. Some libraries belong to a module, others to
// other builds of libvips; a library that is absent has no entry in the list. libexif cannot tell its version and has no
// entry either.
static const struct { const char *name, *function; bool is_number; } libraries[] = {
    {"png", "png_access_version_number", true},
    {"spng", "spng_version_string", false},
    {"zlib", "zlibVersion", false},
    {"tiff", "TIFFGetVersion", false},
    {"imagequant", "liq_version", true},
    {"lcms", "cmsGetEncodedCMMversion", true},
    {"cairo", "cairo_version_string", false},
    {"pixman", "pixman_version_string", false},
    {"pango", "pango_version_string", false},
    {"harfbuzz", "hb_version_string", false},
    {"fontconfig", "FcGetVersion", true},
    {"orc", "orc_version_string", false},
    {"jxl", "JxlEncoderVersion", true},
    {"poppler", "poppler_get_version", false},
};

// librsvg has three variables instead of a function.
static void add_rsvg(char *buffer, size_t size) {
    const unsigned *major = find_symbol("rsvg_major_version");
    const unsigned *minor = find_symbol("rsvg_minor_version");
    const unsigned *micro = find_symbol("rsvg_micro_version");
    if (!major || !minor || !micro) return;
    char words[48];
    snprintf(words, sizeof words, "%u.%u.%u", *major, *minor, *micro);
    cencoders_add_version(buffer, size, "rsvg", words);
}

bool cvips_draws_shadows(void) {
    const unsigned *major = find_symbol("rsvg_major_version");
    const unsigned *minor = find_symbol("rsvg_minor_version");
    return !major || !minor || *major > 2 || *minor >= 56;
}

// FreeType tells its version only after its initialisation.
static void add_freetype(char *buffer, size_t size) {
    int (*start)(void **) = (int (*)(void **))find_symbol("FT_Init_FreeType");
    int (*end)(void *) = (int (*)(void *))find_symbol("FT_Done_FreeType");
    void (*tell)(void *, int *, int *, int *) = (void (*)(void *, int *, int *, int *))find_symbol("FT_Library_Version");
    void *library = NULL;
    if (!start || !end || !tell || start(&library) || !library) return;
    int major = 0, minor = 0, patch = 0;
    tell(library, &major, &minor, &patch);
    end(library);
    char words[48];
    snprintf(words, sizeof words, "%d.%d.%d", major, minor, patch);
    cencoders_add_version(buffer, size, "freetype", words);
}

// cgif has neither a variable nor a function for its version, but the name of its file, libcgif.so.0.3.0, contains it. The name
// is read when the process starts, just after the file was mapped.
static void add_cgif(char *buffer, size_t size) {
    void *symbol = find_symbol("cgif_newgif");
    Dl_info library;
    char path[PATH_MAX];
    if (!symbol || !dladdr(symbol, &library) || !library.dli_fname || !realpath(library.dli_fname, path)) return;
    const char *version = strstr(path, "libcgif.so.");
    if (version) cencoders_add_version(buffer, size, "cgif", version + strlen("libcgif.so."));
}

void cvips_library_versions(char *buffer, size_t size) {
    if (!size) return;
    buffer[0] = 0;
    cencoders_add_versions(buffer, size);
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        void *function = find_symbol(libraries[i].function);
        if (!function) continue;
        if (libraries[i].is_number) {
            cencoders_add_number(buffer, size, libraries[i].name, ((unsigned (*)(void))function)());
        } else {
            cencoders_add_version(buffer, size, libraries[i].name, ((const char *(*)(void))function)());
        }
    }
    add_rsvg(buffer, size);
    add_freetype(buffer, size);
    add_cgif(buffer, size);
}
