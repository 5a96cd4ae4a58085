// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A picture is saved under the name that was asked for", .endToEnd)
struct FilenameTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(8, 8)) }

    @Test func `the name comes with the extension of what is sent, on hits too`() throws {
        let daemon = try DaemonUnderTest()
        for (options, expected) in [
            ("filename=cat", "inline; filename=cat.png"),
            ("filename=a.b-c_1&output=jpg", "inline; filename=a.b-c_1.jpg"),
            ("filename=dog&output=webp", "inline; filename=dog.webp"), ("output=webp", nil),
        ] {
            for _ in 1...2 {
                #expect(try daemon.get(origin.url(), options)["Content-Disposition"] == expected)
            }
        }
        #expect(try daemon.metric("pictor_renders_total") == 3)
    }

    @Test func `a name that is none is refused`() throws {
        let daemon = try DaemonUnderTest()
        for name in ["", "a%2Fb", "a%22b", "%C3%BC", String(repeating: "x", count: 79)] {
            #expect(try daemon.get(origin.url(), "filename=\(name)").status == 400)
        }
    }
}
