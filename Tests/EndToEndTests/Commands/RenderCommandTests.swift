// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

@Suite("`pictor render` makes pictures of files without a daemon", .endToEnd)
struct RenderCommandTests {
    private let folder = TemporaryFolder()

    private func put(_ bytes: [UInt8], _ path: String) throws {
        let url = URL(filePath: "\(folder.path)/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private func header(_ path: String) throws -> ImageHeader {
        let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(path)"))
        return try ImageHeader.parse(Array(bytes))
    }

    private func render(_ arguments: String...) throws -> PictorCommand {
        try PictorCommand(
            ["render", "--jobs", "1"] + arguments.map { $0.replacing("@", with: folder.path) })
    }

    @Test func `one file becomes the picture that the options ask for`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let made = try render("@/a.png", "-o", "@/small.webp", "--query", "w=30&output=webp")
        #expect(made.status == 0, "\(made.error)")
        let picture = try header("small.webp")
        #expect(picture.format == .webp && picture.upright.width == 30 && picture.upright.height == 20)
        #expect(made.error == "1 made, 0 failed\n", "no counter where there is no terminal")
    }

    @Test func `the counter fits into the terminal, and is left out where it could not be erased`() throws {
        try put(Pictures.gradient(60, 40), "in/a.png")
        try put(Pictures.gradient(60, 40), "in/b.png")
        for (name, counter) in [("xterm", "\u{1B}[K1 of 2, 0 …"), ("dumb", nil)] as [(String, String?)] {
            let run = try TerminalCommand(
                ["render", "\(folder.path)/in", "-o", "\(folder.path)/\(name)", "--jobs", "1"], width: 12,
                height: 5, environment: ["TERM": name])
            #expect(run.end() == 0)
            #expect(Patience.until { run.output.contains("2 made, 0 failed") })
            #expect(run.output.contains("\u{1B}") == (counter != nil))
            if let counter { #expect(run.output.contains(counter), "\(run.output)") }
        }
    }

    @Test(
        arguments: [
            ("small.webp", "w=30", .webp), ("small.JPEG", "", .jpeg), ("small.tif", "output=tiff", .tiff),
            ("small.out", "output=webp", .webp), ("small", "w=30", .png), ("small.2", "w=30", .png),
        ] as [(String, String, ImageFormat)])
    func `the ending of the one picture's name chooses its format, where no option does`(
        name: String, query: String, format: ImageFormat
    ) throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let made = try render("@/a.png", "-o", "@/\(name)", "--query", query)
        #expect(made.status == 0, "\(made.error)")
        #expect(try header(name).format == format)
    }

