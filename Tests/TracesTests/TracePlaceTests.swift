// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing
import Traces

struct TracePlaceTests {
    static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `the example of the standard is read and spelled`() throws {
        let place = try #require(TracePlace(traceparent: Self.example))
        #expect(place.trace.text == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(place.span.text == "00f067aa0ba902b7")
        #expect(place.isSampled)
        #expect(place.traceparent == Self.example)
    }

    @Test(
        arguments: [
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", false),
            // Flags other than "sampled" must not be passed on (§3.2.2.5).
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", false),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", true),
            // A later version is read as far as version 00 goes, with or without additional fields (§4.3).
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes", true),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", true),
        ])
    func `flags and versions`(text: String, isSampled: Bool) {
        #expect(TracePlace(traceparent: text)?.isSampled == isSampled)
    }

    @Test(
        arguments: [
            "", "00", "00-", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1g",
            // Version 00 has nothing after the flags; version ff does not exist.
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            // Upper case is forbidden (§3.2.2).
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        ])
    func `a malformed traceparent names no place`(text: String) {
        #expect(TracePlace(traceparent: text) == nil)
    }

    @Test(
        arguments: [
            ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            ("a=1", "a=1"), ("fw529a3039@dt=x", "fw529a3039@dt=x"), ("a= 1 2", "a= 1 2"), ("", ""),
            // The standard's own tests have these: white space is spaces and tabs, and members may be empty (§3.3.1.1).
            ("foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"), ("\ta=1\t", "a=1"), (" a=1 ", "a=1"),
            ("a=1,,b=2", "a=1,b=2"), ("a=1, ,\t,b=2,", "a=1,b=2"), (" , ", ""),
        ])
    func `the members of a tracestate are read`(state: String, members: String) {
        #expect(TracePlace(traceparent: Self.example, tracestate: state)?.state == members)
    }

    @Test(arguments: [
        "a", "a=", "a= ", "=1", "=", "A=1", "a b=1", "a =1", "a=é", "a=1\tb", "a=1=2", "a=1\nb", "_a=1",
        "@a=1",
        "a=1,b",
    ])
    func `a malformed tracestate counts as none`(state: String) {
        #expect(TracePlace(traceparent: Self.example, tracestate: state)?.state == "")
    }

    @Test func `a tracestate has at most 32 members in 512 bytes`() {
        func state(_ text: String) -> String? {
            TracePlace(traceparent: Self.example, tracestate: text)?.state
        }
        let members = (0..<33).map { "k\($0)=v" }
        #expect(state(members.dropLast().joined(separator: ",")) != "")
        #expect(state(members.joined(separator: ",")) == "")
        #expect(state("a=" + String(repeating: "x", count: 510)) != "")
        #expect(state("a=" + String(repeating: "x", count: 511)) == "")
    }

    @Test func `what is read is what was spelled, and noise never traps`() {
        var random = SeededRandom(for: "traceparent")
        let alphabet = Array("0123456789abcdefABCDEFg- é".utf8)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = Array(Self.example.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = alphabet.randomElement(using: &random) ?? 0
                case 1: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: at)
                default: bytes.remove(at: at)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let place = TracePlace(traceparent: text) else { continue }
            accepted += 1
            #expect(place.traceparent.utf8.count == 55)
            #expect(TracePlace(traceparent: place.traceparent) == place)
            #expect(text.contains(place.trace.text) && text.contains(place.span.text))
        }
        // A quarter of the inputs are unchanged.
        #expect(accepted > 4_000)
    }
}
