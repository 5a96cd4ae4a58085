// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Monitoring
import Synchronization
import TestSupport
import Testing

struct LogStreamTests {
    /// A pipe, and the numbers of dropped lines that the stream has reported.
    private final class LogPipe: Sendable {
        let pipe: (reading: Int32, writing: Int32)
        let told = Mutex<[Int]>([])

        init() {
            let pipe = Pipe()
            self.pipe = (
                dup(pipe.fileHandleForReading.fileDescriptor), dup(pipe.fileHandleForWriting.fileDescriptor)
            )
        }

        deinit {
            close(pipe.reading)
            close(pipe.writing)
        }

        func stream(limit: Int = 1_000, to descriptor: Int32? = nil) throws -> LogStream {
            try LogStream(descriptor: descriptor ?? pipe.writing, name: "test", limit: limit) {
                [self] count in
                told.withLock { $0.append(count) }
            }
        }

        func makeFull() {
            _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
            while write(pipe.writing, "\n", 1) > 0 {}
            _ = fcntl(pipe.writing, F_SETFL, 0)
        }

        /// The next lines that are not empty; fewer if no line comes for a minute.
        func lines(_ count: Int) -> [String] {
            var text = ""
            var lines: [Substring] { text.split(separator: "\n") }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while lines.count < count || text.last != "\n" {
                var events = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
                guard poll(&events, 1, 60_000) > 0 else { break }
                let count = read(pipe.reading, &buffer, buffer.count)
                guard count > 0 else { break }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return lines.map(String.init)
        }
    }

    private func append(_ text: String, to stream: LogStream) { stream.append { $0 += (text + "\n").utf8 } }

    @Test func `lines get out in their order`() throws {
        let logPipe = LogPipe()
        let stream = try logPipe.stream(limit: 1 << 20)
        for number in 0..<1_000 { append("line \(number)", to: stream) }
        #expect(logPipe.lines(1_000) == (0..<1_000).map { "line \($0)" })
        stream.close()
        #expect(stream.dropped == 0)
    }

    @Test func `with a full pipe nobody waits; beyond the limit lines are dropped and told of`() throws {
        let logPipe = LogPipe()
        logPipe.makeFull()
        let stream = try logPipe.stream(limit: 1_000)
        // Each line has a hundred bytes, so ten may wait; the writer may have taken some before.
        let text = String(repeating: "x", count: 99)
        for _ in 0..<100 { append(text, to: stream) }
        let dropped = stream.dropped
        #expect((80...90).contains(dropped))
        #expect(logPipe.lines(100 - dropped).count == 100 - dropped)
        append("after", to: stream)
        #expect(logPipe.lines(1) == ["after"])
        stream.close()
        #expect(logPipe.told.withLock { $0 } == [dropped])
    }

    @Test func `at the end a reader who takes nothing is given up`() throws {
        let logPipe = LogPipe()
        logPipe.makeFull()
        let stream = try logPipe.stream()
        append("lost", to: stream)
        stream.close()
        append("too late", to: stream)
        #expect(stream.dropped == 1)
    }

    @Test func `at the end what waits is written`() throws {
        let logPipe = LogPipe()
        let stream = try logPipe.stream()
        append("last", to: stream)
        stream.close()
        #expect(logPipe.lines(1) == ["last"])
    }

    @Test func `a disk without room costs the lines and nothing else`() throws {
        let logPipe = LogPipe()
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let stream = try logPipe.stream(to: full)
        for _ in 0..<3 { append("lost", to: stream) }
        stream.close()
        // Closing waits a second for the thread.
        #expect(Patience.until { stream.dropped == 3 })
        #expect(logPipe.told.withLock { $0.isEmpty }, "there is nobody to tell")
    }

    @Test func `a descriptor that somebody made non-blocking is waited for`() throws {
        let logPipe = LogPipe()
        logPipe.makeFull()
        _ = fcntl(logPipe.pipe.writing, F_SETFL, O_NONBLOCK)
        let stream = try logPipe.stream()
        append("patient", to: stream)
        #expect(logPipe.lines(1) == ["patient"])
        stream.close()
        #expect(stream.dropped == 0)
    }
}
