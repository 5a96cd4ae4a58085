// SPDX-License-Identifier: Apache-2.0
// What Swift needs of Linux: system calls and constants that Glibc's Swift module leaves out or that are variadic.
//
// Only the .c files define _GNU_SOURCE. It changes types (fd_set, the "who" of getrusage(2)), and a Swift file that imports
// Glibc beside this module would see two definitions of them. Whatever needs _GNU_SOURCE is a function below.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Unless stated otherwise, a function returns the result of its system call: −1 and errno on failure.

// MARK: Files

/// Opens an unnamed file on the directory's file system (O_TMPFILE, open(2)). The file vanishes unless it is
/// linked.
int pictor_open_unnamed(int directory);

/// Gives an unnamed file a name, by linkat(2) via /proc/self/fd, which needs no capability.
int pictor_link_unnamed(int file, int directory, const char *_Nonnull path);

/// Opens a file for reading if the kernel has its path in memory, else fails with EAGAIN. Symbolic links are not
/// followed (openat2(2), RESOLVE_CACHED, from Linux 5.12 on; before, ENOSYS or EINVAL).
int pictor_open_cached(int directory, const char *_Nonnull path);

/// Reads the part of a file that the kernel has in memory. EAGAIN if there is none (preadv2(2), RWF_NOWAIT), EOPNOTSUPP if the
/// file system cannot tell. Never waits for a disk or a server.
ssize_t pictor_read_cached(int file, void *_Nonnull bytes, size_t count, off_t offset);

/// Makes a file in memory (memfd_create(2)), close-on-exec.
int pictor_memory_file(const char *_Nonnull label);

/// Whether no other open file description, nor a mapping, can write to the file: 1 or 0; −1 if the kernel does not tell.
/// `file` must be open for writing. A lease (fcntl(2), F_SETLEASE) tells, which is returned at once.
int pictor_is_sole_writer(int file);

/// Opens an entry of a folder as a reference only (O_PATH); a symbolic link is not followed.
int pictor_hold(int directory, const char *_Nonnull name);
/// Opens what lies at `path` below a folder as a reference only (O_PATH). No symbolic link is followed, and
/// nothing above or outside the folder is reached, whatever is moved meanwhile (openat2(2)).
int pictor_hold_beneath(int folder, const char *_Nonnull path);
/// Opens a held file for reading, via /proc/self/fd. A pipe is opened without waiting for its writer.
int pictor_open_held(int file);
/// Changes the user and the group of a held entry.
int pictor_give(int file, uint32_t user, uint32_t group);

/// The type of the file system of an open file (statfs(2), f_type), 32 bits; 0 if it is unknown.
uint32_t pictor_file_system_type(int file);

/// Writes what the file system of an open file has in memory (syncfs(2)).
int pictor_sync_file_system(int file);

/// Takes the exclusive lock of an open file without waiting (flock(2)).
int pictor_try_lock(int file);
int pictor_unlock(int file);

// MARK: Sockets

/// accept4(2), non-blocking and close-on-exec. `peer` may be NULL.
int pictor_accept(int listener, struct sockaddr_storage *_Nullable peer);

/// bind(2), without the cast that Swift cannot write.
int pictor_bind(int socket, const void *_Nonnull address, socklen_t length);

/// Whether a datagram socket can be bound to that address, at a port that the kernel chooses: 1 or 0. Only the
/// machine's own addresses can be bound. 1 if no descriptor is free to try it.
int pictor_can_bind(int family, const void *_Nonnull address, socklen_t length);

// MARK: Messages that carry descriptors

/// Sends one message with `descriptor_count` (at most 4) descriptors (unix(7), SCM_RIGHTS; cmsg(3)). Never
/// waits and never raises SIGPIPE. Returns the result of sendmsg(2).
ssize_t pictor_send_descriptors(
    int socket, const void *_Nonnull bytes, size_t count, const int *_Nonnull descriptors,
    size_t descriptor_count);

/// Waits for one message and its descriptors: at most `capacity` (and 4), each close-on-exec; the kernel closes
/// the others. Returns the result of recvmsg(2), which exceeds `count` if the message was truncated.
ssize_t pictor_receive_descriptors(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptors, size_t capacity,
    size_t *_Nonnull received);

