// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RequestGrammar
import Testing

@Suite("Queries that mean the same have one canonical form, others have others")
struct CanonicalQueryTests {
    private func canonical(_ query: String) -> String {
        String(decoding: CanonicalQuery(query.utf8).bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("&&", ""), ("w=1", "w=1"), ("w=200&url=a", "url=a&w=200"),
        ("url=https://host/a b.jpg?x=1;y", "url=https%3A%2F%2Fhost%2Fa%20b.jpg%3Fx%3D1%3By"),
        ("url=https%3a%2F%2fhost%2F%7euser", "url=https%3A%2F%2Fhost%2F~user"),
        ("a+b=c+d", "a%2Bb=c%2Bd"), ("a=%2B", "a=%2B"), ("a=%20", "a=%20"),
        ("we", "we"), ("we=", "we="), ("=x", "=x"), ("=", "="), ("a=b=c", "a=b%3Dc"),
        ("w=2&w=1", "w=2&w=1"), ("w=1&h=3&w=2", "h=3&w=1&w=2"), ("w=1&width=2", "w=1&width=2"),
        ("width=2&w=1", "w=1&width=2"), ("B=1&a=2&A=3&b=4", "A=3&B=1&a=2&b=4"),
        ("a=100%", "a=100%25"), ("a=%zz%4", "a=%25zz%254"), ("a=%2525", "a=%2525"),
        ("a=%25%32%35", "a=%2525"),
        ("a=%00", "a=%00"), ("a=\u{e9}", "a=%C3%A9"), ("a=%c3%a9", "a=%C3%A9"), ("a=%ff%FE", "a=%FF%FE"),
        ("a!=1&a-=2", "a%21=1&a-=2"), ("-._~=-._~", "-._~=-._~"), ("a=b;c=d", "a=b%3Bc%3Dd"),
        ("sig=x&w=1", "w=1"), ("w=1&%73ig=x&s%69g", "w=1"), ("Sig=x", "Sig=x"), ("sig2=x", "sig2=x"),
        ("exp=5&sig=x&w=1", "exp=5&w=1"),
    ])
    func `it is sorted by name and escaped by one rule`(query: String, expected: String) {
        #expect(canonical(query) == expected)
    }

    @Test func `bytes that are no UTF-8 are bytes like others`() {
        let query = CanonicalQuery([0x61, 0x3D, 0xFF, 0x00, 0x80])
        #expect(String(decoding: query.bytes, as: UTF8.self) == "a=%FF%00%80")
    }

    @Test func `the path stands before it, and one dialect's is not another's`() {
        let query = CanonicalQuery("w=1&url=a".utf8)
        let texts = ["/img", "/", "/_next/image"].map {
            String(decoding: query.material(path: $0), as: UTF8.self)
        }
        #expect(texts == ["/img?url=a&w=1", "/?url=a&w=1", "/_next/image?url=a&w=1"])
    }

    @Test func `every signature that is given is told`() {
        let query = CanonicalQuery("sig=a%2Db&w=1&sig&%73ig=c".utf8)
        #expect(query.signatures.map { String(decoding: $0, as: UTF8.self) } == ["a-b", "", "c"])
        #expect(CanonicalQuery("w=1".utf8).signatures.isEmpty)
    }

    @Test(
        arguments: [
            ("w=1", nil), ("exp=0", 0), ("exp=1900000000", 1_900_000_000), ("%65xp=%31", 1),
            ("exp=999999999999", 999_999_999_999), ("exp=007", 7),
        ] as [(String, Int64?)])
    func `exp is unix time`(query: String, expected: Int64?) throws {
        #expect(try CanonicalQuery(query.utf8).expiry() == expected)
    }

    @Test(arguments: [
        "exp", "exp=", "exp=-1", "exp=%2B1", "exp=1.5", "exp=1e9", "exp=%201", "exp=0x10", "exp=1h",
        "exp=1900000000000", "exp=99999999999999999999", "exp=\u{0661}", "exp=1&exp=1", "exp=1&exp=2",
        "exp&exp=1",
    ])
    func `what is no time is refused by its name`(query: String) {
        let error = #expect(throws: RequestError.self) { try CanonicalQuery(query.utf8).expiry() }
        #expect(error?.parameter == "exp")
    }
}

/// Queries as proxies, frameworks and attackers may rewrite them.
@Suite("A canonical form survives spelling and nothing else") struct CanonicalQueryPropertyTests {
    private typealias Pair = (name: [UInt8], value: [UInt8]?)

    private static let names = [
        "url", "w", "width", "h", "default", "exp", "a b", "a!", "", "%", "\u{e9}", "sig2",
    ]
    private static let bytes =
        Array("aZ09-._~ !%&=+;/?:#[]@\"<>\\\u{0}\u{1f}\u{7f}\u{ff}".utf8) + [0xFF, 0x80]

    private func parameters(_ random: inout SeededRandom) -> [Pair] {
        (0..<Int.random(in: 1...7, using: &random)).map { _ in
            let name = Array((Self.names.randomElement(using: &random) ?? "").utf8)
            // An empty piece is no parameter.
            let mustHaveValue = name.isEmpty || Int.random(in: 0..<5, using: &random) > 0
            return (name, mustHaveValue ? text(&random) : nil)
        }
    }

