// SPDX-License-Identifier: Apache-2.0

@testable import Imaging
import Testing

/// A namespace is written once, and precedes each of 90,000 names.
@Suite("The names of an XML document are not without end", .timeLimit(.minutes(1)))
struct LongNameTests {
    private static let long = String(repeating: "a", count: 1 << 20)
    private static let elements = String(repeating: "<a:b/>", count: 90_000)

    @Test func `a drawing with a long namespace is refused`() {
        #expect(
            refusal(ofDrawing: "<svg xmlns:a='\(Self.long)'>\(Self.elements)</svg>") == "a name is too long")
        #expect(refusal(ofDrawing: "<svg xmlns:a='\(Self.long)' a:b=''/>") == "a name is too long")
        #expect(refusal(ofDrawing: "<svg \(Self.long)=''/>") == "a name is too long")
        // The namespace is not used by a name.
        #expect(refusal(ofDrawing: "<svg xmlns:a='\(Self.long)'/>") == nil)
    }

    @Test func `the longest name is read`() {
        // A newline separates the two.
        let space = String(repeating: "a", count: XMLName.longest - 2)
        #expect(refusal(ofDrawing: "<svg xmlns:a='\(space)'><a:b/></svg>") == nil)
        #expect(refusal(ofDrawing: "<svg xmlns:a='\(space)'><a:bc/></svg>") == "a name is too long")
        // A letter of two bytes.
        #expect(refusal(ofDrawing: "<svg xmlns:a='\(space)'><a:é/></svg>") == "a name is too long")
    }

    @Test func `the terms of a gain map are read up to a long name`() throws {
        let terms = try #require(
            GainMapTerms(channels: [.init(most: 1_000_000)], leastHeadroom: 0, fullHeadroom: 2_000_000))
        let packet = String(decoding: terms.xmp.dropFirst(GainMapTerms.xmpName.count), as: UTF8.self)
        let parts = packet.split(separator: "</rdf:RDF>")
        try #require(parts.count == 2)
        let told = "\(parts[0])<g xmlns:a='\(Self.long)'>\(Self.elements)</g></rdf:RDF>\(parts[1])"
        #expect(GainMapTerms(xmp: Array(packet.utf8)[...]) == terms)
        #expect(GainMapTerms(xmp: Array(told.utf8)[...]) == terms)
        let late = "<g xmlns:a='\(Self.long)'>\(Self.elements)\(packet)</g>"
        #expect(GainMapTerms(xmp: Array(late.utf8)[...]) == nil)
    }
}
