// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RequestGrammar
import Testing

@Suite("A query is a list of names, each with a value or none")
struct ParameterTests {
    private func strict(_ query: String) throws -> [[String?]] {
        try QueryParameters(Array(query.utf8)[...]).parameters.map { [$0.name, $0.value] }
    }

    private func lenient(_ query: [UInt8]) -> [[String?]] {
        QueryParameters(lenient: query[...]).parameters.map { [$0.name, $0.value] }
    }

    @Test(
        arguments: [
            ("", []), ("&&", []), ("a", [["a", nil]]), ("a=", [["a", ""]]), ("=b", [["", "b"]]),
            ("=", [["", ""]]),
            ("a=b=c", [["a", "b=c"]]), ("a=b&a=c", [["a", "b"], ["a", "c"]]), ("%61=%62", [["a", "b"]]),
            ("a%3Db=c", [["a=b", "c"]]), ("a=b%26c", [["a", "b&c"]]), ("a=b;c=d", [["a", "b;c=d"]]),
            ("a+b=c+d", [["a+b", "c+d"]]),
            ("a=%25%32%35", [["a", "%25"]]), ("é=%C3%A9", [["é", "é"]]),
        ] as [(String, [[String?]])])
    func `it is cut at ampersands, and each piece at its first equals sign`(
        query: String, expected: [[String?]]
    ) throws {
        #expect(try strict(query) == expected)
        #expect(lenient(Array(query.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("a=%", [["a", "%"]]), ("a=%zz&b=1", [["a", "%zz"], ["b", "1"]]), ("%4=1", [["%4", "1"]]),
            ("a=%00&b=1", [["b", "1"]]), ("%0A=1&b=1", [["b", "1"]]), ("a=%7F&b", [["b", nil]]),
            ("a=%FF&b=%20", [["b", " "]]),
            ("%FF&b=1", [["b", "1"]]), ("a=%1F&b=%7E", [["b", "~"]]),
        ] as [(String, [[String?]])])
    func `leniently read, what cannot be decoded is passed over`(query: String, expected: [[String?]]) {
        #expect(throws: RequestError.self) { try strict(query) }
        #expect(lenient(Array(query.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("u=%FF&b=1", [["u", "%FF"], ["b", "1"]]), ("u=%C3%A9%FF%25", [["u", "%C3%A9%FF%"]]),
            ("u=%C3%A9%0A", [["u", "é\n"]]), ("u=%00", [["u", "\0"]]), ("u", [["u", nil]]),
            ("b=%FF&%75=a%20b", [["u", "a b"]]), ("%FF=1&u=", [["u", ""]]),
        ] as [(String, [[String?]])])
    func `leniently read, a URL is never passed over`(query: String, expected: [[String?]]) {
        let parameters = QueryParameters(lenient: Array(query.utf8)[...], urls: ["u"]).parameters
        #expect(parameters.map { [$0.name, $0.value] } == expected)
    }

    @Test func `a name that cannot be decoded is told as it came, but for what is not to be seen`() {
        for (query, name) in [
            ("%ff=1", "%ff"), ("a b%=1", "a?b%"), ("!~%=1", "!~%"), ("\u{7F}%=1", "?%"), ("é%zz", "??%zz"),
            ("\u{1}\n%", "??%"),
        ] {
            let error = #expect(throws: RequestError.self) { try strict(query) }
            #expect(error?.parameter == name)
        }
    }

    @Test(arguments: [
        ("a=1", true), ("b=1&a", true), ("b=a", false), ("", false), ("&&", false), ("ab=1", false),
        ("%61=1", true),
        ("b=%61", false), ("%zz", true), ("A=1", false), ("=a", false), ("b&&a=", true), ("b=a&c=a", false),
    ])
    func `whether a name may be among them is told before anything is decoded`(query: String, mayHold: Bool) {
        #expect(QueryParameters.mayHold(["a", "x"], in: Array(query.utf8)) == mayHold)
    }

    @Test func `both readings agree on whatever the strict one takes`() {
        var random = SeededRandom(for: "parameters")
        let pieces = ["a", "b", "=", "=", "&", "&", "%", "%41", "%2", "+", "é", "%00", "%FF", ";"]
        var taken = 0
        for _ in 0..<10_000 {
            let query = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            guard let parameters = try? strict(query) else { continue }
            taken += 1
            #expect(lenient(Array(query.utf8)) == parameters, "\(query)")
        }
        #expect(taken > 1_000)
    }

    // MARK: What people are told of a request

    @Test func `every option is told, with what holds of it and whether the URL says so`() throws {
        let request = try ImageRequest.parse(query: "url=a.com&w=5&q=70&filename=x&sat=2&priority=high")
        let accounts = Dictionary(uniqueKeysWithValues: request.accounts.map { ($0.name, $0) })
        for (name, value) in [("w", "5"), ("q", "70"), ("filename", "x"), ("mod", "1,2,0")] {
            #expect(accounts[name]?.value == value)
            #expect(accounts[name]?.isDefault == false, "\(name)")
        }
        for (name, value) in [
            ("h", "by ratio"), ("fit", "inside"), ("we", "1"), ("bg", "none"),
            ("output", "same as the source"),
            ("encoding", "none"), ("priority", "high"), ("n", "1"), ("maxage", "the original's"),
        ] {
            #expect(accounts[name]?.value == value)
            #expect(accounts[name]?.isDefault == true, "\(name)")
        }
        // Synonyms, and parameters that are no part of the picture, are not listed.
        for name in ["url", "url64", "sat", "hue", "sharpf", "preset", "sig", "exp"] {
            #expect(accounts[name] == nil, "\(name)")
        }
        let names = OptionTable.rows.map(\.name).filter { accounts[$0] != nil }
        #expect(request.accounts.map(\.name) == names)
    }
}
