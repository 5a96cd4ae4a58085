// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Monitoring
import TestSupport
import Testing

/// A log and the text that is written to it.
struct WrittenLog {
    private let pipe = Pipe()
    private let written: Lines
    let stream: LogStream

    init() throws {
        written = Lines(pipe)
        stream = try LogStream(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "test", limit: 1 << 20
        ) { _ in }
    }

    /// All lines written so far. Call this once, at the end. It appends a last line and waits for it, because closing a log waits
    /// for the writing thread for no more than a second.
    func lines() throws -> [String] {
        stream.append { $0 += "end\n".utf8 }
        let lines: [String]? = written.wait { $0.last == "end" ? Array($0.dropLast()) : nil }
        stream.close()
        return try #require(lines)
    }
}
