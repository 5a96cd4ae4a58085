// SPDX-License-Identifier: Apache-2.0
//
// A seccomp filter (seccomp(2), libseccomp) that allows the calls for rendering a picture: memory, threads,
// open descriptors, and the time. The list comes from tracing the decoder with every format; arguments that
// are plain values are checked. Reading a header needs far fewer calls and has a list of its own. The filter
// answers in three ways:
//
//     allowed    the lists below
//     an error   calls that libraries try and can do without: opening files, placing memory
//     death      everything else: no network, no program, no process, no signal to another, no tracing, no
//                setting of limits. The kernel kills the process with SIGSYS, which the daemon sees
//
// The filter cannot read memory behind pointers (seccomp(2)), so calls that take a path are refused. If
// folders stay readable, files may be opened for reading only, and Landlock decides which. Landlock does not
// hide whether a file exists.

internal import CLinux
internal import CSeccomp
internal import Glibc

/// Builds and loads the filter of a worker process.
enum SystemCallFilter {
    /// - Returns: false if the kernel or the library refuses.
    static func load(_ policy: JailPolicy) -> Bool {
        guard let filter = seccomp_init(pictor_seccomp_kill()) else { return false }
        defer { seccomp_release(filter) }
        // TSYNC applies the filter to all threads, if there are others.
        guard seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 else { return false }
        let rules =
            switch policy.work {
            // With readable folders, Landlock decides which files can be opened.
            case .decoding: decoding(opensFiles: !policy.readable.isEmpty)
            case .inspecting: inspecting
            }
        for rule in rules {
            guard rule.add(to: filter) else { return false }
        }
        return seccomp_load(filter) == 0
    }

    /// The calls of an inspector, which has one thread: memory, reads at offsets, messages, standard error,
    /// and the output file of an unpacking. Opening files, or asking for them by name, kills the process at
    /// once.
    private static var inspecting: [Rule] {
        Rule.allow(memory) + mappings
            + Rule.allow([
                "read", "pread64", "pwrite64", "fstat", "close", "futex", "exit", "exit_group",
                "rt_sigprocmask",
                "rt_sigreturn", "sigaltstack", "restart_syscall", "sched_yield", "getpid", "gettid",
                "clock_gettime", "getrandom",
            ])
            + [
                Rule("write", pictor_seccomp_allow(), [.equal(0, UInt64(STDERR_FILENO))]),
                ownAbort,
                Rule("prctl", pictor_seccomp_fail(UInt16(EINVAL)), [.equal(0, 0x5356_4D41)]),  // PR_SET_VMA
            ]
            + ["recvmsg", "sendmsg"].map { Rule($0, pictor_seccomp_allow(), [.equal(0, 3)]) }
    }

    private static func decoding(opensFiles: Bool) -> [Rule] {
        let open = opensFiles ? Rule.allow(names) + reading + ofFonts : Rule.fail(EACCES, names + files)
        return Rule.allow(memory) + mappings + Rule.allow(threads) + ownThreads + Rule.allow(descriptors)
            + messages + Rule.allow(questions) + limits + open + Rule.fail(EPERM, placement)
            // glibc tries clone3(2) first and falls back to clone(2), whose flags are no pointer.
            + Rule.fail(ENOSYS, ["clone3"])
    }

    private static let memory = ["brk", "munmap", "mremap", "madvise"]

    /// No new memory becomes executable; the engine mapped the memory for its compiled loops before.
    private static let mappings = ["mmap", "mprotect"].map {
        Rule($0, pictor_seccomp_allow(), [.masked(2, UInt64(PROT_EXEC), equals: 0)])
    }

    private static let threads = [
        "futex", "set_robust_list", "rseq", "exit", "exit_group", "sched_yield", "sched_getaffinity",
        "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack", "restart_syscall",
    ]

    private static var ownThreads: [Rule] {
        let isThread = pictor_thread_flags()
        return [
            Rule("clone", pictor_seccomp_allow(), [.masked(0, isThread, equals: isThread)]),
            ownAbort,
            // The name of a thread. Its value is a pointer, and harmless.
            Rule("prctl", pictor_seccomp_allow(), [.equal(0, UInt64(PR_SET_NAME))]),
            Rule("prctl", pictor_seccomp_fail(UInt16(EINVAL)), [.equal(0, 0x5356_4D41)]),  // PR_SET_VMA
        ]
    }

