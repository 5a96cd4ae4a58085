// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("meta of thumbor's and imagor's URLs has the members that it has there", .endToEnd)
struct OperationMetaTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--thumbor-enabled", "true", "--imagor-enabled", "true"] + flags)
    }

    private func object(_ reply: Connection.Reply) throws -> [String: Any] {
        #expect(reply.status == 200 && reply["Content-Type"] == "application/json", "\(reply.text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
    }

    @Test func `thumbor's tells the original and the target`() throws {
        let source = origin.url("/a").absolute
        let daemon = try daemon()
        let told = try object(daemon.get("/thumbor/unsafe/meta/30x/\(source)"))
        #expect(Set(told.keys) == ["thumbor"])
        let parts = try #require(told["thumbor"] as? [String: Any])
        let original = try #require(parts["source"] as? [String: Any])
        #expect(original["url"] as? String == source)
        #expect(original["width"] as? Int == 60 && original["height"] as? Int == 40)
        #expect(original["frameCount"] as? Int == 1)
        let target = try #require(parts["target"] as? [String: Any])
        #expect(target["width"] as? Int == 30 && target["height"] as? Int == 20)
    }

    @Test func `thumbor's keeps to itself where a path of the settings leads`() throws {
        let daemon = try daemon("--thumbor-base-url", "http://127.0.0.1:\(origin.port)")
        let parts = try #require(
            try object(daemon.get("/thumbor/unsafe/meta/a"))["thumbor"] as? [String: Any])
        let original = try #require(parts["source"] as? [String: Any])
        #expect(original["url"] == nil && original["width"] as? Int == 60)
    }

    @Test func `imagor's tells the result and its media type`() throws {
        let daemon = try daemon()
        let source = origin.url("/a").absolute
        let told = try object(daemon.get("/imagor/unsafe/meta/30x/\(source)"))
        #expect(
            Set(told.keys) == [
                "format", "content_type", "width", "height", "orientation", "pages", "bands", "exif",
            ])
        #expect(told["format"] as? String == "png" && told["content_type"] as? String == "image/png")
        #expect(told["width"] as? Int == 30 && told["height"] as? Int == 20)
        #expect(told["orientation"] as? Int == 1 && told["pages"] as? Int == 1)
        let looked = try object(
            daemon.get("/imagor/unsafe/meta/filters:avgcolor():blurhash(4,3):thumbhash()/\(source)"))
        let average = try #require(looked["average_color"] as? [String: Any])
        #expect(Set(average.keys) == ["r", "g", "b"] && average["r"] is Int)
        #expect((looked["blurhash"] as? String)?.count == 28 && looked["thumbhash"] is String)
    }
}
