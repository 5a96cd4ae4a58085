// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import Foundation
import Kernel
import Testing

@Suite("Bodies that are sent are those that their store has verified") struct AnswerCacheTests {
    private let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
    private let table = AnswerCache(budget: 8 << 20, openFiles: 8)

    /// A file as the disk cache's store opens it.
    private func body(_ length: Int) throws -> Body {
        try Data(repeating: 7, count: length).write(to: URL(filePath: path))
        let file = open(path, O_RDONLY)
        let state = try #require(FileState(file))
        return .file(OwnedDescriptor(adopting: file, in: state) { _, _ in }, length: length)
    }

    @Test(arguments: [(100, inMemory: true), (1 << 20, inMemory: false)])
    func `a small one is taken into memory, a large one stays a file`(length: Int, inMemory: Bool) throws {
        defer { unlink(path) }
        let body = try #require(table.intact(try body(length)))
        #expect(body.length == length)
        if case .bytes(let bytes) = body {
            #expect(inMemory && bytes.buffer.allSatisfy { $0 == 7 })
        } else {
            #expect(!inMemory)
        }
    }

    @Test(arguments: [100, 1 << 20]) func `one that was written to or cut is not used`(length: Int) throws {
        defer { unlink(path) }
        let flipped = try body(length)
        let writer = open(path, O_WRONLY)
        #expect(pwrite(writer, [8], 1, 50) == 1)
        close(writer)
        #expect(table.intact(flipped) == nil)
        let cut = try body(length)
        #expect(truncate(path, 50) == 0)
        #expect(table.intact(cut) == nil)
        // The file was evicted meanwhile, but its bytes are the same.
        let evicted = try body(length)
        #expect(unlink(path) == 0)
        #expect(table.intact(evicted) != nil)
    }
}
