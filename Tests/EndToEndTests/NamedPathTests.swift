// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A name behind /img is for caches, and for nothing else", .endToEnd)
struct NamedPathTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(40, 20), maxAge: 600) }

    private func target(_ name: String, _ options: String) -> String {
        DaemonUnderTest.target(origin.url("/a"), options).replacing("/img?", with: "/img/\(name)?")
    }

    @Test func `it is the same picture, made once, and a purge removes it under every name`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let bare = try daemon.get(origin.url("/a"), "w=20")
        for name in ["photo.jpg", "photo.webp"] {
            for _ in 1...2 {
                let named = try daemon.get(target(name, "w=20"))
                #expect((named.status, named["ETag"]) == (200, bare["ETag"]))
                #expect(named["Content-Type"] == bare["Content-Type"], "the extension chooses no format")
            }
        }
        #expect(try daemon.get(target("photo.jpg", "w=0")).text.contains("bad_parameter"))
        #expect(try daemon.metric("pictor_renders_total") == 1)
        let source = origin.url("/a").absolute
        #expect(try daemon.order("/admin/purge", "{\"url\":\"\(source)\"}").status == 200)
        #expect(try daemon.get(target("photo.jpg", "w=20"))["Cache-Status"]?.contains("fwd") == true)
        #expect(origin.heads.count == 2)
    }

    @Test func `it is explained as the other is, and a srcset keeps it`() throws {
        let daemon = try DaemonUnderTest()
        let escaped = try #require(
            target("photo.jpg", "w=20").addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let reply = try daemon.admin("/admin/explain?target=\(escaped)")
        #expect(reply.status == 200 && reply.text.contains(origin.url("/a").absolute), "\(reply.text)")
        let set = try daemon.get(target("photo.jpg", "output=json&json=srcset")).text
        #expect(set.contains("/img/photo.jpg?url="), "\(set)")
    }
}
