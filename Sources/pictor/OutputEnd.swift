// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

/// The end of a command's output. What `print` holds back is written when the process ends, and a disk that is full shows only
/// then: whoever has redirected the output would get a part of it from a command that says it is good.
enum OutputEnd {
    /// To be called once. A command whose output could not be written ends with status 1 and the reason.
    static func watch() {
        atexit {
            let isFlushed = fflush(stdout) == 0
            let reason = String(cString: strerror(errno))
            guard !isFlushed || ferror(stdout) != 0 else { return }
            let words = "Error: standard output: \(isFlushed ? "it could not all be written" : reason)\n"
            _ = words.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, words.utf8.count) }
            // exit(3) must not be called here.
            _exit(EXIT_FAILURE)
        }
    }
}