// MARK: Processes

/// prctl(2) with one argument; the other arguments are zero, as PR_SET_NO_NEW_PRIVS demands.
int pictor_prctl(int option, unsigned long argument);

/// pidfd_open(2) without flags; readable when the process has ended.
int pictor_pidfd_open(pid_t process);

/// Makes the kernel report how child processes end. It does not if SIGCHLD is ignored (wait(2)), which a program can inherit from
/// its parent (execve(2)).
void pictor_heed_children(void);

/// fork(2), except that the child's parent is the caller's parent, which waits for it (CLONE_PARENT, clone(2)). Only for a
/// process with one thread; pthread_atfork(3) handlers are not run. Returns 0 in the child. −1 with ENOSYS if the kernel
/// does not tell where it clears the thread's id (PR_GET_TID_ADDRESS needs CONFIG_CHECKPOINT_RESTORE), because glibc's own
/// record of the id would be wrong in the child.
pid_t pictor_fork_sibling(void);

/// Closes `first` and every descriptor above it (close_range(2)).
int pictor_close_from(unsigned int first);

/// pipe2(2) with both ends close-on-exec and non-blocking.
int pictor_pipe(int *_Nonnull ends);

/// setrlimit(2) with both limits at `value`. `resource` is one of the numbers below, because the RLIMIT_ names
/// are an enum in C and a plain number elsewhere.
int pictor_limit(int resource, uint64_t value);
enum {
    PICTOR_LIMIT_ADDRESS_SPACE = RLIMIT_AS,
    PICTOR_LIMIT_CORE = RLIMIT_CORE,
    PICTOR_LIMIT_FILE_SIZE = RLIMIT_FSIZE,
    PICTOR_LIMIT_OPEN_FILES = RLIMIT_NOFILE,
    PICTOR_LIMIT_PROCESSES = RLIMIT_NPROC,
};

/// Adds to the process's niceness (setpriority(2)). It is a C function because the type of PRIO_PROCESS depends on
/// _GNU_SOURCE.
int pictor_add_niceness(int increment);

/// Sets the calling thread's niceness to that of the process's first thread plus `increment` (setpriority(2); niceness
/// belongs to a thread).
int pictor_be_nicer_than_main(int increment);

/// Raises the soft limit of open files to the hard one (setrlimit(2)). Returns the new limit, or −1.
int pictor_raise_open_files(void);

/// posix_spawn_file_actions_addclosefrom_np(3), which not every Glibc module shows.
int pictor_spawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

// MARK: Signals

/// From now on, counts the signals that would end the process and mean nothing to it: SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
/// SIGPROF, SIGPOLL, SIGPWR, SIGSTKFLT, SIGXCPU and the real-time ones. SIGPIPE and SIGXFSZ are ignored, because the failed call
/// reports EPIPE and EFBIG. A program that is started gets the defaults back for all but those two. SIGTERM, SIGINT and SIGQUIT end
/// the process with status 0 until `pictor_expect_ends` is called, also in a container, for whose first process the kernel ignores
/// them by default (pid_namespaces(7)).
void pictor_note_signals(void);

/// From now on, SIGTERM, SIGINT and SIGQUIT only wake `pictor_await_end`. Somebody else may take these signals over later.
void pictor_expect_ends(void);

/// Waits for SIGTERM, SIGINT or SIGQUIT, and returns the first one that came; 0 after `pictor_stop_awaiting_end` if none came.
int pictor_await_end(void);

/// Makes `pictor_await_end` return.
void pictor_stop_awaiting_end(void);

/// Waits until a signal has been counted since the last call.
void pictor_await_signal(void);

/// How often this signal has been counted since the last call.
unsigned pictor_take_signal(int signal);

/// The signal's name as "HUP" or "USR1"; NULL for a real-time signal (sigabbrev_np(3)).
const char *_Nullable pictor_signal_name(int signal);

/// Opens /dev/null at those of the descriptors 0, 1 and 2 that are closed. Otherwise the next file or socket
/// would get the number, and would receive what is written to standard error.
void pictor_open_standard_descriptors(void);

