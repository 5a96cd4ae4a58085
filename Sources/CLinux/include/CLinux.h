// SPDX-License-Identifier: Apache-2.0
// What Swift needs of Linux: system calls and constants that Glibc's Swift module leaves out or that are variadic.
//
// _GNU_SOURCE is for the .c files alone: it changes types (fd_set, rusage's "who"), and a file that imports Glibc beside this
// module would then see two definitions of them. What needs it is a function below.
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

// Unless it says otherwise, a function returns what the system call does: −1 and errno on failure.

// MARK: Files

/// An unnamed file on the directory's file system (O_TMPFILE, open(2)); it vanishes unless it is linked.
int pictor_open_unnamed(int directory);

/// Gives an unnamed file its name: linkat(2) by way of /proc/self/fd, which needs no capability.
int pictor_link_unnamed(int file, int directory, const char *_Nonnull path);

/// Opens a file for reading if the kernel has its path in memory; else EAGAIN. Links are followed nowhere (openat2(2),
/// RESOLVE_CACHED, Linux 5.12; before, ENOSYS or EINVAL).
int pictor_open_cached(int directory, const char *_Nonnull path);

/// Reads what the kernel has of a file in memory; EAGAIN if it has nothing (preadv2(2), RWF_NOWAIT), EOPNOTSUPP where the file
/// system does not tell. Never waits for a disk or a server.
ssize_t pictor_read_cached(int file, void *_Nonnull bytes, size_t count, off_t offset);

/// A file in memory (memfd_create(2)), close-on-exec.
int pictor_memory_file(const char *_Nonnull label);

/// Whether no other opening of a file can write, nor a mapping made by one: 1 or 0; −1 if the kernel does not tell. `file` is
/// open for writing. By a lease (fcntl(2), F_SETLEASE), which is given back at once.
int pictor_is_sole_writer(int file);

/// Holds an entry of a folder without opening it (O_PATH); not what a symbolic link leads to.
int pictor_hold(int directory, const char *_Nonnull name);
/// Holds what lies at `path` below a folder without opening it (O_PATH). No symbolic link is followed, and nothing
/// above or outside of the folder is reached, whatever is moved meanwhile (openat2(2)).
int pictor_hold_beneath(int folder, const char *_Nonnull path);
/// Opens a held file for reading, without waiting for a writer of a pipe, by way of /proc/self/fd.
int pictor_open_held(int file);
/// Gives a held entry to a user and a group.
int pictor_give(int file, uint32_t user, uint32_t group);

/// What kind of file system an open file lies on (statfs(2), f_type), 32 bits; 0 where it does not say.
uint32_t pictor_file_system_type(int file);

/// Takes the exclusive lock of an open file without waiting (flock(2)).
int pictor_try_lock(int file);
int pictor_unlock(int file);

// MARK: Sockets

/// accept4(2): non-blocking, close-on-exec. `peer` may be NULL.
int pictor_accept(int listener, struct sockaddr_storage *_Nullable peer);

/// bind(2), without the cast that Swift cannot write.
int pictor_bind(int socket, const void *_Nonnull address, socklen_t length);

/// Whether a datagram socket can be bound to that address, at a port of the kernel's choice: 1 or 0. Only to the
/// machine's own addresses it can. Without a descriptor to try it with, 1.
int pictor_can_bind(int family, const void *_Nonnull address, socklen_t length);

// MARK: Messages that carry descriptors

/// Sends one message with `descriptor_count` (at most 4) descriptors along (unix(7), SCM_RIGHTS; cmsg(3)).
/// Never waits and never raises SIGPIPE. What sendmsg(2) gives.
ssize_t pictor_send_descriptors(
    int socket, const void *_Nonnull bytes, size_t count, const int *_Nonnull descriptors,
    size_t descriptor_count);

/// Waits for one message and the descriptors that come along: at most `capacity` (and 4), each close-on-exec; the
/// kernel closes what is beyond. What recvmsg(2) gives; longer than `count` if the message was cut.
ssize_t pictor_receive_descriptors(
    int socket, void *_Nonnull bytes, size_t count, int *_Nonnull descriptors, size_t capacity,
    size_t *_Nonnull received);

// MARK: Processes

/// prctl(2) with one argument, the others zero as PR_SET_NO_NEW_PRIVS demands.
int pictor_prctl(int option, unsigned long argument);

/// pidfd_open(2) without flags; readable when the process has ended.
int pictor_pidfd_open(pid_t process);

/// Has the kernel tell how child processes end. It does not where SIGCHLD is ignored (wait(2)), as a program may leave it to those
/// that it starts (execve(2)).
void pictor_heed_children(void);

/// fork(2), but the child's parent is the caller's, who waits for it (CLONE_PARENT, clone(2)). For a process with one
/// thread; nothing that pthread_atfork(3) knows of is run. 0 in the child. −1 with ENOSYS where the kernel does not tell
/// where it clears the thread's id (PR_GET_TID_ADDRESS needs CONFIG_CHECKPOINT_RESTORE): glibc's own record of it would be
/// wrong in the child.
pid_t pictor_fork_sibling(void);

/// Closes `first` and every descriptor above it (close_range(2)).
int pictor_close_from(unsigned int first);

/// pipe2(2), both ends close-on-exec and non-blocking.
int pictor_pipe(int *_Nonnull ends);

