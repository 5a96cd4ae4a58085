// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
import Glibc
import Kernel
import Testing

@Suite("The words of a process become a few lines, and are read no further")
struct ProcessWordsTests {
    /// The ends of a pipe, which do not block.
    private func pipe() throws -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        return (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Writes until the pipe is full; returns the number of bytes that it took.
    private func fill(_ end: OwnedDescriptor, with words: String) -> Int {
        var taken = 0
        while case let count = write(end.raw, words, words.utf8.count), count > 0 { taken += count }
        return taken
    }

    @Test(arguments: ["word\n", "no line ends "]) func `who writes without end is not read without end`(
        words: String
    ) throws {
        let (reading, writing) = try pipe()
        var said = ProcessWords(reading)
        var (lines, taken): (Int, Int) = (0, 0)
        for _ in 0..<1_000 {
            taken += fill(writing, with: words)
            _ = said.drain { _ in lines += 1 }
        }
        let areWanted = said.areWanted
        #expect(!areWanted)
        #expect(lines <= ProcessWords.lineLimit)
        #expect(taken < 1 << 20, "a pipe and what was read of it")
    }

    @Test func `the next job has lines of its own, and none of the last one's`() throws {
        let (reading, writing) = try pipe()
        var said = ProcessWords(reading)
        var lines: [String] = []
        _ = fill(writing, with: "old\n")
        _ = said.drain { lines.append($0) }
        #expect(lines == [String](repeating: "old", count: ProcessWords.lineLimit))
        said.renew()
        #expect(write(writing.raw, "new\n", 4) == 4)
        let isOpen = said.drain { lines.append($0) }
        #expect(isOpen)
        #expect(lines.dropFirst(ProcessWords.lineLimit) == ["new"])
    }
}
