// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
package import Kernel

/// A file with a line for each finished target, so that a later run can continue.
package struct WarmRecord: Sendable {
    /// Targets finished by earlier runs.
    package let done: Set<String>
    private let file: OwnedDescriptor

    /// Makes the file if it is missing.
    /// - Throws: if it cannot be read or opened.
    package init(_ path: String) throws(SystemError) {
        let raw = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard raw >= 0 else { throw .last("open \(path)") }
        file = OwnedDescriptor(adopting: raw)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SystemError("read \(path)", code: EIO)
        }
        var lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        // The last part is empty, or a line that was cut off when the run ended.
        let torn = lines.popLast() ?? ""
        done = Set(lines.map(String.init))
        if !torn.isEmpty { try append("") }
    }

    /// Appends a target. It is written at once, so that a run may be ended at any time.
    package func append(_ target: String) throws(SystemError) {
        let line = Array("\(target)\n".utf8)
        guard write(file.raw, line, line.count) == line.count else { throw .last("write") }
    }
}
