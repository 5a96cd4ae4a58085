// SPDX-License-Identifier: Apache-2.0

import Bytes
import Testing

@Suite("Bytes have the classes that ASCII gives them, and none beyond it")
struct ASCIITests {
    private static let all = (0...255).map { UInt8($0) }

    private func bytes(where holds: (UInt8) -> Bool) -> String {
        String(decoding: Self.all.filter(holds), as: UTF8.self)
    }

    @Test func `digits and letters are those of ASCII`() {
        #expect(bytes(where: \.isASCIIDigit) == "0123456789")
        #expect(
            bytes(where: \.isASCIILetter) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    @Test func `a name's bytes are letters, digits, points, underscores and hyphens`() {
        #expect(
            bytes(where: \.isNameByte)
                == "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
    }

    @Test func `a letter has two cases, and any other byte one`() {
        let small = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        let large = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        #expect(large.map(\.asciiLowercased) == small)
        #expect(small.map(\.asciiUppercased) == large)
        for byte in Self.all {
            if !large.contains(byte) { #expect(byte.asciiLowercased == byte) }
            if !small.contains(byte) { #expect(byte.asciiUppercased == byte) }
        }
    }

    @Test func `a hexadecimal digit has its value in either case`() {
        #expect("0123456789abcdef".utf8.map(\.hexDigitValue) == (0...15).map { UInt8($0) })
        #expect("ABCDEF".utf8.map(\.hexDigitValue) == (10...15).map { UInt8($0) })
        #expect(
            String(decoding: (0...31).map { UInt8($0).hexDigit }, as: UTF8.self)
                == "0123456789abcdef0123456789abcdef")
        #expect(bytes { $0.hexDigitValue != nil } == "0123456789ABCDEFabcdef")
    }
}
