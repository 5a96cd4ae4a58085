// SPDX-License-Identifier: Apache-2.0
//
// A disk with bad sectors: the first sector cannot be read of the files whose inode numbers stand in the file that
// $BAD_SECTORS names, a line each. These definitions come before those of the C library.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_bad(int file) {
    const int before = errno;
    const char *path = getenv("BAD_SECTORS");
    struct stat status;
    FILE *list = path && fstat(file, &status) == 0 ? fopen(path, "re") : NULL;
    int found = 0;
    for (unsigned long number; list && !found && fscanf(list, "%lu", &number) == 1;) found = number == status.st_ino;
    if (list) fclose(list);
    errno = before;
    return found;
}

ssize_t sendfile(int socket, int file, off_t *offset, size_t count) {
    if (offset && *offset < 512 && is_bad(file)) return errno = EIO, -1;
    return syscall(SYS_sendfile, socket, file, offset, count);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    if (offset < 512 && is_bad(file)) return errno = EIO, -1;
    return syscall(SYS_pread64, file, bytes, count, offset);
}

// SQLite calls it by this name.
ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return pread(file, bytes, count, offset);
}
