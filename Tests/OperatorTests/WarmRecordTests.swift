// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Kernel
import Operator
import TestSupport
import Testing

@Suite("The record of finished targets")
struct WarmRecordTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/record" }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
    private var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    @Test func `is made where it is missing, and has each target on a line`() throws {
        let record = try WarmRecord(path, of: ["/a", "/b"])
        #expect(record.done.isEmpty)
        try record.append("/a")
        try record.append("/b")
        #expect(try text == "/a\n/b\n")
        #expect(try WarmRecord(path, of: ["/b", "/c"]).done == ["/b"])
    }

    @Test func `of other lists' targets, as many as they are, nothing is kept`() throws {
        try write("/a\n/other\n\n/b\n")
        #expect(try WarmRecord(path, of: ["/a", "/b", "/c"]).done == ["/a", "/b"])
        #expect(try WarmRecord(path, of: []).done.isEmpty)
    }

    @Test func `a line that was cut off counts for nothing, and is ended before the next`() throws {
        try write("/a\n/b")
        let record = try WarmRecord(path, of: ["/a", "/b"])
        #expect(record.done == ["/a"])
        try record.append("/c")
        #expect(try text == "/a\n/b\n/c\n")
    }

    @Test func `a line of any length is no target, and the next one is read`() throws {
        try write("/a" + String(repeating: "a", count: 300_000) + "\n/aa\n")
        #expect(try WarmRecord(path, of: ["/a", "/aa"]).done == ["/aa"])
    }

    @Test(arguments: [-4, -3, -2, -1, 0, 1])
    func `a target is found wherever the pieces in which the file is read end`(offset: Int) throws {
        let line = String(repeating: "x", count: (256 << 10) + offset - 1) + "\n"
        try write(line + "/abc\n")
        #expect(try WarmRecord(path, of: ["/abc"]).done == ["/abc"])
    }

    @Test func `what is no regular file is refused`() {
        #expect(throws: SystemError("open: it is no regular file", code: EINVAL)) {
            try WarmRecord("/dev/null", of: ["/a"])
        }
    }
}
