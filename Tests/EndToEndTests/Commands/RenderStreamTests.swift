// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

@Suite("`pictor render` reads standard input and writes standard output where the names are `-`", .endToEnd)
struct RenderStreamTests {
    private let folder = TemporaryFolder()

    private func put(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(name)"))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    }

    private func header(_ name: String) throws -> ImageHeader {
        try ImageHeader.parse(Array(try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))))
    }

    /// What a shell prints that runs this line in the folder.
    private func shell(_ line: String, _ environment: [String: String] = [:]) throws -> String {
        try #require(try Program.shell(line, environment: environment, folder: folder.path)).output
    }

    @Test func `a picture goes through a pipe, and what is told goes to standard error`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        // Nobody means this folder.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/-", withIntermediateDirectories: true)
        let query = "--query 'w=30&output=webp'"
        let line = "cat a.png | pictor render - \(query) -o - --jobs 1 2> told > small.webp; echo $?"
        #expect(try shell(line) == "0\n")
        let picture = try header("small.webp")
        #expect(picture.format == .webp && picture.upright.width == 30 && picture.upright.height == 20)
        let told = try text("told").split(separator: "\n")
        #expect(told.count == 2 && told[0].hasPrefix("\"-\" -> \"-\", webp 30x20, "), "\(told)")
        #expect(told.last == "1 made, 0 failed")
        #expect(folder.files(in: "").sorted() == ["a.png", "small.webp", "told"])
    }

    @Test func `either end may be a file, whose name chooses the format`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        #expect(try shell("pictor render a.png -o - --jobs 1 2> told > b; echo $?") == "0\n")
        #expect(try header("b").format == .png)
        let made = try shell("pictor render - -o c.webp --jobs 1 < b")
        #expect(made.hasPrefix("\"-\" -> \"c.webp\", webp 60x40, "), "\(made)")
        #expect(try header("c.webp").format == .webp)
    }

    @Test func `with --json the object goes to standard error, a failure's as well`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        _ = try shell("pictor render a.png -o - --json --jobs 1 2> told > b")
        #expect(try text("told").hasPrefix("{\"file\":\"a.png\",\"output\":\"-\","))
        #expect(try shell("echo none | pictor render - -o - --json --jobs 1 2> told > b; echo $?") == "1\n")
        let told = try text("told")
        #expect(told.hasPrefix("{\"file\":\"-\",\"error\":\"not_an_image\","), "\(told)")
        #expect(try text("b").isEmpty)
    }

    @Test func `standard input is bounded as a file is`() throws {
        try put([UInt8](repeating: 0, count: 200_000), "zero")
        let limit = ["PICTOR_ORIGIN_MAXIMUM_BODY": "64KiB"]
        for line in ["pictor render zero -o x", "pictor render - -o x < zero", "yes | pictor render - -o x"] {
            let told = try shell("\(line) --jobs 1", limit)
            #expect(told.contains("original_too_large") && told.hasSuffix("0 made, 1 failed\n"), "\(told)")
        }
        #expect(folder.files(in: "") == ["zero"])
    }

    @Test(arguments: [
        ("a.png a.png -o -", "takes the picture of one file"), (". -o -", "takes the picture of one file"),
        ("- -o out/", "has no name"), ("- -o .", "has no name"), ("- a.png -o out", "has no name"),
    ])
    func `what has no name, or does not fit into one stream, is refused`(
        arguments: String, words: String
    ) throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let told = try shell("pictor render \(arguments) < a.png; echo $?")
        #expect(told.contains("--output: ") && told.contains(words) && told.hasSuffix("\n64\n"), "\(told)")
        #expect(folder.files(in: "") == ["a.png"])
    }

    @Test func `a picture is not written to a terminal`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let run = try TerminalCommand(
            ["render", "\(folder.path)/a.png", "-o", "-"], width: 80, height: 24)
        #expect(run.end() == 64)
        #expect(Patience.until { run.output.contains("a picture is not written to a terminal") })
        #expect(!run.output.contains("PNG"))
    }

    @Test func `an output that takes nothing, and a standard input that is closed, are told`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let full = try PictorCommand(
            ["render", "\(folder.path)/a.png", "-o", "-", "--jobs", "1"], fillsDisk: true)
        #expect(full.status == 1 && full.error.contains("output_unwritable"), "\(full.error)")
        let closed = try shell("pictor render a.png -o - --jobs 1 >&-; echo $?")
        #expect(closed.contains("output_unwritable") && closed.hasSuffix("\n1\n"), "\(closed)")
        let deaf = try shell("pictor render - -o x --jobs 1 <&-; echo $?")
        #expect(deaf.contains("unreadable") && deaf.hasSuffix("\n1\n"), "\(deaf)")
    }
}
