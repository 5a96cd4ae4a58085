// SPDX-License-Identifier: Apache-2.0

/// AWS Signature Version 4 as a store checks it, written for the tests alone: from the bytes of a request's head, with a
/// SHA-256 of its own, so that it shares nothing with the signer under test.
package struct ReferenceSignature {
    /// The id of the key that the store knows.
    package var accessKey: String
    package var secret: String
    package var region = "us-east-1"

    package init(accessKey: String, secret: String) {
        self.accessKey = accessKey
        self.secret = secret
    }

    /// Why the request is refused, as a store says it; nil if it is well signed.
    package func refusal(of head: String) -> String? {
        let lines = head.split(separator: "\r\n").map(String.init)
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return "MalformedRequest" }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].lowercased()
            guard fields[name] == nil else { return "RepeatedField" }
            fields[name] = String(parts[1].drop { $0 == " " })
        }
        guard let authorization = fields["authorization"] else { return "AccessDenied" }
        let pattern =
            /AWS4-HMAC-SHA256 Credential=(.+)\/([0-9]{8})\/([^\/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})/
        guard let match = try? pattern.wholeMatch(in: authorization) else { return "MalformedAuthorization" }
        guard match.1 == accessKey, match.3 == region else { return "InvalidAccessKeyId" }
        let names = match.4.split(separator: ";").map(String.init)
        for needed in ["host", "x-amz-date", "x-amz-content-sha256"]
            + fields.keys.filter({ $0.hasPrefix("x-amz-") })
        where !names.contains(needed) {
            return "UnsignedField"
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let canonical =
            ([String(words[0]), String(target[0]), target.count > 1 ? String(target[1]) : ""]
            + names.map { "\($0):\(fields[$0] ?? "")" } + [
                "", String(match.4), fields["x-amz-content-sha256"] ?? "",
            ])
            .joined(separator: "\n")
        let scope = "\(match.2)/\(region)/s3/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", fields["x-amz-date"] ?? "", scope, ReferenceHash.hex(Array(canonical.utf8)),
        ]
        .joined(separator: "\n")
        var key = Array("AWS4\(secret)".utf8)
        for part in [String(match.2), region, "s3", "aws4_request"] {
            key = ReferenceHash.code(Array(part.utf8), key: key)
        }
        let signature = ReferenceHash.text(ReferenceHash.code(Array(text.utf8), key: key))
        return signature == match.5 ? nil : "SignatureDoesNotMatch"
    }
}

/// SHA-256 (FIPS 180-4 §6.2) and HMAC (RFC 2104), plainly.
enum ReferenceHash {
    static func hex(_ message: [UInt8]) -> String { text(digest(message)) }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? digest(key) : key
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
    }

    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state = roots(8, power: 2)
        let length = UInt64(message.count) * 8
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(length >> UInt64(shift) & 255))
        }
        for start in stride(from: 0, to: padded.count, by: 64) { step(padded[start..<start + 64], &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(word >> UInt32($0) & 255) } }
    }

    private static let constants = roots(64, power: 3)

    private static func step(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
        func turn(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words: [UInt32] = []
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            words.append(
                words[index - 16] &+ (turn(a, 7) ^ turn(a, 18) ^ a >> 3) &+ words[index - 7]
                    &+ (turn(b, 17) ^ turn(b, 19) ^ b >> 10))
        }
        var now = state
        for index in 0..<64 {
            let (a, e) = (now[0], now[4])
            let first =
                now[7] &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ (e & now[5] ^ ~e & now[6])
                &+ constants[index] &+ words[index]
            let second =
                (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ (a & now[1] ^ a & now[2] ^ now[1] & now[2])
            now = [first &+ second, a, now[1], now[2], now[3] &+ first, e, now[5], now[6]]
        }
        for index in 0..<8 { state[index] &+= now[index] }
    }

    /// The first 32 bits of the fractional parts of roots of the first primes (FIPS 180-4 §4.2.2, §5.3.3).
    private static func roots(_ count: Int, power: Int) -> [UInt32] {
        var primes: [UInt64] = []
        var number: UInt64 = 2
        while primes.count < count {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            number += 1
        }
        return primes.map { prime in
            // The largest number whose power is at most prime · 2^(32·power), bit by bit; the whole part falls off.
            var root: UInt64 = 0
            for bit in stride(from: 36, through: 0, by: -1) {
                let trial = root | 1 << UInt64(bit)
                if isAtMost(trial, power, prime) { root = trial }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }

    private static func isAtMost(_ trial: UInt64, _ power: Int, _ prime: UInt64) -> Bool {
        let bound = UInt128(prime) << UInt128(32 * power)
        var product = UInt128(1)
        for _ in 0..<power { product *= UInt128(trial) }
        return product <= bound
    }
}
