// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// Starts a program that inherits a socket at `Wire.descriptor` and no other descriptor of ours
/// (posix_spawn(3)).
struct Launcher: Sendable {
    let executable: String
    let arguments: [String]

    /// The socket becomes descriptor 3 and `errors` standard error; standard input and output are /dev/null,
    /// and all higher descriptors are closed. Signals have their defaults, whatever this process ignores or
    /// blocks.
    func launch(socket: Int32, errors: Int32) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        try check("posix_spawn_file_actions_init", posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check("addopen", posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0))
        try check("addopen", posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0))
        // The order matters: `errors` may be descriptor 3 here, but neither end can be descriptor 2.
        try check("adddup2", posix_spawn_file_actions_adddup2(&actions, errors, 2))
        try check("adddup2", posix_spawn_file_actions_adddup2(&actions, socket, Wire.descriptor))
        try check("addclosefrom", pictor_spawn_close_from(&actions, Wire.descriptor + 1))

        var attributes = posix_spawnattr_t()
        try check("posix_spawnattr_init", posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        try prepareSignals(&attributes)

        var process: pid_t = 0
        let code = Self.withPointers(to: ["pictor"] + arguments) { arguments in
            Self.withPointers(to: Self.environment) { environment in
                posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
            }
        }
        try check("posix_spawn", code)
        return process
    }

    private func prepareSignals(_ attributes: inout posix_spawnattr_t) throws(SystemError) {
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        try check("setsigdefault", posix_spawnattr_setsigdefault(&attributes, &all))
        try check("setsigmask", posix_spawnattr_setsigmask(&attributes, &none))
        let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        try check("setflags", posix_spawnattr_setflags(&attributes, flags))
    }

    /// The environment of a worker process. LD_LIBRARY_PATH is kept, so that the worker finds the same libraries as this
    /// executable; the daemon's other variables are dropped.
    ///
    /// Swift's runtime must not start a backtracer when a decoder crashes. libdispatch must not log that a niced process
    /// cannot lower its threads' niceness. OpenMP uses one thread, because choosing a palette on two cores took one and a half
    /// times the processor time, and there is a process for every core already.
    private static var environment: [String] {
        var entries = ["SWIFT_BACKTRACE=enable=no", "LIBDISPATCH_LOG=NO", "OMP_NUM_THREADS=1"]
        if let path = getenv("LD_LIBRARY_PATH") { entries.append("LD_LIBRARY_PATH=" + String(cString: path)) }
        return entries
    }

    /// A null-terminated array of C strings, as execve(2) expects.
    private static func withPointers<Value>(
        to strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }

    private func check(_ call: String, _ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError(call, code: code) }
    }
}
