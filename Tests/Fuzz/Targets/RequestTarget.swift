// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1
internal import HTTPSemantics

/// A parser that stops at any byte finds the same, however the bytes arrive.
enum RequestTarget {
    /// Small, so that the limits are met too.
    private static var limits: ParserLimits {
        var limits = ParserLimits()
        (limits.headBytes, limits.targetBytes, limits.fields) = (2048, 512, 16)
        (limits.bodyBytes, limits.chunkOverheadBytes) = (512, 256)
        return limits
    }

    static func run(_ bytes: UnsafeRawBufferPointer) {
        let whole = Reading(bytes, step: max(bytes.count, 1))
        for step in [1, 7] where bytes.count <= 1024 || step == 7 {
            expect(Reading(bytes, step: step) == whole, "a request means the same whole and in pieces")
        }
        guard case .complete(let found) = whole.head else { return }
        expect(found.length <= bytes.count, "a head lies within its bytes")
    }

    fileprivate struct Reading: Equatable {
        enum Head: Equatable {
            case incomplete
            case refused(MessageError)
            case complete(Found)
        }

        struct Found: Equatable {
            let length: Int
            let method: String
            let target: String
            let authority: String
            let fields: [String]
            let framing: Framing
            let keepsAlive: Bool
        }

        var head = Head.incomplete
        var body: [UInt8] = []
        var bodyEnd: Int?
        var bodyError: MessageError?

        init(_ bytes: UnsafeRawBufferPointer, step: Int) {
            var parser = RequestParser(limits: limits)
            var end = 0
            while head == .incomplete, end < bytes.count {
                end = min(end + step, bytes.count)
                do throws(MessageError) {
                    let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                    if try parser.parse(prefix) == .complete { head = .complete(Found(parser.head, prefix)) }
                } catch {
                    head = .refused(error)
                }
            }
            if case .complete(let found) = head {
                readBody(found.framing, UnsafeRawBufferPointer(rebasing: bytes[found.length...]), step: step)
            }
        }

        private mutating func readBody(_ framing: Framing, _ bytes: UnsafeRawBufferPointer, step: Int) {
            do throws(MessageError) {
                var decoder = try BodyDecoder(framing, limits: limits)
                var start = 0
                while start < bytes.count, !decoder.isComplete {
                    let piece = bytes[start..<min(start + step, bytes.count)]
                    start += try decoder.decode(UnsafeRawBufferPointer(rebasing: piece)) { body += $0 }
                }
                expect(body.count <= limits.bodyBytes, "a body keeps its limit")
                bodyEnd = decoder.isComplete ? start : nil
            } catch {
                // How much of a bad body was handed on before depends on the pieces.
                (body, bodyError) = ([], error)
            }
        }
    }
}

extension RequestTarget.Reading.Found {
    fileprivate init(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) {
        let view = RequestView(head: head, bytes: bytes, peer: .local)
        let request = view.owned()
        self.init(
            length: head.length, method: request.method, target: request.target, authority: request.authority,
            fields: request.fields.list.map { "\($0.name): \($0.value)" }, framing: head.framing,
            keepsAlive: head.keepsAlive)
    }
}
