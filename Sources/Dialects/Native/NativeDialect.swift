// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import Bytes
package import HTTPSemantics
package import RequestGrammar

/// `/img?url=…&w=…`: Pictor's own language, strict, so that a mistake is told and not served.
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

    /// Also with the name of a file behind it: `/img/photo.jpg?url=…`, for caches that keep what has the extension of a picture.
    /// The name says nothing of the picture, whose format `output` says alone; a signature covers it as a part of the path.
    package func holds(_ target: RequestTarget) -> Bool {
        target.path == path || Self.isNamed(target.path)
    }

    private static func isNamed(_ path: String) -> Bool {
        let prefix = "\(Self.path)/"
        return path.hasPrefix(prefix) && isName(String(path.dropFirst(prefix.count)))
    }

    /// Whether a file may be called that behind the path: at most 255 bytes of A–Z a–z 0–9 . _ -, with a point within them.
    package static func isName(_ text: String) -> Bool {
        let name = text.utf8
        return name.count <= 255 && name.allSatisfy(\.isNameByte)
            && name.dropFirst().dropLast().contains(UInt8(ascii: ".")) && name.first != UInt8(ascii: ".")
            && name.last != UInt8(ascii: ".")
    }

    /// Leaves only the formats that `options.auto-formats` names.
    package func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(vocabulary.formats) }

    /// `default=` is checked against the hosts that the settings name, whether it is needed or not.
    package var fallbacks: FallbackGrammar { FallbackGrammar(names: ["default"], isChecked: true) }

    package func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest { try read(target, .none) }

    /// Throws the refusal of a malformed source or option.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        do throws(RequestError) {
            return try reader.read(target.query ?? [], needs)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}
