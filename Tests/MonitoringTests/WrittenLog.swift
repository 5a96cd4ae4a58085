// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Monitoring
import TestSupport
import Testing

/// A log, and what is written to it.
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

    /// All lines. To be called once, as the last thing. They are all there when a line behind them is: the end of a log waits no
    /// longer than a second for the thread that writes.
    func lines() throws -> [String] {
        stream.append { $0 += "end\n".utf8 }
        let lines: [String]? = written.wait { $0.last == "end" ? Array($0.dropLast()) : nil }
        stream.close()
        return try #require(lines)
    }
}
