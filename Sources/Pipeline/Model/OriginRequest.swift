// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import SourceURLs

/// One request to an origin; conditional if an original is held (RFC 9110 §13).
package struct OriginRequest: Sendable {
    /// The original's URL.
    package var source: SourceURL
    /// The validators of the held original, which make the request conditional.
    package var validators: Validators
    /// The other fields that `Vary` may name.
    package var fields: Fields
    /// The client's fields, which replace fields of the same name. They are part of the key, so `Vary` on them needs no check.
    package var clientFields: ClientFields

    /// Unconditional by default.
    package init(
        source: SourceURL, validators: Validators = Validators(), fields: Fields = Fields(),
        clientFields: ClientFields = .none
    ) {
        self.clientFields = clientFields
        self.source = source
        self.validators = validators
        self.fields = fields
    }

    /// The key of the original.
    package var key: OriginalKey { source.key(variant: clientFields.variant) }
}
