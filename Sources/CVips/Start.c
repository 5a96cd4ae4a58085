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

// One damaged PNG makes 400 lines: they are counted, and nothing is printed.
static void count_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
    if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) atomic_fetch_add(&warnings, 1);
}

// The same of structured messages, which GLib's own writer would ask the journal's socket about: no call for a jail.
static GLogWriterOutput count_fields(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
    count_message(NULL, level, NULL, data);
    return G_LOG_WRITER_HANDLED;
}

uint64_t cvips_warnings(void) { return atomic_load(&warnings); }

void cvips_take_error(char *buffer, size_t size) {
    if (size > 0) {
        // The first lines are the cause, the later ones its consequences.
        strncpy(buffer, vips_error_buffer(), size - 1);
        buffer[size - 1] = 0;
    }
    vips_error_clear();
}

void cvips_say_error(const char *words) { vips_error("pictor", "%s", words); }

// MARK: Modules

// libvips loads every module of its folder, and with them ImageMagick, OpenSlide and poppler. With VIPSHOME
// at a place that does not exist it finds none, and those that are wanted are opened by hand, from the folder
// beside the library that is in use. A libvips with a module's code built in has no such file and needs none.
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
        // The module registers its types here; it asks nothing of the argument that GModule would pass.
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

// What a module brings is found through the module alone.
void *find_symbol(const char *name) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    for (size_t i = 0; !symbol && i < G_N_ELEMENTS(modules) && modules[i]; i++) symbol = dlsym(modules[i], name);
    return symbol;
}

// MARK: Loaders

// Each loader's class, the operation that we call, and the module that holds them where that is a file of its
// own. The HEIF module is always there: it holds AVIF's encoder as well.
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
    // libvips trusts its encoder as little as its decoder. It is opened by itself: the loader above stays blocked.
    if (writes_jxl) vips_operation_block_set("VipsForeignSaveJxl", FALSE);
}

bool cvips_has_loader(cvips_loader loader) {
    return allowed[loader] && vips_type_find("VipsForeignLoad", loader_table[loader].operation) != 0;
}

bool cvips_can_save_jxl(void) { return can_save_jxl && vips_type_find("VipsForeignSave", "jxlsave_target") != 0; }

// MARK: The start

// ORC compiles loops of its own for every resize, blur and convolution that is planned, frees them with it,
// and maps room for their code: 64 KiB, and as much again whenever that is full. A process that maps no code
// later has the room that it has now. The widest Gaussian takes 52 KiB, the largest of all, and a resize 10;
// no frame has more than three Gaussians and four resizes, and two frames live at a time. What is not used
// costs addresses only. A libvips without ORC needs none.
enum { code_regions = 16, code_bytes = 48 * 1024 };

static void reserve_code(void) {
    void *(*new)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "orc_code_new");
    void (*release)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "orc_code_free");
    void (*allocate)(void *, int) = (void (*)(void *, int))dlsym(RTLD_DEFAULT, "orc_code_allocate_codemem");
    if (!new || !release || !allocate) return;

    // Each takes more than half a region, so that none shares one.
    void *held[code_regions];
    for (int i = 0; i < code_regions; i++) {
        held[i] = new();
        if (held[i]) allocate(held[i], code_bytes);
    }
    for (int i = 0; i < code_regions; i++) {
        if (held[i]) release(held[i]);
    }
}

// ORC sets itself up while the first loop is planned. No pixel is made: that would start a worker thread,
// which the jail's rules for files, a thread's own, would not reach.
static void warm_up(void) {
    VipsImage *black = NULL, *small = NULL;
    if (!vips_black(&black, 32, 32, "bands", 3, NULL)) vips_resize(black, &small, 0.4, NULL);
    if (small) g_object_unref(small);
    if (black) g_object_unref(black);
    vips_error_clear();
}

// Who wrote a PDF is told in UTF-16, which poppler has converted whether anybody asks or not; glibc loads a
// module for that when it is first wanted. A process that loads no code any more has it already; the
// converter is kept, and the module with it.
static void load_converter(void) {
    if (!allowed[CVIPS_PDF]) return;
    iconv_open("UTF-8", "UTF-16BE");
    iconv_open("UTF-8", "UTF-16LE");
}

void cvips_release_memory(void) {
    // What the next job would fault in again at once is not worth giving back.
    if (mallinfo2().fordblks >= 4 << 20) malloc_trim(0);
}

int cvips_start(const cvips_loader *loaders, int count, bool writes_jxl) {
    // glibc's dynamic thresholds keep freed pixels for ever; any fixed value switches them off. Of a low one, each
    // buffer of rows costs its page faults anew; of a high one, peaks grow.
    // cvips_release_memory() gives back after a job what is kept meanwhile.
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
