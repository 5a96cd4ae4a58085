// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A core of the daemon would hold the keys that sign URLs, the admin token and whatever clients asked for.
enum CoreDumps {
    /// For this process. The limit is for those that are written to files; a program that takes cores
    /// through a pipe (core(5)) gets them whatever the limit is, but none of a process that is not
    /// dumpable. That also keeps other processes of the same user from tracing this one and reading its
    /// memory, and leaves it what it needs itself: a process's own /proc entries stay open to it. Worker
    /// processes are dumpable again after execve(2), until their jail turns that off.
    static func turnOff() {
        _ = pictor_limit(Int32(PICTOR_LIMIT_CORE), 0)
        _ = pictor_prctl(PR_SET_DUMPABLE, 0)
    }
}
