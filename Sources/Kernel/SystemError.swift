// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that failed: its name and errno(3).
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// Reads `errno`; to be made right after the failed call.
    package static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }

    /// The process or the machine has no more of something: descriptors, buffers, memory.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    /// Why no socket could be made now; nil: one could.
    package static func shortage() -> SystemError? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        let error = SystemError.last("socket")
        return error.isShortage ? error : nil
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
