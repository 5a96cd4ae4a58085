// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Kernel
import Operator
import TestSupport
import Testing

@Suite("Pictures are written whole, below their folder, and over nothing unasked")
struct OutputFolderTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path + "/out" }

    private func output(overwrites: Bool = false) throws -> OutputFolder {
        try OutputFolder(root, overwrites: overwrites)
    }

    private func body(_ text: String) -> Body { .bytes(ImmutableBytes(Array(text.utf8))) }

    private func text(_ name: String) -> String? {
        try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
    }

    /// The code of the failure; nil if there is none.
    private func code(_ write: () throws(OutputFolder.Failure) -> Void) -> String? {
        do throws(OutputFolder.Failure) {
            try write()
            return nil
        } catch {
            #expect(!error.description.isEmpty)
            return error.code
        }
    }

    /// All files, including hidden ones.
    private var files: [String] { folder.files(in: "out").sorted() }

    @Test func `the folder is made, with those below it, and a picture has all of its bytes`() throws {
        let output = try output()
        try output.write(body("one"), to: [], "a.png")
        try output.write(body("two"), to: ["b", "c"], "a.png")
        try output.write(body(""), to: ["b"], "empty.png")
        #expect(text("a.png") == "one" && text("b/c/a.png") == "two" && text("b/empty.png") == "")
        #expect(files == ["a.png", "b/c/a.png", "b/empty.png"], "no temporary file is left")
    }

    @Test func `of an open file as many bytes are written as belong to the picture`() throws {
        let source = folder.path + "/source"
        // More bytes than are copied at once.
        let bytes = (0..<(2_500_000)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        try Data(bytes).write(to: URL(filePath: source))
        let file = OwnedDescriptor(adopting: open(source, O_RDONLY | O_CLOEXEC))
        try output().write(.file(file, length: 2_400_001), to: [], "a.png")
        #expect(try Data(contentsOf: URL(filePath: root + "/a.png")) == Data(bytes.prefix(2_400_001)))
    }

    @Test func `a file that is shorter than it says leaves nothing`() throws {
        let source = folder.path + "/source"
        try Data([1, 2, 3]).write(to: URL(filePath: source))
        let file = OwnedDescriptor(adopting: open(source, O_RDONLY | O_CLOEXEC))
        let output = try output()
        #expect(
            code { () throws(OutputFolder.Failure) in
                try output.write(.file(file, length: 4), to: [], "a.png")
            } == "output_unwritable")
        #expect(files.isEmpty)
    }

    @Test func `a file that is there stays, unless it may be overwritten`() throws {
        try output().write(body("old"), to: [], "a.png")
        let again = try output()
        #expect(
            code { () throws(OutputFolder.Failure) in
                try again.write(body("new"), to: [], "a.png")
            } == "output_exists")
        #expect(text("a.png") == "old")
        try output(overwrites: true).write(body("new"), to: [], "a.png")
        #expect(text("a.png") == "new" && files == ["a.png"])
    }

    @Test func `one name is given once in a run, also where files may be overwritten`() throws {
        for overwrites in [false, true] {
            let output = try OutputFolder(root + "/\(overwrites)", overwrites: overwrites)
            try output.write(body("first"), to: ["x"], "a.png")
            #expect(
                code { () throws(OutputFolder.Failure) in
                    try output.write(body("second"), to: ["x"], "a.png")
                } == "output_taken")
            try output.write(body("other"), to: [], "a.png")
            #expect(text("\(overwrites)/x/a.png") == "first")
        }
    }

    @Test func `links below the folder lead nowhere`() throws {
        let elsewhere = folder.path + "/elsewhere"
        let files = FileManager.default
        try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: URL(filePath: elsewhere + "/a.png"))
        let output = try output(overwrites: true)
        try files.createSymbolicLink(atPath: root + "/way", withDestinationPath: elsewhere)
        try files.createSymbolicLink(atPath: root + "/a.png", withDestinationPath: elsewhere + "/a.png")
        #expect(
            code { () throws(OutputFolder.Failure) in
                try output.write(body("new"), to: ["way"], "b.png")
            } == "output_unwritable")
        // The file replaces the link itself.
        try output.write(body("new"), to: [], "a.png")
        #expect(text("a.png") == "new")
        #expect(try String(contentsOfFile: elsewhere + "/a.png", encoding: .utf8) == "kept")
        #expect(try files.contentsOfDirectory(atPath: elsewhere) == ["a.png"])
    }

    @Test func `a pipe or a device is never replaced, nor a link that stands for one`() throws {
        let output = try output(overwrites: true)
        let files = FileManager.default
        try #require(mkfifo(root + "/pipe", 0o600) == 0)
        try files.createSymbolicLink(atPath: root + "/device", withDestinationPath: "/dev/null")
        try files.createSymbolicLink(atPath: root + "/output", withDestinationPath: "/proc/self/fd/1")
        for name in ["pipe", "device", "output"] {
            #expect(
                code { () throws(OutputFolder.Failure) in
                    try output.write(body("new"), to: [], name)
                } == "output_unwritable", "\(name)")
        }
        var status = stat()
        #expect(lstat(root + "/pipe", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(try files.destinationOfSymbolicLink(atPath: root + "/device") == "/dev/null")
        #expect(try files.destinationOfSymbolicLink(atPath: root + "/output") == "/proc/self/fd/1")
    }

    @Test func `a file where a folder is needed is a failure of that picture alone`() throws {
        let output = try output()
        try output.write(body("file"), to: [], "a")
        #expect(
            code { () throws(OutputFolder.Failure) in
                try output.write(body("one"), to: ["a"], "b.png")
            } == "output_unwritable")
        try output.write(body("two"), to: ["c"], "b.png")
        #expect(text("a") == "file" && text("c/b.png") == "two")
    }

    @Test func `a folder that cannot be made is told at once`() throws {
        try Data().write(to: URL(filePath: folder.path + "/file"))
        #expect(throws: SystemError.self) {
            try OutputFolder(folder.path + "/file/out", overwrites: false)
        }
        #expect(throws: SystemError.self) { try OutputFolder(folder.path + "/file", overwrites: false) }
    }

    @Test func `many at once for one name: one is written, the others are told`() async throws {
        let output = try output()
        let written = await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask { (try? output.write(body("\(number)"), to: ["x"], "a.png")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(written == 1 && files == ["x/a.png"])
    }
}
