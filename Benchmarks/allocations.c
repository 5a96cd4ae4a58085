// SPDX-License-Identifier: Apache-2.0
// Preloaded into the daemon (LD_PRELOAD), this counts the calls that ask malloc(3) for memory. The count is the first eight
// bytes of the file that $ALLOCATIONS names; other programs read it there, because the daemon keeps all signals to itself.

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long before, *count = &before;

static void note(void) { __atomic_add_fetch(count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) { return note(), __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return note(), __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return note(), __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return note(), __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    note();
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("ALLOCATIONS");
    const int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count) != 0) return;
    long *shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) count = shared;
}
