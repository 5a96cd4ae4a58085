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

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
