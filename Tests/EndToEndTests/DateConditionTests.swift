// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import Synchronization
import TestSupport
import Testing

/// A cache or a program that asks by date alone keeps what it has for as long as it is told 304.
@Suite("A date confirms no picture, because its URL may mean another one since", .endToEnd)
struct DateConditionTests: Reloading {
    private static let longAgo = "Sun, 06 Nov 1994 08:49:37 GMT"
    let folder = TemporaryFolder()

    /// By the dates that a client may have of an answer.
    private func conditions(_ reply: Connection.Reply) throws -> [[(String, String)]] {
        let date = try #require(reply["Date"])
        #expect(reply["Last-Modified"] == nil)
        return [date, Self.longAgo].map { [("If-Modified-Since", $0)] }
    }

    @Test func `one that stood in is replaced once the origin is well again`() throws {
        let isWell = Latch()
        let origin = ScriptedOrigin { peer in
            guard isWell.count > 0 else {
                return peer.answer("404 Not Found", fields: ["Cache-Control: max-age=0"])
            }
            peer.picture(Pictures.gradient(60, 40), fields: ["Last-Modified: \(Self.longAgo)"])
        }
        let path = "\(folder.path)/fallback.png"
        try Data(Pictures.flat(80, 40, [0, 0, 255])).write(to: URL(filePath: path))
        let daemon = try DaemonUnderTest(["--fallback-picture", path])
        let fallback = try daemon.get(origin.url(), "w=20")
        #expect(fallback["Pictor-Note"] == "fallback")
        for fields in try conditions(fallback) {
            #expect(try daemon.get(origin.url(), "w=20", fields: fields).status == 200)
        }
        isWell.signal()
        for fields in try conditions(fallback) {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url(), "w=20", fields: fields)
                #expect(reply.status == 200 && reply["Pictor-Note"] == nil, "\(fields)")
            }
        }
    }

    @Test func `one by a former preset is replaced after a reload`() throws {
        let origin = ScriptedOrigin {
            $0.picture(Pictures.gradient(200, 100), fields: ["Last-Modified: \(Self.longAgo)"])
        }
        try write("options:", "  presets: [thumb=w=50]")
        let daemon = try daemon()
        let former = try daemon.get(origin.url(), "preset=thumb")
        #expect(try ImageHeader.parse(former.body).width == 50)
        try write("options:", "  presets: [thumb=w=100]")
        _ = try reload(daemon)
        for fields in try conditions(former) {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url(), "preset=thumb", fields: fields)
                try #require(reply.status == 200, "\(fields)")
                #expect(try ImageHeader.parse(reply.body).width == 100)
            }
        }
    }

    @Test func `one is replaced by an older file that was put back`() throws {
        let dates = Mutex(["Mon, 06 Jul 2020 10:00:00 GMT", Self.longAgo])
        let origin = ScriptedOrigin { peer in
            let date = dates.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            let colour: UInt8 = date == Self.longAgo ? 1 : 9
            peer.picture(
                Pictures.flat(40, 20, [colour, 0, 0]), maxAge: 0, fields: ["Last-Modified: \(date)"])
        }
        let daemon = try DaemonUnderTest()
        let newer = try daemon.get(origin.url(), "w=20")
        for fields in try conditions(newer) {
            let older = try daemon.get(origin.url(), "w=20", fields: fields)
            #expect(older.status == 200 && older.body != newer.body)
        }
    }
}
