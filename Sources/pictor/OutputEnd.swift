// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

/// Checks the end of a command's output. `print` buffers text until the process ends, so only then does a full disk show: without
/// the check, a command whose output was cut short would exit with status 0.
enum OutputEnd {
    /// Call this once. A command whose output could not be written ends with status 1 and the reason.
    static func watch() {
        atexit {
            let isFlushed = fflush(stdout) == 0
            let reason = String(cString: strerror(errno))
            guard !isFlushed || ferror(stdout) != 0 else { return }
            let words = "Error: standard output: \(isFlushed ? "it could not all be written" : reason)\n"
            _ = words.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, words.utf8.count) }
            // Calling exit(3) in a handler of atexit(3) is undefined.
            _exit(EXIT_FAILURE)
        }
    }
}
