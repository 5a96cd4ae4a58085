// SPDX-License-Identifier: Apache-2.0

@testable import JSON
import Testing

@Suite("A member that stands twice in an object is found") struct RepeatedMemberTests {
    private func found(_ text: String) -> String? { UntrustedJSON.repeatedMember(in: Array(text.utf8)) }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, "{ \"a\" : 1 ,\n\t\"a\"\r: 2 }", #"{"a":"x","a":"a"}"#,
        #"[{"b":1},{"a":1,"a":2}]"#, #"{"b":{"a":1,"a":2}}"#, #"{"a":{"b":1},"a":{"b":1}}"#,
        #"{"a":[1,{"b":1}],"a":1}"#,
    ])
    func `wherever it stands`(text: String) { #expect(found(text) == "a") }

    @Test(arguments: [#"{"dry_run":1,"dry\u005frun":2}"#, #"{"\u0064ry_run":1,"dry_run":2}"#])
    func `however its letters are escaped`(text: String) { #expect(found(text) == "dry_run") }

    @Test func `escaped quotes and backslashes are its own`() {
        #expect(found(#"{"a\"":1,"a":2}"#) == nil)
        #expect(found(#"{"a\\":1,"a":2}"#) == nil)
        #expect(found(#"{"a\\":1,"a\u005c":2}"#) == #"a\"#)
        #expect(found(#"{"a":"\\","a":2}"#) == "a")
    }

    @Test(arguments: [
        "", "{}", "[]", "1", #"{"a":1,"A":2}"#, #"{"a":"a","b":"a:a"}"#, #"[{"a":1},{"a":2}]"#,
        #"{"a":{"a":{"a":1}}}"#, #"{"a":["a","a"],"b":"{\"a\":1,\"a\":2}"}"#, #"{"":1," ":2}"#,
    ])
    func `and none where each stands once in its object`(text: String) { #expect(found(text) == nil) }

    @Test func `and none in what no decoder reads`() {
        #expect(found(":::") == nil)
        #expect(found(#"{"a"::1}"#) == nil)
        #expect(found("{'url':'a','dry_run':1}") == nil, "what has no text in quotes has no names")
        #expect(found("]}\"a\":1") == nil)
        #expect(found(#"{"\q":1,"\q":2}"#) == nil)
        #expect(found(String(repeating: "[", count: 100) + #"{"a":1,"a":2}"#) == nil)
    }
}
