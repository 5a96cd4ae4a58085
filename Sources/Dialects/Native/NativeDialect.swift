// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Bytes
package import HTTPSemantics
package import RequestGrammar

/// `/img?url=…&w=…`: Pictor's own language. It is strict, so that mistakes are reported.
package struct NativeDialect: Dialect {
    let vocabulary: Vocabulary
    private let reader: NativeReader

    init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        reader = NativeReader(vocabulary)
    }

    package var name: DialectName { .native }
    package static let path = "/img"
    package var path: String { Self.path }
    package var hasFreePresets: Bool { true }

    /// True also with a file name after the path: `/img/photo.jpg?url=…`, for caches that keep only URLs with a picture's extension.
    /// The name has no effect on the picture; only `output` sets the format. A signature covers the name as part of the path.
    package func holds(_ target: RequestTarget) -> Bool {
        target.path == path || Self.isNamed(target.path)
    }

    private static func isNamed(_ path: String) -> Bool {
        let prefix = "\(Self.path)/"
        return path.hasPrefix(prefix) && isName(String(path.dropFirst(prefix.count)))
    }

    /// True for a valid file name after the path: at most 255 bytes of A–Z a–z 0–9 . _ -, with a point inside.
    package static func isName(_ text: String) -> Bool {
        let name = text.utf8
        return name.count <= 255 && name.allSatisfy(\.isNameByte)
            && name.dropFirst().dropLast().contains(UInt8(ascii: ".")) && name.first != UInt8(ascii: ".")
            && name.last != UInt8(ascii: ".")
    }

    /// Leaves only the formats that `options.auto-formats` names.
    package func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(vocabulary.formats) }

    /// `default=` is checked against the hosts in the settings even if it is not needed.
    package var fallbacks: FallbackGrammar { FallbackGrammar(names: ["default"], isChecked: true) }

    package func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest { try read(target, .none) }

    /// - Throws: the refusal of a malformed source or option.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        do throws(RequestError) {
            return try reader.read(target.query ?? [], needs)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}
