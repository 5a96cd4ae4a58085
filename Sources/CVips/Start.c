// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <iconv.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "CEncoders.h"
#include "Internal.h"

// MARK: Messages

static atomic_uint_fast64_t warnings;

// Messages are counted and not printed, because one damaged PNG makes 400 lines.
static void count_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
    if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) atomic_fetch_add(&warnings, 1);
}

// The same for structured messages. GLib's own writer would look for the journal's socket, by a call that the jail
// refuses.
static GLogWriterOutput count_fields(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    count_message(NULL, level, NULL, data);
    return G_LOG_WRITER_HANDLED;
}

uint64_t cvips_warnings(void) { return atomic_load(&warnings); }

void cvips_take_error(char *buffer, size_t size) {
    if (size > 0) {
        // The first lines name the cause, the later ones its consequences.
        strncpy(buffer, vips_error_buffer(), size - 1);
        buffer[size - 1] = 0;
    }
    vips_error_clear();
}

void cvips_say_error(const char *words) { vips_error("pictor", "%s", words); }

// MARK: Modules

// libvips loads every module in its folder, and with them ImageMagick, OpenSlide and poppler. With VIPSHOME
// set to a place that does not exist, libvips finds none, and the wanted modules are opened by hand, from the
// folder beside the library in use. A libvips with a module's code built in has no such file and needs none.
static void *modules[4];

static void load_module(const char *name) {
    Dl_info library;
    void *symbol = dlsym(RTLD_DEFAULT, "vips_init");
    if (!symbol || !dladdr(symbol, &library) || !library.dli_fname) return;

    gchar *folder = g_path_get_dirname(library.dli_fname);
    gchar *path = g_strdup_printf(
        "%s/vips-modules-%d.%d/vips-%s.so", folder, vips_version(0), vips_version(1), name);
    void *module = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (module) {
        // The module registers its types here, and does not use the argument that GModule would pass.
        const gchar *(*initialise)(void *) = (const gchar *(*)(void *))dlsym(module, "g_module_check_init");
        if (initialise) initialise(NULL);
    }
    for (size_t i = 0; module && i < G_N_ELEMENTS(modules); i++) {
        if (modules[i]) continue;
        modules[i] = module;
        break;
    }
    g_free(path);
    g_free(folder);
}

// A module is opened with RTLD_LOCAL, so its symbols are found only through its own handle.
void *find_symbol(const char *name) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    for (size_t i = 0; !symbol && i < G_N_ELEMENTS(modules) && modules[i]; i++) symbol = dlsym(modules[i], name);
    return symbol;
}

// MARK: Loaders

// Each loader's class, the operation that is called, and the module that contains both if it is a file of its
// own. The HEIF module is always loaded, because it contains the AVIF encoder as well.
static const struct { const char *type, *operation, *module; } loader_table[] = {
    [CVIPS_JPEG] = {"VipsForeignLoadJpeg", "jpegload_source", NULL},
    [CVIPS_PNG] = {"VipsForeignLoadPng", "pngload_source", NULL},
    [CVIPS_WEBP] = {"VipsForeignLoadWebp", "webpload_source", NULL},
    [CVIPS_GIF] = {"VipsForeignLoadNsgif", "gifload_source", NULL},
    [CVIPS_HEIF] = {"VipsForeignLoadHeif", "heifload_source", NULL},
    [CVIPS_TIFF] = {"VipsForeignLoadTiff", "tiffload_source", NULL},
    [CVIPS_SVG] = {"VipsForeignLoadSvg", "svgload_source", NULL},
    [CVIPS_JXL] = {"VipsForeignLoadJxl", "jxlload_source", "jxl"},
    [CVIPS_PDF] = {"VipsForeignLoadPdf", "pdfload_source", "poppler"},
};

static bool allowed[G_N_ELEMENTS(loader_table)];
static bool can_save_jxl;

static void allow_loaders(const cvips_loader *loaders, int count, bool writes_jxl) {
    load_module("heif");
    can_save_jxl = writes_jxl;
    bool loads_jxl = false;
    for (int i = 0; i < count; i++) loads_jxl |= loaders[i] == CVIPS_JXL;
    if (writes_jxl && !loads_jxl) load_module("jxl");
    for (int i = 0; i < count; i++) {
        allowed[loaders[i]] = true;
        if (loader_table[loaders[i]].module) load_module(loader_table[loaders[i]].module);
    }
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (int i = 0; i < count; i++) vips_operation_block_set(loader_table[loaders[i]].type, FALSE);
    // libvips marks the JPEG XL encoder as untrusted, like its loader. The encoder is allowed separately, so the
    // loader stays blocked.
    if (writes_jxl) vips_operation_block_set("VipsForeignSaveJxl", FALSE);
}

