// SPDX-License-Identifier: Apache-2.0

import ImageModel
import Testing

@Suite struct SourceURLTests {
    @Test func `a plain URL comes back as it is`() throws {
        let url = try SourceURL.parse("https://example.com/a/b.jpg?x=1")
        #expect(url == SourceURL(scheme: .https, host: "example.com", port: 443, target: "/a/b.jpg?x=1"))
        #expect(url.absolute == "https://example.com/a/b.jpg?x=1")
        #expect(url.key == OriginalKey(url: "https://example.com/a/b.jpg?x=1"))
    }
}
