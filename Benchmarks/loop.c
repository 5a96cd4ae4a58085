// SPDX-License-Identifier: Apache-2.0
//
// loop THREADS jpeg|webp shrink|thumbnail FILE…: makes each file 800 pixels wide, in memory, with the libvips calls of
// Pictor's decoders (`shrink`) or with the one call that most programs use (`thumbnail`). Prints wall and CPU seconds.
// This is what the machine can do with this libvips without fetching, storing, queueing or protection. LOOP_WIDTH in
// the environment sets other widths.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <vips/vips.h>

static int wanted = 800;

static char **files;
static int count;
static atomic_int next;
static bool webp, thumbnail;

static void must(int failed) {
    if (failed) vips_error_exit(NULL);
}

// The rule of Sources/Imaging/Steps/ShrinkOnLoad.swift.
static int shrink_of(double factor) { return factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 3.2 ? 2 : 1; }

static VipsImage *shrunk(void *bytes, size_t length) {
    VipsImage *header, *loaded, *out;
    must(vips_jpegload_buffer(bytes, length, &header, "access", VIPS_ACCESS_SEQUENTIAL, NULL));
    int width = header->Xsize, height = header->Ysize, target = (int)((double)height * wanted / width + 0.5);
    g_object_unref(header);
    int shrink = shrink_of((double)width / wanted);
    must(vips_jpegload_buffer(
        bytes, length, &loaded, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED, "shrink", shrink,
        NULL));
    must(vips_resize(
        loaded, &out, (double)wanted / loaded->Xsize, "vscale", (double)target / loaded->Ysize, "kernel",
        VIPS_KERNEL_LANCZOS3, NULL));
    g_object_unref(loaded);
    return out;
}

static void make(const char *file) {
    char *bytes;
    gsize length;
    if (!g_file_get_contents(file, &bytes, &length, NULL)) exit(1);
    VipsImage *picture;
    if (thumbnail) {
        must(vips_thumbnail_buffer(bytes, length, &picture, wanted, "height", VIPS_MAX_COORD, NULL));
    } else {
        picture = shrunk(bytes, length);
    }
    void *out;
    size_t size;
    must(webp ? vips_webpsave_buffer(picture, &out, &size, "Q", 80, "effort", 2, "strip", TRUE, NULL)
              : vips_jpegsave_buffer(picture, &out, &size, "Q", 80, "optimize_coding", TRUE, "strip", TRUE, NULL));
    g_object_unref(picture);
    g_free(out);
    g_free(bytes);
}

static void *work(void *unused) {
    for (int i; (i = next++) < count;) make(files[i]);
    vips_thread_shutdown();
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int arguments, char **values) {
    if (arguments < 5 || VIPS_INIT(values[0])) return 2;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    int threads = atoi(values[1]);
    if (getenv("LOOP_WIDTH")) wanted = atoi(getenv("LOOP_WIDTH"));
    webp = !strcmp(values[2], "webp"), thumbnail = !strcmp(values[3], "thumbnail");
    files = values + 4, count = arguments - 4;
    make(files[0]);  // What libvips sets up once is not counted.
    pthread_t workers[threads];
    double began = now(), used = cpu();
    for (int i = 0; i < threads; i++) pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++) pthread_join(workers[i], NULL);
    printf("%f %f\n", now() - began, cpu() - used);
    return 0;
}
