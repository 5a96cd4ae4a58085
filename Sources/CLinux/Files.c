// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

// glibc's fstat(3) calls newfstatat(2) with an empty name, which a seccomp filter cannot tell from a call
// with a file name, because filters cannot follow pointers. The program's libraries call this function in its
// place. It uses only the descriptor, so that a decoder's jail can refuse newfstatat(2).
int fstat(int file, struct stat *status)
{
    return (int)syscall(SYS_fstat, file, status);
}

int fstat64(int file, struct stat64 *status)
{
    return (int)syscall(SYS_fstat, file, status);
}

int pictor_open_unnamed(int directory)
{
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int pictor_link_unnamed(int file, int directory, const char *path)
{
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, source, directory, path, AT_SYMLINK_FOLLOW);
}

int pictor_open_cached(int directory, const char *path)
{
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW,
        .resolve = RESOLVE_CACHED | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

ssize_t pictor_read_cached(int file, void *bytes, size_t count, off_t offset)
{
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    ssize_t result = preadv2(file, &part, 1, offset, RWF_NOWAIT);
    if (result >= 0 || errno != EOPNOTSUPP) return result;
    // tmpfs does not support the flag, but its files are always in memory. Only tmpfs files have seals (memfd_create(2)),
    // which the kernel tells without asking anybody. fstatfs(2) would make a network file system ask its server, which may not
    // answer.
    if (fcntl(file, F_GET_SEALS) >= 0) return pread(file, bytes, count, offset);
    errno = EOPNOTSUPP;
    return -1;
}

int pictor_memory_file(const char *label)
{
    return memfd_create(label, MFD_CLOEXEC);
}

int pictor_is_sole_writer(int file)
{
    if (fcntl(file, F_SETLEASE, F_WRLCK) == 0) {
        fcntl(file, F_SETLEASE, F_UNLCK);
        return 1;
    }
    return errno == EAGAIN ? 0 : -1;
}

int pictor_hold(int directory, const char *name)
{
    return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int pictor_hold_beneath(int folder, const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int file;
    // openat2(2) fails with EAGAIN if a rename elsewhere in the system makes the kernel unsure of the path.
    for (int attempt = 0; attempt < 8; attempt++) {
        file = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (file >= 0 || (errno != EAGAIN && errno != EINTR)) break;
    }
    return file;
}

int pictor_open_held(int file)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int pictor_give(int file, uint32_t user, uint32_t group)
{
    return fchownat(file, "", user, group, AT_EMPTY_PATH);
}

int pictor_try_lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB);
}

int pictor_unlock(int file)
{
    return flock(file, LOCK_UN);
}

uint32_t pictor_file_system_type(int file)
{
    struct statfs status;
    return fstatfs(file, &status) == 0 ? (uint32_t)status.f_type : 0;
}

int pictor_sync_file_system(int file)
{
    return syncfs(file);
}
