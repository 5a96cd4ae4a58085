// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into the daemon (LD_PRELOAD): counts what asks malloc(3) for memory, and writes the count to standard error
// at every SIGUSR2. Writing it from the signal's handler is safe, as nothing here takes a lock.

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long count;

static void note(void) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) { return note(), __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return note(), __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return note(), __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return note(), __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    note();
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

static void tell(int signal) {
    char line[32], *start = line + sizeof line;
    *--start = '\n';
    long rest = __atomic_load_n(&count, __ATOMIC_RELAXED);
    do *--start = '0' + rest % 10; while (rest /= 10);
    for (const char *word = " snoitacolla"; *word; word++) *--start = *word;
    if (write(STDERR_FILENO, start, line + sizeof line - start) < 0) return;
}

__attribute__((constructor)) static void watch(void) { signal(SIGUSR2, tell); }
