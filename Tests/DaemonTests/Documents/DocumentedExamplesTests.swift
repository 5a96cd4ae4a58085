// SPDX-License-Identifier: Apache-2.0

import Daemon
import Foundation
@testable import Operator
@testable import Settings
import TestSupport
import Testing

@Suite("What the documents show can be used as it stands")
struct DocumentedExamplesTests {
    private static let source = "https://host/photo.jpg"

    /// Stands for /etc/pictor, in which the examples have a watermark.
    private static let folder: TemporaryFolder = {
        let folder = TemporaryFolder()
        let picture = Data(Pictures.flat(8, 8, [255, 0, 0]))
        try? picture.write(to: URL(filePath: "\(folder.path)/logo.png"))
        return folder
    }()

    private static func settings(_ example: Document.Example) throws -> Settings {
        let text = example.text.replacing("/etc/pictor/logo.png", with: "\(folder.path)/logo.png")
        let settings = try SettingsLoader.load(
            flags: [], environment: [:], file: (path: "\(example)", text: text))
        try settings.mustBeUsable()
        return settings
    }

    /// The languages that a test of documents reads, and those that are only for people. Without an example, the test of a
    /// language would test nothing; an example in another language would not be tested.
    @Test func `the languages of the examples are those that tests read, and none is missing`() {
        let read: Set = [
            "console", "go", "html", "ini", "java", "js", "json", "nginx", "php", "python", "ruby", "sh",
            "url",
            "yaml", "yaml profiles",
        ]
        let shown: Set = ["mermaid", "text", "yml"]
        let examples = Document.all.flatMap(\.examples)
        let unread = examples.filter { !read.union(shown).contains($0.language) }
        #expect(unread.isEmpty, "\(unread.map { "\($0): \($0.language)" })")
        #expect(read.subtracting(examples.map(\.language)).isEmpty)
    }

    @Test(arguments: Document.examples(in: "yaml"))
    func `settings are read without a mistake`(example: Document.Example) throws {
        _ = try Self.settings(example)
    }

    @Test func `profiles are read without a mistake`() throws {
        let examples = Document.examples(in: "yaml profiles")
        #expect(examples.count == 5)
        for example in examples {
            #expect(try OriginProfiles(example.text, path: "\(example)").list.count == 1)
        }
    }

    /// Lines of such examples: each has a URL or a list of options, and the result.
    private static func targets(_ example: Document.Example) throws -> [String] {
        try example.lines.map { line in
            let words = try #require(line.split(separator: " ").first)
            return words.hasPrefix("/") ? String(words) : "/img?url=\(source)&\(words)"
        }
    }

    /// A service with the settings that the document shows before the example.
    private static func service(_ example: Document.Example, base: String) throws -> URLService {
        let before = Document.examples(in: "yaml").last {
            $0.document == example.document && $0.line < example.line
        }
        return try URLService(try before.map(settings) ?? Settings(), base: base)
    }

    @Test(arguments: Document.examples(in: "url"))
    func `URLs are understood, with the settings that are shown before them`(example: Document.Example) throws
    {
        let service = try Self.service(example, base: "")
        for target in try Self.targets(example) {
            #expect(throws: Never.self, "\(example): \(target)") { try service.explain(target, now: 0) }
        }
    }

    @Test(arguments: Document.examples(in: "html"))
    func `URLs of pages are understood, too`(example: Document.Example) throws {
        let service = try Self.service(example, base: "https://img.example.com")
        let pictures = example.text.matches(of: /src="([^"]+)"/)
        #expect(!pictures.isEmpty)
        for picture in pictures {
            #expect(throws: Never.self, "\(example): \(picture.1)") {
                try service.explain(String(picture.1), now: 0)
            }
        }
    }

    @Test func `what sharp and imgproxy are told has its options here`() throws {
        let service = try URLService(Settings(), base: "")
        let rows = try Document("docs/migrating/sharp.md").rows.filter { $0[0].hasPrefix("`") }
        #expect(rows.count >= 7)
        for row in rows {
            let target = "/img?url=\(Self.source)&\(row[2].filter { $0 != "`" })"
            #expect(throws: Never.self, "\(target)") { try service.explain(target, now: 0) }
        }
    }

    @Test(arguments: Document.examples(in: "json"))
    func `JSON is JSON`(example: Document.Example) throws {
        _ = try JSONSerialization.jsonObject(with: Data(example.text.utf8))
    }

    @Test(arguments: Document.examples(in: "sh"))
    func `commands for a shell are spelled right`(example: Document.Example) throws {
        let shell = try #require(try Program.run(["sh", "-n", "-c", example.text]))
        #expect(shell.status == 0, "\(shell.output)")
    }

    @Test(arguments: Document.examples(in: "ini"))
    func `a credential is one that the unit names`(example: Document.Example) throws {
        let line = try #require(example.lines.last)
        #expect(try Document("systemd/pictor.service").text.contains("#\(line)\n"))
    }

    // MARK: Examples whose program may be installed; `scripts/setup` installs none of these programs

    @Test(
        .enabled(if: Program.isInstalled("node"), "node is not installed"),
        arguments: Document.examples(in: "js"))
    func `JavaScript is read by its interpreter`(example: Document.Example) throws {
        let name = example.text.firstMatch(of: /export default function (\w+)/)?.1
        // The site spells its own pictures as paths.
        let calls = [Self.source, "/photo.jpg"].compactMap { source in
            name.map { "console.log(\($0)({ src: '\(source)', width: 640 }))\n" }
        }
        // The example with signatures needs a key, and has a test of its own.
        var environment = ProcessInfo.processInfo.environment
        environment["SIGNING_KEY"] = "an-example-key-that-nobody-may-use"
        let command = ["node", "--input-type=module", "-e", example.text + calls.joined()]
        let node = try #require(try Program.run(command, environment: environment))
        #expect(node.status == 0, "\(node.output)")
        guard name != nil else { return }
        let service = try URLService(Settings(), base: "https://img.example.com")
        for url in node.output.split(separator: "\n") {
            #expect(throws: Never.self, "\(url)") { try service.explain(String(url), now: 0) }
        }
    }

    @Test(
        .enabled(if: Program.isInstalled("nginx"), "nginx is not installed"),
        arguments: Document.examples(in: "nginx"))
    func `nginx takes what is meant for it`(example: Document.Example) throws {
        let folder = TemporaryFolder()
        let text = """
            pid \(folder.path)/pid;
            error_log stderr;
            events {}
            http {
                access_log off;
                server {
                    listen unix:\(folder.path)/socket;
                    \(example.text)
                }
            }
            """
        try text.write(toFile: "\(folder.path)/nginx.conf", atomically: true, encoding: .utf8)
        var environment = ProcessInfo.processInfo.environment
        environment["PATH", default: ""] += ":/usr/sbin"
        let command = ["nginx", "-t", "-p", folder.path, "-c", "\(folder.path)/nginx.conf"]
        let nginx = try #require(try Program.run(command, environment: environment))
        #expect(nginx.status == 0, "\(nginx.output)")
    }
}
