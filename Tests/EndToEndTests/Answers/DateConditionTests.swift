// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

/// A cache or a program that asks by date alone keeps what it has for as long as it is told 304.
@Suite("A date confirms the picture that a URL means, and no other", .endToEnd)
struct DateConditionTests: Reloading {
    private static let longAgo = "Sun, 06 Nov 1994 08:49:37 GMT"
    let folder = TemporaryFolder()

    private static func moment(_ date: String?) throws -> Timestamp {
        try #require(date.flatMap { HTTPDate.parse($0, now: Timestamp(seconds: 0)) })
    }

    @Test(arguments: [false, true])
    func `a picture that stands in has no date`(isRemote: Bool) throws {
        let origin = ScriptedOrigin { peer in
            guard peer.target == "/fallback" else {
                return peer.answer("404 Not Found", fields: ["Cache-Control: max-age=0"])
            }
            peer.picture(Pictures.gradient(60, 40), fields: ["Last-Modified: \(Self.longAgo)"])
        }
        let path = "\(folder.path)/fallback.png"
        try Data(Pictures.flat(80, 40, [0, 0, 255])).write(to: URL(filePath: path))
        let daemon = try DaemonUnderTest([
            "--fallback-picture", isRemote ? origin.url("/fallback").absolute : path,
        ])
        let fallback = try daemon.get(origin.url("/gone"), "w=20")
        #expect(fallback["Pictor-Note"] == "fallback" && fallback["Last-Modified"] == nil)
        for date in [try #require(fallback["Date"]), Self.longAgo] {
            let again = try daemon.get(
                origin.url("/gone"), "w=20", fields: [("If-Modified-Since", date)])
            #expect(again.status == 200 && again["Pictor-Note"] == "fallback")
        }
        let tag = try #require(fallback["ETag"])
        let known = try daemon.get(origin.url("/gone"), "w=20", fields: [("If-None-Match", tag)])
        #expect(known.status == 304 && known["Last-Modified"] == nil)
    }

    @Test(arguments: [longAgo, "Sat, 06 Nov 2094 08:49:37 GMT"])
    func `one by a former preset is replaced after a reload, also with a date that is ahead`(date: String)
        throws
    {
        let origin = ScriptedOrigin {
            $0.picture(Pictures.gradient(200, 100), fields: ["Last-Modified: \(date)"])
        }
        try write("options:", "  presets: [thumb=w=50]")
        let daemon = try daemon()
        let former = try daemon.get(origin.url(), "preset=thumb")
        #expect(try ImageHeader.parse(former.body).width == 50)
        let told = try #require(former["Last-Modified"])
        // RFC 9110 §8.8.2.1: none that is ahead is told.
        #expect(
            try date == Self.longAgo ? told == date : Self.moment(told) <= Self.moment(former["Date"]))
        let known = try daemon.get(origin.url(), "preset=thumb", fields: [("If-Modified-Since", date)])
        #expect(known.status == 304)
        try write("options:", "  presets: [thumb=w=100]")
        _ = try reload(daemon)
        for _ in 1...2 {
            let reply = try daemon.get(
                origin.url(), "preset=thumb", fields: [("If-Modified-Since", date)])
            try #require(reply.status == 200)
            #expect(try ImageHeader.parse(reply.body).width == 100)
            #expect(reply["Last-Modified"] == told)
        }
    }

    @Test func `one of the second of the reload is replaced as well, where the answer alone has a date`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(200, 100)) }
        try write("options:", "  presets: [thumb=w=50]")
        let daemon = try daemon()
        let former = try daemon.get(origin.url(), "preset=thumb")
        #expect(former["Last-Modified"] == nil)
        try write("options:", "  presets: [thumb=w=100]")
        _ = try reload(daemon)
        let date = try #require(former["Date"])
        for _ in 1...2 {
            let reply = try daemon.get(
                origin.url(), "preset=thumb", fields: [("If-Modified-Since", date)])
            try #require(reply.status == 200)
            #expect(try ImageHeader.parse(reply.body).width == 100)
        }
    }
}
