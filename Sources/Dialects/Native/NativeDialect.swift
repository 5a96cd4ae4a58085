// SPDX-License-Identifier: Apache-2.0

package import Answers
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