/// The same, but reading from such a descriptor 0, and writing to such a descriptor 1 or 2, fails as on a closed one (EBADF).
void pictor_occupy_standard_descriptors(void);

// MARK: Measures around a process

/// Moves the calling process, which must have one thread, into a user namespace of its own, and with that into a network
/// namespace without interfaces, an IPC and a UTS namespace (unshare(2)).
int pictor_leave_namespaces(void);

/// Drops every capability of the calling thread (capset(2)). Returns 0 also if it has none and capset(2) is
/// forbidden.
int pictor_drop_capabilities(void);

/// The flags of clone(2) that every new thread has and no new process has.
uint64_t pictor_thread_flags(void);

/// clearenv(3).
void pictor_clear_environment(void);

/// Nanoseconds of processor time that a process has used; −1 if it is gone.
int64_t pictor_processor_time(pid_t process);

/// Sets the soft RLIMIT_CPU of a process of the same user to its used time plus `seconds`, rounded up.
int pictor_limit_processor_time(pid_t process, unsigned int seconds);

/// Sets the soft RLIMIT_DATA of a process of the same user; 0 raises it to the hard limit.
int pictor_limit_data(pid_t process, uint64_t bytes);

/// The Landlock ABI of the running kernel, from 1 (landlock_create_ruleset(2)).
int pictor_landlock_version(void);

/// Makes a ruleset that restricts these rights, each a set of bits that the running kernel's ABI knows.
/// Returns a descriptor.
int pictor_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);

/// Grants rights below an open folder (landlock_add_rule(2)).
int pictor_landlock_allow(int ruleset, int folder, uint64_t files);

/// Restricts the calling thread, and the threads that it starts, by a ruleset (landlock_restrict_self(2)).
int pictor_landlock_restrict(int ruleset);

// MARK: Threads and clocks

/// The number of processors that the calling thread may run on (sched_getaffinity(2)); 0 if unknown, as with more than
/// 1,024.
int pictor_allowed_processors(void);

/// Names the calling thread, at most 15 bytes (pthread_setname_np(3)).
void pictor_name_this_thread(const char *_Nonnull name);

/// Shortens the calling thread's time slice to `nanoseconds` (sched_setattr(2), Linux 6.12). When it wakes, it runs
/// before threads with longer slices, and its share of the core stays the same. Earlier kernels change nothing.
int pictor_take_short_turns(uint64_t nanoseconds);

/// Limits malloc(3) to one heap for up to 15 processors, and one for each 8 processors from there on (M_ARENA_MAX,
/// mallopt(3)). Call it before the first thread. glibc would make eight for each processor, and all but the first grow
/// page by page, with a call of mprotect(2) each time.
void pictor_share_heaps(void);

/// Unmaps the used pages of the code and constants of the program and its libraries (madvise(2), MADV_DONTNEED). Pages
/// that are used again are mapped from the page cache, 64 KiB at a time; pages that only the start needed no longer count
/// as the process's memory. May be called while other threads run.
void pictor_unmap_used_code(void);

// These functions replace clock_gettime(2), because the module that owns struct timespec depends on the imports
// of a Swift file.

/// CLOCK_REALTIME, milliseconds since 1970.
int64_t pictor_wall_milliseconds(void);

/// CLOCK_REALTIME, nanoseconds since 1970.
uint64_t pictor_wall_nanoseconds(void);

/// CLOCK_MONOTONIC, microseconds.
int64_t pictor_monotonic_microseconds(void);

/// CLOCK_BOOTTIME, microseconds: like CLOCK_MONOTONIC, but it also counts while the machine sleeps.
int64_t pictor_boot_microseconds(void);

/// Makes an unset timer (timerfd_create(2)). −1 with errno on failure.
int pictor_new_timer(void);

/// Makes the timer go off when CLOCK_MONOTONIC reaches `microseconds`, in place of any earlier setting; 0 unsets it.
void pictor_set_timer(int timer, int64_t microseconds);

/// Sleeps until the timer goes off. Returns at once if it has gone off since the last call and was not set
/// again.
void pictor_wait_for_timer(int timer);
