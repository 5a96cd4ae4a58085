// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("README.md's examples give what it says", .endToEnd)
struct ReadmeExamplesTests {
    private static let source = "https://host/photo.jpg"

    /// An origin that has the photograph, 2400 × 1600 as JPEG, and a daemon.
    private func start() throws -> (daemon: DaemonUnderTest, origin: ScriptedOrigin) {
        // Drawn before it is asked for: that takes a debug build seconds on a busy machine.
        let picture = Pictures.gradient(2400, 1600)
        let daemon = try DaemonUnderTest()
        let drawing = ScriptedOrigin { $0.picture(picture) }
        let photograph = try daemon.get(drawing.url(), "output=jpg")
        #expect(photograph["Content-Type"] == "image/jpeg")
        return (daemon, ScriptedOrigin { $0.picture(photograph.body) })
    }

    /// `/img?url=https://host/photo.jpg&…`, for the photograph at this origin.
    private func target(_ text: String, _ origin: ScriptedOrigin) -> String {
        text.replacing(Self.source, with: origin.url("/photo.jpg").absolute)
    }

    @Test func `its commands are answered with what their file is named after`() throws {
        let (daemon, origin) = try start()
        let commands = try Document("README.md").examples.filter { $0.language == "sh" }.flatMap(\.lines)
            .filter { $0.hasPrefix("curl") }
        #expect(commands.count >= 6)
        for command in commands {
            let url = try #require(command.firstMatch(of: /http:\/\/127\.0\.0\.1:8080([^']+)'/))
            let fields = command.matches(of: /-H '([^:]+): ([^']+)'/).map { (String($0.1), String($0.2)) }
            let isHead = command.hasPrefix("curl -sI")
            let reply = try daemon.get(
                target(String(url.1), origin), method: isHead ? "HEAD" : "GET", fields: fields)
            #expect(reply.status == 200, "\(command): \(reply.text.prefix(200))")
            let type =
                if command.contains("out.jpg") || isHead { "image/jpeg" } else if command.contains("out.png")
                {
                    "image/png"
                } else if command.contains("output=json") { "application/json" } else { "image/avif" }
            #expect(reply["Content-Type"]?.hasPrefix(type) == true, "\(command): \(reply.fields)")
            if isHead { #expect(reply["Cache-Status"]?.hasSuffix("detail=memoryHit") == true) }
        }
        #expect(origin.heads.count == 1)
    }

    @Test func `its picture tells the sizes that come out`() throws {
        let (daemon, origin) = try start()
        let lines = try #require(try Document("README.md").examples.first).lines
        let results = lines.compactMap { $0.wholeMatch(of: #/ (/img\S+) +(\d+) × (\d+) .*/#) }
        #expect(results.count == 3)
        for result in results {
            // PNG, whose size stands at the same place in every file.
            let asked = result.1.replacing("&output=auto", with: "") + "&output=png"
            let reply = try daemon.get(target(String(asked), origin))
            let size = [16, 20].map { start in
                reply.body.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            }
            #expect(size == [Int(result.2), Int(result.3)], "\(result.0)")
        }
    }
}
