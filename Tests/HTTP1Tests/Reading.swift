// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import HTTPSemantics

/// The result of parsing some bytes, in a comparable form.
enum Reading: Equatable {
    struct Found: Equatable {
        var length: Int
        var method: String
        var target: String
        var authority: String
        var minorVersion: UInt8
        var framing: Framing
        var keepsAlive: Bool
        var expectsContinue: Bool
        var fields: Fields
        var accept: String?
    }

    case complete(Found)
    case incomplete
    case refused(MessageError)

    /// Feeds growing prefixes of the bytes, ending at `cuts` and then at the end.
    init(_ bytes: [UInt8], cuts: some Sequence<Int> = [], limits: ParserLimits = ParserLimits()) {
        var parser = RequestParser(limits: limits)
        for end in Array(cuts) + [bytes.count] {
            do {
                // A copy each time, because the parser must not depend on the bytes' address.
                let prefix = Array(bytes[..<end])
                if try prefix.withUnsafeBytes({ try parser.parse($0) }) == .complete {
                    self = .complete(Found(parser.head, prefix))
                    return
                }
            } catch let error as MessageError {
                self = .refused(error)
                return
            } catch {
                preconditionFailure("parse throws nothing else")
            }
        }
        self = .incomplete
    }

    init(_ text: String, limits: ParserLimits = ParserLimits()) { self.init(bytes(text), limits: limits) }

    var found: Found? { if case .complete(let found) = self { found } else { nil } }
}

extension Reading.Found {
    init(_ head: RequestHead, _ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { buffer in
            let view = RequestView(head: head, bytes: buffer, peer: .local)
            let request = view.owned()
            return Reading.Found(
                length: head.length, method: request.method, target: request.target,
                authority: request.authority, minorVersion: request.minorVersion, framing: head.framing,
                keepsAlive: head.keepsAlive, expectsContinue: head.expectsContinue, fields: request.fields,
                accept: view[.accept].map { String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// The text as bytes, one for each scalar below U+0100.
func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
