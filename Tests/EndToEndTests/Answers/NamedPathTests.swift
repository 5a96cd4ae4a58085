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
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let named = target("photo.jpg", "w=20")
        for url in [named, "https://img.example\(named)", named.replacing("/photo.jpg", with: "")] {
            let command = try daemon.command(["explain", url])
            let told = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any]
            let asked = try #require(told?["asked"] as? [String: Any], "\(url): \(command.error)")
            #expect(asked["source"] as? String == origin.url("/a").absolute)
            #expect((asked["recipe"] as? String)?.contains("w=20") == true)
        }
        let reply = try daemon.get(target("photo.jpg", "output=json&json=srcset"))
        let told = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
        let set = try #require(told?["srcset"] as? String)
        #expect(set.hasPrefix("/img/photo.jpg?url="), "\(set)")
        let link = String(try #require(set.split(separator: " ").first))
        #expect(try daemon.get(link).status == 200)
    }
}
