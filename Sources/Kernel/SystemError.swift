// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that failed: its name and errno(3).
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call's name, for messages.
    package let call: String
    /// The number of errno(3), or the negative one of getaddrinfo(3).
    package let code: Int32

    /// Takes an error number that does not come from `errno`; for `errno` see `last(_:)`.
    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The error of the call that has just failed: reads `errno`, so it must run right after the call.
    package static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }

    /// True if the process or the machine ran out of descriptors, buffers or memory.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    /// Opens a socket and closes it again, to learn whether a request failed for want of descriptors or memory. Nil if the trial
    /// succeeds, or fails for another reason.
    package static func shortage() -> SystemError? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return ReservedDescriptors.contain(descriptor) ? .reserved : nil
        }
        let error = SystemError.last("socket")
        return error.isShortage ? error : nil
    }

    package var description: String {
        let reason = code < 0 ? String(cString: gai_strerror(code)) : String(cString: strerror(code))
        return "\(call): \(reason)"
    }
}