    @Test(arguments: [
        ("x.svg", "w=30", "names no format that can be written"),
        ("x.heic", "w=30", "names no format that can be written"),
        ("x.jp2", "", "names no format that can be written"),
        ("x.out", "w=30", "names no format that can be written"),
        ("x.auto", "w=30", "names no format that can be written"),
        ("x.jpg", "output=webp", "means jpeg, but --query asks for webp"),
        ("x.svg", "output=png", "means svg, but --query asks for png"),
    ])
    func `an ending that would be wrong is refused before anything is made`(
        name: String, query: String, words: String
    ) throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let run = try render("@/a.png", "-o", "@/\(name)", "--query", query)
        #expect(run.status == 64)
        #expect(run.error.contains("--output: the ending ."), "\(run.error)")
        #expect(run.error.contains(words), "\(run.error)")
        #expect(folder.files(in: "") == ["a.png"])
    }

    @Test func `an ending that turns out to be wrong is that picture's failure`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let run = try render("@/a.png", "-o", "@/x.svg", "--query", "svg")
        #expect(run.status == 1 && run.error.contains("output_format"), "\(run.error)")
        #expect(folder.files(in: "") == ["a.png"])
    }

    @Test func `a folder's tree is made again, and a failure ends its own file alone`() throws {
        try put(Pictures.gradient(60, 40), "in/a.png")
        try put(Pictures.gradient(40, 60), "in/deep/er/b.png")
        try put(Array("no picture".utf8), "in/deep/c.png")
        try put(Pictures.gradient(10, 10), "secret/d.png")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/in/link", withDestinationPath: "\(folder.path)/secret")
        let run = try render("@/in", "-o", "@/out", "--query", "w=20&output=jpeg", "--json")
        #expect(run.status == 1)
        #expect(folder.files(in: "out").sorted() == ["a.jpg", "deep/er/b.jpg"], "\(run.error)")
        #expect(try header("out/deep/er/b.jpg").upright.height == 30)
        #expect(run.lines.count == 3)
        let failed = try #require(run.lines.first { $0.contains("c.png") })
        #expect(failed.contains("\"error\":\"not_an_image\""), "\(failed)")
        #expect(run.error == "2 made, 1 failed, 1 links left alone\n")
    }

    @Test func `with --json a folder that is not walked has an object, as a file that fails has`() throws {
        try put(Pictures.gradient(60, 40), "in/a.png")
        // Root may read every folder, but none that is nested too deeply.
        let deep = String(repeating: "d/", count: 65)
        try put(Pictures.gradient(60, 40), "in/\(deep)b.png")
        let run = try render("@/in", "-o", "@/out", "--query", "w=20", "--json")
        #expect(run.status == 1)
        #expect(run.lines.count == 2, "\(run.output)")
        let failed = try #require(run.lines.first { $0.contains("\"error\":\"unreadable\"") })
        #expect(failed.contains("in/d/d/"), "\(failed)")
        #expect(run.error == "1 made, 1 failed\n")
        let plain = try render("@/in", "-o", "@/other", "--query", "w=20")
        #expect(plain.error.contains("d/d\": unreadable: "), "\(plain.error)")
    }

    @Test func `behind -- a file may have the name of a setting's flag`() throws {
        try put(Pictures.gradient(60, 40), "a.png")
        let run = try render("--json", "-o", "@/out", "--", "@/a.png", "--log-format")
        #expect(run.status == 1)
        #expect(run.lines.count == 2, "\(run.output)")
        #expect(run.lines.contains { $0.hasPrefix("{\"file\":\"--log-format\",") }, "\(run.output)")
    }

    @Test func `what is there is overwritten with --force only, and never by a second file of the run`()
        throws
    {
        try put(Pictures.gradient(60, 40), "a.png")
        try put(Pictures.gradient(50, 40), "b/a.png")
        try put([1, 2, 3], "out/a.png")
        let refused = try render("@/a.png", "-o", "@/out", "--query", "w=20")
        #expect(refused.status == 1 && refused.error.contains("output_exists"), "\(refused.error)")
        #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/out/a.png")) == Data([1, 2, 3]))
        let forced = try render("@/a.png", "@/b/a.png", "-o", "@/out", "--query", "w=20", "--force")
        #expect(forced.status == 1 && forced.error.contains("output_taken"), "\(forced.error)")
        #expect(try header("out/a.png").upright.width == 20)
        #expect(folder.files(in: "out") == ["a.png"], "no temporary file is left")
    }

    @Test func `a link in the output folder leads nowhere`() throws {
        try put(Pictures.gradient(60, 40), "in/sub/a.png")
        try put([1], "elsewhere/x")
        try put([1], "out/x")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/out/sub", withDestinationPath: "\(folder.path)/elsewhere")
        let run = try render("@/in", "-o", "@/out", "--force")
        #expect(run.status == 1 && run.error.contains("output_unwritable"), "\(run.error)")
        #expect(folder.files(in: "elsewhere") == ["x"])
    }

    @Test(arguments: ["in", "in/", "in/../in"])
    func `a folder that is read is refused as the output folder`(output: String) throws {
        try put(Pictures.gradient(60, 40), "in/a.png")
        let run = try render("@/in", "-o", "@/\(output)", "--query", "w=20", "--force")
        #expect(run.status == 64 && run.error.contains("is read; name another folder"), "\(run.error)")
        #expect(try header("in/a.png").upright.width == 60)
    }

    @Test(arguments: [
        (["@/a.png", "-o", "@/x", "--query", "blurr=5"], "blurr"),
        (["@/a.png", "-o", "@/x", "--query", "output=json"], "output"),
        (["@/a.png", "-o", "@/x", "--query", "url=http://a/"], "The parameter url is not given"),
        (["@/a.png", "-o", "@/x", "--query", "w=3&%75rl=http://a/"], "The parameter url is not given"),
        (["-o", "@/x"], "file"), (["@/a.png"], "output"),
    ])
    func `a wrong command line is refused before anything is made`(arguments: [String], words: String) throws
    {
        let run = try PictorCommand(
            ["render"] + arguments.map { $0.replacing("@", with: folder.path) })
        #expect(run.status == 64 && run.error.contains(words), "\(run.error)")
        #expect(folder.files(in: "").isEmpty)
    }
}
