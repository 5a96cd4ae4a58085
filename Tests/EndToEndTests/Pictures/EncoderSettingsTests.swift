// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Encoders obey the settings, and what was made by others is not served", .endToEnd)
struct EncoderSettingsTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.noise(64, 48)) }

    @Test(arguments: [
        (
            [
                "--encoder-jpeg-quality", "40", "--encoder-webp-quality", "40", "--encoder-avif-quality",
                "30",
                "--encoder-png-compression", "0",
            ], ["output=jpg", "output=webp", "output=avif", "output=png"]
        ),
        (
            ["--encoder-jpeg-optimised", "false", "--encoder-webp-effort", "0"],
            ["output=jpg", "output=webp"]
        ),
        (["--encoder-webp-alpha-quality", "0"], ["output=webp&mask=circle"]),
    ])
    func `other settings make another picture under another tag, and the former make the former`(
        flags: [String], options: [String]
    ) throws {
        let cache = TemporaryFolder()
        func made(_ flags: [String]) throws -> [Connection.Reply] {
            let daemon = try DaemonUnderTest(flags, cache: cache)
            let replies = try options.map { try daemon.get(origin.url(), "w=50&\($0)") }
            #expect(daemon.stop() == 0)
            return replies
        }
        let (first, second, third) = (try made([]), try made(flags), try made([]))
        for (index, option) in options.enumerated() {
            let replies = [first[index], second[index], third[index]]
            #expect(replies.allSatisfy { $0.status == 200 && $0["ETag"] != nil }, "\(option)")
            #expect(replies[0].body != replies[1].body, "\(option)")
            #expect(replies[0]["ETag"] != replies[1]["ETag"], "\(option)")
            #expect(replies[0].body == replies[2].body, "\(option)")
            #expect(replies[0]["ETag"] == replies[2]["ETag"], "\(option)")
        }
        #expect(origin.heads.count == 1)
    }
}
