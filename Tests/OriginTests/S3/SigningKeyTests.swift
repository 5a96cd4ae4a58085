// SPDX-License-Identifier: Apache-2.0

import Bytes
@testable import Origin
import Testing

@Suite("Signing keys are made once a day")
struct SigningKeyTests {
    /// The example of the AWS General Reference ("Examples of how to derive a signing key for Signature Version 4").
    @Test func `a remembered key is the published one`() {
        for _ in 1...3 {
            let key = SigningKeys.key(
                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", day: "20150830", region: "us-east-1",
                service: "iam")
            #expect(
                Digest(key)?.hex == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
        }
    }

    @Test func `each part makes another key, however many are remembered`() {
        func keys() -> [[UInt8]] {
            [
                SigningKeys.key("a", day: "20150830", region: "r", service: "s3"),
                SigningKeys.key("b", day: "20150830", region: "r", service: "s3"),
                SigningKeys.key("a", day: "20150831", region: "r", service: "s3"),
                SigningKeys.key("a", day: "20150830", region: "q", service: "s3"),
                SigningKeys.key("a", day: "20150830", region: "r", service: "sts"),
            ]
        }
        let first = keys()
        #expect(Set(first).count == first.count)
        for number in 0..<SigningKeys.limit {
            _ = SigningKeys.key("\(number)", day: "20150830", region: "r", service: "s3")
        }
        #expect(keys() == first)
    }
}