    private func text(_ random: inout SeededRandom) -> [UInt8] {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.bytes.randomElement(using: &random) ?? 0 }
    }

    @Test func `what a query may hold is told without decoding it, and never too little`() {
        let pieces = [
            "sig", "exp", "w", "%73ig", "s%69g", "%65%78%70", "=", "&", "&", "%", "%4", "+", "1", "\u{e9}",
        ]
        var random = SeededRandom(for: "what a query may hold")
        var held = 0
        for _ in 0..<5000 {
            let count = Int.random(in: 0...8, using: &random)
            let query = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let canonical = CanonicalQuery(query.utf8)
            let holds = !canonical.signatures.isEmpty || !canonical.values(of: "exp").isEmpty
            held += holds ? 1 : 0
            let mayHold = QueryParameters.mayHold(["sig", "exp"], in: Array(query.utf8))
            #expect(mayHold || !holds, "\(query)")
        }
        #expect(held > 500)
        let neither = Array("url=a.com/%20sig=1&sig2=exp&=sig&expo".utf8)
        #expect(!QueryParameters.mayHold(["sig", "exp"], in: neither))
    }

    /// One of the spellings of the parameters: some bytes raw, some escaped in either case, with empty pieces and signatures between.
    private func spell(_ pairs: [Pair], _ random: inout SeededRandom) -> [UInt8] {
        func escape(_ bytes: [UInt8], _ reserved: String) -> [UInt8] {
            bytes.flatMap { byte -> [UInt8] in
                if byte != UInt8(ascii: "%"), !reserved.utf8.contains(byte), Bool.random(using: &random) {
                    return [byte]
                }
                let hex = String(byte, radix: 16, uppercase: Bool.random(using: &random))
                return Array(("%" + (byte < 16 ? "0" : "") + hex).utf8)
            }
        }
        var pieces = pairs.map {
            escape($0.name, "&=") + ($0.value.map { Array("=".utf8) + escape($0, "&") } ?? [])
        }
        for extra in ["", "sig=abc", "%73i%67"] where Bool.random(using: &random) {
            pieces.insert(Array(extra.utf8), at: Int.random(in: 0...pieces.count, using: &random))
        }
        return Array(pieces.joined(separator: "&".utf8))
    }

    /// Another order that keeps the order of equal names.
    private func reorder(_ pairs: [Pair], _ random: inout SeededRandom) -> [Pair] {
        var rest = pairs
        var result: [Pair] = []
        while !rest.isEmpty {
            let name = rest[Int.random(in: 0..<rest.count, using: &random)].name
            guard let first = rest.firstIndex(where: { $0.name == name }) else { break }
            result.append(rest.remove(at: first))
        }
        return result
    }

    /// The meaning of a query for an endpoint that knows only names and values: the list of values of each name.
    private func meaning(_ pairs: [Pair]) -> [[UInt8]: [[UInt8]?]] {
        pairs.reduce(into: [:]) { $0[$1.name, default: []].append($1.value) }
    }

    private func alter(_ pairs: [Pair], _ random: inout SeededRandom) -> [Pair] {
        var pairs = pairs
        let index = Int.random(in: 0..<pairs.count, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: pairs.remove(at: index)
        case 1: pairs.insert(pairs[index], at: index)
        case 2: pairs[index].value = pairs[index].value == nil ? [] : nil
        case 3:
            pairs[index].value = (pairs[index].value ?? []) + [Self.bytes.randomElement(using: &random) ?? 0]
        case 4: pairs[index].name += [UInt8(ascii: "x")]
        case 5: pairs.swapAt(index, Int.random(in: 0..<pairs.count, using: &random))
        default:
            pairs[index].value = pairs[index].value.map { $0.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 } }
        }
        return pairs.filter { !$0.name.isEmpty || $0.value != nil }
    }

    @Test func `two queries share it exactly when every name has the same values in the same order`() {
        var random = SeededRandom(for: "canonical query")
        for round in 0..<1_000 {
            let pairs = parameters(&random)
            let form = CanonicalQuery(spell(pairs, &random)).bytes
            let respelt = CanonicalQuery(spell(reorder(pairs, &random), &random)).bytes
            #expect(respelt == form, "round \(round)")
            let other = alter(pairs, &random)
            let isSame = CanonicalQuery(spell(other, &random)).bytes == form
            #expect(isSame == (meaning(other) == meaning(pairs)), "round \(round)")
        }
    }

    @Test func `it is its own, and the same is read out of it`() throws {
        var random = SeededRandom(for: "canonical query, read")
        for round in 0..<150 {
            var pairs = parameters(&random).filter { $0.name != Array("url".utf8) }
            pairs = pairs.filter { _ in random.chance(30) }
            for (name, value) in [("url", "https://host.example/a+b.jpg?x=1&y=%41"), ("w", "10"), ("q", "5")]
            {
                pairs.append((Array(name.utf8), Array(value.utf8)))
            }
            let query = spell(pairs, &random)
            let form = CanonicalQuery(query).bytes
            #expect(CanonicalQuery(form).bytes == form, "round \(round)")
            if let asked = try? ImageRequest.parse(query: query) {
                #expect(try ImageRequest.parse(query: form) == asked, "round \(round)")
            }
        }
    }
}