/// setrlimit(2), both limits at `value`. `resource` is one of the numbers below, because the RLIMIT_ names are an
/// enum in C and a plain number elsewhere.
int pictor_limit(int resource, uint64_t value);
enum {
    PICTOR_LIMIT_ADDRESS_SPACE = RLIMIT_AS,
    PICTOR_LIMIT_CORE = RLIMIT_CORE,
    PICTOR_LIMIT_FILE_SIZE = RLIMIT_FSIZE,
    PICTOR_LIMIT_OPEN_FILES = RLIMIT_NOFILE,
    PICTOR_LIMIT_PROCESSES = RLIMIT_NPROC,
};

/// Makes the process nicer by so much (setpriority(2)). Here, because the type of PRIO_PROCESS depends on _GNU_SOURCE.
int pictor_add_niceness(int increment);

/// Makes the calling thread nicer by so much than the process's first (setpriority(2), whose niceness is a thread's own).
int pictor_be_nicer_than_main(int increment);

/// Lifts the soft limit of open files to the hard one (setrlimit(2)). The limit that now holds, or −1.
int pictor_raise_open_files(void);

/// posix_spawn_file_actions_addclosefrom_np(3), which not every Glibc module shows.
int pictor_spawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

// MARK: Signals

/// From now on the signals that would end the process, and mean nothing to it, are noted instead: SIGHUP,
/// SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR, SIGSTKFLT, SIGXCPU and the real-time ones.
/// SIGPIPE and SIGXFSZ are ignored: the call that failed says EPIPE and EFBIG. A program that is started has
/// all of them at their default again but those two. A process with the number 1 ends by SIGTERM, SIGINT and SIGQUIT, as others do.
void pictor_note_signals(void);

/// Waits until one has been noted since the last call.
void pictor_await_signal(void);

/// How often this one has been noted since the last call.
unsigned pictor_take_signal(int signal);

/// "HUP", "USR1"; NULL for a real-time signal (sigabbrev_np(3)).
const char *_Nullable pictor_signal_name(int signal);

/// Opens /dev/null at those of the descriptors 0, 1 and 2 that are closed. Otherwise the next file or socket
/// gets the number, and what is written to standard error goes there.
void pictor_open_standard_descriptors(void);

// MARK: Measures around a process

/// Moves the calling process, which must have one thread, into a user namespace of its own, and from there into a network
/// without interfaces, an IPC and a UTS namespace (unshare(2)).
int pictor_leave_namespaces(void);

/// Drops every capability of the calling thread (capset(2)); 0 also if it has none and may not say so.
int pictor_drop_capabilities(void);

/// The flags of clone(2) that every thread is started with, and no process.
uint64_t pictor_thread_flags(void);

/// clearenv(3).
void pictor_clear_environment(void);

/// Nanoseconds of processor time that a process has used; -1 if it is gone.
int64_t pictor_processor_time(pid_t process);

/// Sets the soft RLIMIT_CPU of a process of the same user to what it has used plus so many seconds, rounded up.
int pictor_limit_processor_time(pid_t process, unsigned int seconds);

/// Sets the soft RLIMIT_DATA of a process of the same user; 0 lifts it to the hard one.
int pictor_limit_data(pid_t process, uint64_t bytes);

/// The Landlock ABI of the running kernel, from 1 (landlock_create_ruleset(2)).
int pictor_landlock_version(void);

/// A ruleset that handles these rights, each a sum of bits that the running kernel's ABI knows; a descriptor.
int pictor_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);

/// Grants rights below an open folder (landlock_add_rule(2)).
int pictor_landlock_allow(int ruleset, int folder, uint64_t files);

/// Puts the calling thread, and those that it starts, under a ruleset (landlock_restrict_self(2)).
int pictor_landlock_restrict(int ruleset);

// MARK: Threads and clocks

/// Processors that the calling thread may run on (sched_getaffinity(2)); 0 if that is not known, as with more than 1,024.
int pictor_allowed_processors(void);

/// Names the calling thread, at most 15 bytes (pthread_setname_np(3)).
void pictor_name_this_thread(const char *_Nonnull name);

/// The calling thread runs for so long at a time where others want its core, and by that comes before those that run for
/// longer when it wakes (sched_setattr(2), Linux 6.12); before, nothing changes. It gets no more of the core than others.
int pictor_take_short_turns(uint64_t nanoseconds);

/// One heap for up to 15 processors, and one for each 8 of more; before the first thread (M_ARENA_MAX, mallopt(3)). glibc
/// would make eight for each, and all but the first grow page by page, by a call of mprotect(2) each time.
void pictor_share_heaps(void);

/// Unmaps the pages of the program's and its libraries' code and constants that the process has used so far. What is used
/// again is mapped again from the page cache, 64 KiB at a time; what only the start needed counts no more as its memory
/// (madvise(2), MADV_DONTNEED). May be called while other threads run.
void pictor_unmap_used_code(void);

// Functions in place of clock_gettime(2): which module owns struct timespec depends on what a Swift file imports.

/// CLOCK_REALTIME, milliseconds since 1970.
int64_t pictor_wall_milliseconds(void);

/// CLOCK_REALTIME, nanoseconds since 1970.
uint64_t pictor_wall_nanoseconds(void);

/// CLOCK_MONOTONIC, microseconds.
int64_t pictor_monotonic_microseconds(void);

/// CLOCK_BOOTTIME, microseconds: as CLOCK_MONOTONIC, and goes on while the machine sleeps.
int64_t pictor_boot_microseconds(void);

/// A timer that is not set (timerfd_create(2)), or -1 with errno set.
int pictor_new_timer(void);

/// Has the timer go off once CLOCK_MONOTONIC shows so many microseconds, in place of any earlier time; not at all with 0.
void pictor_set_timer(int timer, int64_t microseconds);

/// Sleeps until the timer goes off, or has since the last call and was not set anew.
void pictor_wait_for_timer(int timer);
