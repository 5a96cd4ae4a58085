// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("With gainmap an Ultra HDR JPEG stays one", .endToEnd)
struct GainMapDaemonTests {
    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let iso = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
    private static let terms = """
        <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/">
        <r:Description hdrgm:Version="1.0" hdrgm:GainMapMax="2.25" hdrgm:HDRCapacityMax="2.3"/></r:RDF>
        """

    /// A JPEG with a packet of XMP as its first segment.
    private func with(_ packet: String, _ jpeg: [UInt8]) -> [UInt8] {
        let payload = Self.xmp + Array(packet.utf8)
        let length = payload.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
            + jpeg.dropFirst(2)
    }

    /// The map stands behind the picture, whose directory tells how long it is.
    private func joined(_ picture: [UInt8], _ map: [UInt8]) -> [UInt8] {
        let map = with(Self.terms, map)
        let directory = """
            <d xmlns:c="http://ns.google.com/photos/1.0/container/" xmlns:i="http://ns.google.com/photos/1.0/container/item/">
            <c:Item i:Semantic="GainMap" i:Length="\(map.count)"/></d>
            """
        return with(directory, picture) + map
    }

    @Test(arguments: ["true", "false"])
    func `the URL asks for it, and the picture is another one by its ETag`(lane: String) throws {
        let daemon = try DaemonUnderTest([
            "--decoder-jail", "require", "--decoder-jpeg-lane", lane,
        ])
        func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
            let origin = ScriptedOrigin { $0.picture(Pictures.gradient(width, height)) }
            return try daemon.get(origin.url(), "output=jpg").body
        }
        let file = try joined(jpeg(320, 240), jpeg(40, 30))
        let origin = ScriptedOrigin { $0.picture(file) }
        let plain = try daemon.get(origin.url(), "w=160&output=jpg")
        let kept = try daemon.get(origin.url(), "w=160&output=jpg&gainmap")
        #expect(plain.status == 200 && kept.status == 200)
        #expect(plain.body.firstRange(of: Self.iso) == nil && kept.body.firstRange(of: Self.iso) != nil)
        #expect(String(decoding: kept.body, as: UTF8.self).contains("hdrgm:GainMapMax=\"2.25\""))
        let tags = [plain, kept].map { $0["ETag"] }
        #expect(tags[0] != nil && tags[0] != tags[1])
        // The picture that is shown without HDR is the same.
        let shown = try [plain, kept].map { reply in
            let again = ScriptedOrigin { $0.picture(reply.body) }
            return try daemon.get(again.url(), "output=png").body
        }
        #expect(shown[0] == shown[1])
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `where there is no place for it nothing changes`() throws {
        let daemon = try DaemonUnderTest()
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(64, 48)) }
        for output in ["jpg", "webp"] {
            let plain = try daemon.get(origin.url(), "w=32&output=\(output)")
            let asked = try daemon.get(origin.url(), "w=32&output=\(output)&gainmap")
            #expect(asked.status == 200 && asked.body == plain.body)
        }
        #expect(try daemon.get(origin.url(), "gainmap=maybe").status == 400)
    }
}