bool cvips_has_loader(cvips_loader loader) {
    return allowed[loader] && vips_type_find("VipsForeignLoad", loader_table[loader].operation) != 0;
}

bool cvips_can_save_jxl(void) { return can_save_jxl && vips_type_find("VipsForeignSave", "jxlsave_target") != 0; }

// MARK: The start

// A picture that its loader makes at once, as WebP, goes into a temporary file from 100 MiB of pixels on, which the jail forbids.
// With this threshold it stays in memory, which the price of the job counts. libvips reads the threshold once.
static void keep_pixels_in_memory(void) {
    setenv("VIPS_DISC_THRESHOLD", "1024g", 1);
    vips_get_disc_threshold();
    unsetenv("VIPS_DISC_THRESHOLD");
}

// ORC compiles loops for every resize, blur and convolution that is planned, and frees them with the
// operation. It maps memory for their code: 64 KiB, and as much again whenever that is full. A process that
// may not map code later keeps what it has now. The widest Gaussian takes the most, 52 KiB, and a resize 10;
// a frame has at most three Gaussians and four resizes, and two frames exist at a time. Unused regions cost
// addresses only. A libvips without ORC needs none.
enum { code_regions = 16, code_bytes = 48 * 1024 };

static void reserve_code(void) {
    void *(*new)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "orc_code_new");
    void (*release)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "orc_code_free");
    void (*allocate)(void *, int) = (void (*)(void *, int))dlsym(RTLD_DEFAULT, "orc_code_allocate_codemem");
    if (!new || !release || !allocate) return;

    // Each allocation takes more than half a region, so that no two share one.
    void *held[code_regions];
    for (int i = 0; i < code_regions; i++) {
        held[i] = new();
        if (held[i]) allocate(held[i], code_bytes);
    }
    for (int i = 0; i < code_regions; i++) {
        if (held[i]) release(held[i]);
    }
}

// Makes ORC initialise itself, which it does when the first loop is planned. No pixel is computed, because
// that would start a worker thread, which the jail's file rules, a property of each thread, would not reach.
static void warm_up(void) {
    VipsImage *black = NULL, *small = NULL;
    if (!vips_black(&black, 32, 32, "bands", 3, NULL)) vips_resize(black, &small, 0.4, NULL);
    if (small) g_object_unref(small);
    if (black) g_object_unref(black);
    vips_error_clear();
}

// A PDF stores its author in UTF-16, which poppler converts in any case. glibc loads a module for the first
// such conversion, so a process that may not load code later needs it now. The converters stay open, which
// keeps the module.
static void load_converter(void) {
    if (!allowed[CVIPS_PDF]) return;
    iconv_open("UTF-8", "UTF-16BE");
    iconv_open("UTF-8", "UTF-16LE");
}

void cvips_release_memory(void) {
    // Less memory than this is not returned, because the next job would fault it in again at once.
    if (mallinfo2().fordblks >= 4 << 20) malloc_trim(0);
}

int cvips_start(const cvips_loader *loaders, int count, bool writes_jxl) {
    // glibc's dynamic thresholds would keep freed pixels for ever; any fixed value switches them off. With a low
    // value, each buffer of rows costs its page faults anew; with a high one, peaks grow. cvips_release_memory()
    // returns the rest after a job.
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 512 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);

    make_light_tables();

    g_log_set_writer_func(count_fields, NULL, NULL);
    g_log_set_default_handler(count_message, NULL);
    g_log_set_handler("VIPS", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, count_message, NULL);

    setenv("VIPSHOME", "/nonexistent", 1);
    int failed = vips_init("pictor");
    unsetenv("VIPSHOME");
    if (failed) return failed;
    keep_pixels_in_memory();

    if (!cavif_start()) {
        vips_error("pictor", "%s", "libheif has no encoder for AVIF; on Debian 13 it is the package libheif-plugin-aomenc");
        return -1;
    }
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    allow_loaders(loaders, count, writes_jxl);
    load_converter();
    void (*orc_init)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "orc_init");
    if (orc_init) orc_init();
    return 0;
}

void cvips_reserve_code(void) {
    warm_up();
    reserve_code();
}

void cvips_version(int *major, int *minor, int *micro) {
    *major = vips_version(0);
    *minor = vips_version(1);
    *micro = vips_version(2);
}

size_t cvips_tracked_memory(void) { return vips_tracked_get_mem(); }
