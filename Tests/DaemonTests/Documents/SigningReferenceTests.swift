// SPDX-License-Identifier: Apache-2.0

import Bytes
import Dialects
import Foundation
import Hashing
import RequestGrammar
@testable import Settings
@testable import Signatures
import TestSupport
import Testing

@Suite("What docs/operating/signatures.md says is so")
struct SigningReferenceTests {
    private static let key = "an-example-key-that-nobody-may-use"

    private static let document = (try? Document("docs/operating/signatures.md"))

    /// The rows of the document's table: the request, the signed text, the signature.
    private static let vectors: [[String]] = {
        let table = document?.part("signatures") ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: " | ").map {
                $0.filter { !"|`".contains($0) }.trimmingCharacters(in: .whitespaces)
            }
        }
    }()

    @Test func `its test vectors hold`() throws {
        let secrets = try #require(Secrets(settingText: Self.key))
        let keys = try #require(SignatureKeys(secrets))
        #expect(Self.vectors.count >= 8)
        var settings = Settings()
        settings.cloudflare.enabled = true
        let dialects = try Dialects(settings)
        for vector in Self.vectors {
            let sent = try RequestTarget(vector[0].utf8)
            let target = dialects.match(sent)?.target ?? sent
            let material = CanonicalQuery(target.query ?? []).material(path: target.path)
            #expect(String(decoding: material, as: UTF8.self) == vector[1])
            #expect(keys.signature(of: material) == vector[2], "\(vector[0])")
        }
    }

    /// The programs that the examples call, among them openssl, come with the packages of `scripts/setup`.
    @Test(arguments: [("sh", ["sh", "-c"]), ("python", ["python3", "-c"])])
    func `its examples print the first of them`(language: String, command: [String]) throws {
        try expectFirst(of: language, by: command)
    }

    @Test(.enabled(if: Program.isInstalled("node"), "node is not installed"))
    func `so does the one in JavaScript`() throws {
        try expectFirst(of: "js", by: ["node", "--input-type=module", "-e"])
    }

    @Test(.enabled(if: Program.isInstalled("php"), "php is not installed"))
    func `so does the one in PHP`() throws { try expectFirst(of: "php", by: ["php", "-r"]) }

    @Test(.enabled(if: Program.isInstalled("ruby"), "ruby is not installed"))
    func `so does the one in Ruby`() throws { try expectFirst(of: "ruby", by: ["ruby", "-e"]) }

    @Test(.enabled(if: Program.isInstalled("go"), "go is not installed"))
    func `so does the one in Go`() throws {
        try expectFirst(of: "go", by: Self.run("main.go", by: "go run"))
    }

    @Test(.enabled(if: Program.isInstalled("java"), "java is not installed"))
    func `so does the one in Java`() throws {
        try expectFirst(of: "java", by: Self.run("Sign.java", by: "java"))
    }

    /// Runs the example's code from a file of this name.
    private static func run(_ file: String, by command: String) -> [String] {
        let run = #"d=$(mktemp -d) && printf %s "$2" >"$d/$0" && $1 "$d/$0"; rm -rf "$d""#
        return ["sh", "-c", run, file, command]
    }

    private func expectFirst(of language: String, by command: [String]) throws {
        let text = try #require(Self.document?.text)
        let begin = try #require(
            text.firstRange(of: "<!-- signing in \(language) -->\n```\(language)\n"))
        let code = try #require(text[begin.upperBound...].split(separator: "```").first)
        let output = try Self.output(of: command + [String(code)])
        let vector = try #require(Self.vectors.first)
        #expect(output == "\(vector[1])&sig=\(vector[2])\n")
    }

    private static func output(of command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        var environment = ProcessInfo.processInfo.environment
        environment["SIGNING_KEY"] = key
        process.environment = environment
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}

@Suite("HMAC-SHA256 is that of RFC 4231") struct MessageCodeTests {
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `its test cases hold`(key: [UInt8], message: String, code: String) {
        #expect(MessageCode.of(Array(message.utf8), key: key).hex == code)
    }

    @Test func `secrets are compared byte by byte`() {
        func same(_ a: [UInt8], _ b: [UInt8]) -> Bool {
            a.withUnsafeBytes { a in b.withUnsafeBytes { a.isSameSecret(as: $0) } }
        }
        #expect(same([1, 2, 3], [1, 2, 3]) && same([], []))
        #expect(!same([1, 2, 3], [1, 2, 4]) && !same([1, 2, 3], [1, 2]) && !same([], [1]))
    }
}
