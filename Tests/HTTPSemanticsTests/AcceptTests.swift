// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

struct AcceptTests {
    /// `Accept` of real clients for a picture, and RFC 9110's own example.
    @Test(
        arguments: [
            (
                "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
                [.avif, .webp] as AcceptClass
            ),
            ("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", [.avif, .webp]),
            (
                "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/*;q=0.8,*/*;q=0.5",
                [.avif, .webp, .jxl]
            ),
            ("image/jxl;q=0.9,image/webp", [.webp, .jxl, .jxlLast]), ("image/jxl;q=0", []),
            ("image/webp,image/apng,image/*,*/*;q=0.8", .webp),
            ("image/webp,*/*", .webp),
            ("image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5", []),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
                [.avif, .webp]
            ),
            ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", []),
            ("*/*", []), ("image/*", []), ("", []),
            ("text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c", []),
        ] as [(String, AcceptClass)])
    func `clients get what they name`(accept: String, expected: AcceptClass) {
        #expect(AcceptClass(accept) == expected)
    }

    @Test(
        arguments: [
            ("image/webp;q=0", [] as AcceptClass), ("image/webp;q=0.0", []), ("image/webp;q=0.000, */*", []),
            ("image/webp;q=0.001", .webp), ("image/webp; q=1", .webp), ("image/webp;q=1.000", .webp),
            ("image/webp ; Q=0", []),
            ("IMAGE/WEBP", .webp), ("image/webp;q=0, image/avif", .avif), ("image/webp, image/webp;q=0", []),
            ("image/webp;q=0, image/webp", []), ("image/webp;q=2", []), ("image/webp;q=-1", []),
            ("image/webp;q=", []),
            ("image/webp;q", []), ("image/webp;q=a", []), ("image/webp;q=.5", .webp),
            ("image/webp;q=0.12345", .webp), ("image/webp;q=.", []),
            ("image/webp;q=1.", .webp), ("image/webp;q=10", []), ("image/webp;q=1.001", []),
            ("image/webp;q=\"1\"", []),
            ("image/webp;level=1", []), ("image/webp;q=1;level=1", .webp), ("image/webp;q=0;level=1", []),
            ("image/webp;", .webp),
            ("image/webp;;q=0.5", .webp), ("image/webp;level=\"a,b;q=0\", image/avif", .avif),
            ("image/webp/x", []), ("image/", []),
            ("image", []), ("/webp", []), ("image /webp", []), ("image/ webp", []),
            ("image/webp image/avif", []),
            ("image/webpx", []), ("ximage/webp", []), ("*/webp", []), (",, ,image/webp ,,", .webp),
            ("\timage/webp\t", .webp),
            ("@@, image/webp", .webp), ("\"image/webp\"", []), ("x=\"image/webp", []),
            ("image/webp;x=\"", []),
            ("video/webp", []), ("image/avif-sequence", []),
            ("image/avif;q=0.1,image/webp;q=0.9", [.avif, .webp, .webpFirst]),
            ("image/avif;q=0.9,image/webp;q=0.9", [.avif, .webp]),
            ("image/avif,image/webp,image/avif;q=0.1", [.avif, .webp, .webpFirst]),
            ("image/avif;q=0,image/webp;q=0.1", .webp),
        ] as [(String, AcceptClass)])
    func `weights and broken elements`(accept: String, expected: AcceptClass) {
        #expect(AcceptClass(accept) == expected)
    }

    @Test func `no Accept at all welcomes everything but names nothing`() {
        #expect(AcceptClass(nil as String?) == [])
        #expect(
            Accept.preference(for: "image/avif", in: nil as String?)
                == .init(quality: 1000, isExplicit: false))
        #expect(Accept.preference(for: "image/avif", in: " , ") == .init(quality: 1000, isExplicit: false))
    }

    /// Like the table of RFC 9110 §12.5.1, with other media types.
    @Test(
        arguments: [
            ("image/png" as StaticString, 300, false), ("image/jpeg", 700, true), ("text/html", 500, false),
            ("image/webp", 0, true),
        ] as [(StaticString, Int, Bool)])
    func `the most specific range decides`(type: StaticString, quality: Int, isExplicit: Bool) {
        let accept = "image/*;q=0.3, image/jpeg;q=0.7, image/jpeg;level=1, image/webp;q=0, */*;q=0.5"
        #expect(Accept.preference(for: type, in: accept) == .init(quality: quality, isExplicit: isExplicit))
    }

    @Test func `the order of the ranges does not matter, and equal ranges give the least`() {
        #expect(Accept.preference(for: "image/png", in: "*/*;q=0.1, image/*;q=0.2").quality == 200)
        #expect(Accept.preference(for: "image/png", in: "image/*;q=0.2, */*;q=0.1").quality == 200)
        #expect(
            Accept.preference(for: "image/png", in: "image/png;q=0.9, image/png;q=0.2, image/png").quality
                == 200)
        #expect(Accept.preference(for: "image/png", in: "text/*").quality == 0)
        #expect(Accept.preference(for: "image/png", in: "*;q=0.4").quality == 400)
    }

    @Test(
        arguments: [
            // None of the type's parameters, one, all of them, and others.
            ("a/b;q=0.5", 500, true), ("a/b;v=1;q=0.5", 500, true), ("a/b;v=1;c=X;q=0.5", 500, true),
            ("a/b;v=2;q=0.5", 0, false), ("a/b;v=1;w=1;q=0.5", 0, false), ("a/b;v", 0, false),
            // Quoted, in another case, with white space.
            ("a/b;v=\"1\"", 1000, true), ("A/B ; V=1 ;\tC=x ; q=0.3", 300, true), ("a/b;v=\"2\"", 0, false),
            // A parameter of which every value is allowed.
            ("a/b;any=1", 1000, true), ("a/b;any=\"x,y\";v=1", 1000, true),
            // More parameters are more specific, in either order.
            ("a/b;q=0.1,a/b;v=1;q=0.2,a/*;q=0.9", 200, true), ("a/b;v=1;c=x;q=0.3,a/b;v=1;q=0.2", 300, true),
            ("a/b;v=1;q=0,a/b", 0, true), ("a/b;v=2,a/*;q=0.4", 400, false), ("*/*;v=1;q=0.4", 400, false),
            // Parameters after the weight do not describe the type.
            ("a/b;q=0.5;v=2", 500, true),
        ] as [(String, Int, Bool)])
    func `a range with parameters means types that have them`(accept: String, quality: Int, isExplicit: Bool)
    {
        let offered = [Accept.Parameter("v", "1"), .init("c", "x"), .init("any", nil)]
        #expect(
            Accept.preference(for: "a/b", having: offered, in: accept)
                == .init(quality: quality, isExplicit: isExplicit))
    }

    @Test(
        arguments: [
            ("0", 0), ("1", 1000), ("0.", 0), ("0.5", 500), ("0.123", 123), ("0.1239", 123), ("1.0", 1000),
            ("1.000", 1000), (".25", 250),
            ("0.05", 50), ("0.001", 1),
        ] as [(String, Int)])
    func `a weight is counted in thousandths`(text: String, thousandths: Int) {
        #expect(QualityValue.parse(text) == thousandths)
    }

    @Test(
        arguments: ["", ".", "2", "1.1", "1.0001x", "-0", "+1", "01", "0,5", "1e0", " 1", "1 "])
    func `what is no weight is none`(text: String) {
        #expect(QualityValue.parse(text) == nil)
    }

    @Test func `the class is what the preferences say, whatever the bytes`() {
        var random = SeededRandom(for: "Accept")
        let pieces = [
            "image/avif", "image/webp", "image/*", "*/*", "*", "text/html", "image/png", ";q=0", ";q=0.5",
            ";q=1", "; q=.3",
            ";q=7", ";a=b", ";a=\"x,y\"", ",", ", ", " ", "\"", "/", ";", "=", "é",
        ]
        for _ in 0..<50_000 {
            let accept = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            var expected: AcceptClass = []
            let avif = Accept.preference(for: "image/avif", in: accept)
            let webp = Accept.preference(for: "image/webp", in: accept)
            if avif.isExplicit, avif.quality > 0 { expected.insert(.avif) }
            if webp.isExplicit, webp.quality > 0 { expected.insert(.webp) }
            if expected == [.avif, .webp], webp.quality > avif.quality { expected.insert(.webpFirst) }
            #expect(AcceptClass(accept) == expected, "seed \(random.seed): \(accept)")
        }
    }

    @Test func `no bytes make the parser trap`() {
        var random = SeededRandom(for: "Accept")
        for _ in 0..<50_000 {
            let bytes = random.fieldBytes(limit: 40, alphabet: "image/webpavif*;q=0.1,\" \\")
            _ = bytes.withUnsafeBytes { AcceptClass($0) }
            let parameters = [Accept.Parameter("p", "a"), .init("v", nil)]
            _ = bytes.withUnsafeBytes { Accept.preference(for: "image/webp", having: parameters, in: $0) }
        }
    }
}