    /// abort(3) raises its signal by this call. Other signals are refused: with SIGKILL or SIGSTOP, the process would look as if
    /// others had killed or stopped it, and its picture would not be blamed.
    private static var ownAbort: Rule {
        Rule("tgkill", pictor_seccomp_allow(), [.equal(0, UInt64(getpid())), .equal(2, UInt64(SIGABRT))])
    }

    private static let descriptors = [
        "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "ftruncate",
        "dup", "poll", "ppoll",
    ]

    /// Messages on the daemon's socket (descriptor 3) only.
    private static let messages =
        ["recvmsg", "sendmsg"].map { Rule($0, pictor_seccomp_allow(), [.equal(0, 3)]) }
        + Rule.commands([F_GETFD, F_GETFL])

    private static let questions = [
        "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "clock_gettime", "clock_getres",
        "clock_nanosleep", "nanosleep", "gettimeofday", "times", "getrusage", "getcpu", "getrandom",
        "sysinfo", "uname", "getrlimit",
    ]

    /// prlimit64(2) of the process itself with no new limit: reads the limits, never changes them.
    private static let limits = [Rule("prlimit64", pictor_seccomp_allow(), [.equal(0, 0), .equal(2, 0)])]

    private static let files = ["open", "openat", "openat2"]

    private static let names = [
        "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
        "getdents64", "getcwd", "statfs", "fstatfs",
    ]

    /// Opens files for reading only; none can be written to or created, whether the kernel has Landlock or not. openat2(2) is
    /// refused, because its flags are behind a pointer.
    private static let reading =
        Rule.reading("open", flags: 1) + Rule.reading("openat", flags: 2) + Rule.fail(EACCES, ["openat2"])

    /// Further calls that fontconfig and FreeType make for the descriptors that they open. Other commands of fcntl(2) are refused:
    /// with F_SETOWN and F_SETSIG, the kernel would send any signal to any process of the user, even the daemon.
    private static let ofFonts =
        Rule.allow(["fadvise64"]) + Rule.commands([F_SETFD, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC])

    /// Calls that place memory on nodes and threads on cores, and ioctl(2), which libraries use to ask
    /// whether a descriptor is a terminal.
    private static let placement = [
        "get_mempolicy", "set_mempolicy", "mbind", "sched_setaffinity", "sched_setscheduler", "membarrier",
        "ioctl", "unlink", "memfd_create",
    ]
}

private struct Rule {
    enum Condition {
        case equal(UInt32, UInt64)
        case masked(UInt32, UInt64, equals: UInt64)
    }

    let call: String
    let action: UInt32
    let conditions: [Condition]

    init(_ call: String, _ action: UInt32, _ conditions: [Condition] = []) {
        self.call = call
        self.action = action
        self.conditions = conditions
    }

    static func allow(_ calls: [String]) -> [Rule] { calls.map { Rule($0, pictor_seccomp_allow()) } }

    /// Allows these commands of fcntl(2).
    static func commands(_ commands: [Int32]) -> [Rule] {
        commands.map { Rule("fcntl", pictor_seccomp_allow(), [.equal(1, UInt64($0))]) }
    }

    static func fail(_ code: Int32, _ calls: [String]) -> [Rule] {
        calls.map { Rule($0, pictor_seccomp_fail(UInt16(code))) }
    }

    /// - Parameter argument: the index of the call's argument with the flags of open(2).
    static func reading(_ call: String, flags argument: UInt32) -> [Rule] {
        func rule(_ action: UInt32, _ mask: Int32, _ value: Int32) -> Rule {
            Rule(call, action, [.masked(argument, UInt64(mask), equals: UInt64(value))])
        }
        let refusal = pictor_seccomp_fail(UInt16(EACCES))
        return [rule(pictor_seccomp_allow(), O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY)]
            + [O_WRONLY, O_RDWR, O_ACCMODE].map { rule(refusal, O_ACCMODE, $0) }
            + [O_CREAT, O_TRUNC].map { rule(refusal, $0, $0) }
    }

    /// Adds the rule. True also if this machine's architecture lacks the call, which then needs no rule.
    func add(to filter: scmp_filter_ctx) -> Bool {
        let number = seccomp_syscall_resolve_name(call)
        guard number >= 0 else { return true }
        let comparisons = conditions.map(\.comparison)
        return seccomp_rule_add_array(filter, action, number, UInt32(comparisons.count), comparisons) == 0
    }
}

extension Rule.Condition {
    fileprivate var comparison: scmp_arg_cmp {
        switch self {
        case .equal(let argument, let value):
            scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
        case .masked(let argument, let mask, let value):
            scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
        }
    }
}
