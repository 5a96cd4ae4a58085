// SPDX-License-Identifier: Apache-2.0

extension ImageRequest {
    /// An option and its value in one request.
    package struct Account: Sendable, Hashable {
        /// The option's name in the native dialect.
        package let name: String
        /// The canonical spelling of its value, or the description of its default.
        package let value: String
        /// True if the value is the default.
        package let isDefault: Bool
    }

    /// All options of the picture and of its delivery, in the order of the reference, in a form that may be shown to people.
    package var accounts: [Account] {
        OptionTable.rows.compactMap { row in
            let written: String?
            switch row.role {
            case .recipe(let field): written = field.write(recipe)
            case .delivery(let field): written = field.write(delivery)
            case .source, .encodedSource, .shorthand, .preset, .signing: return nil
            }
            return Account(name: row.name, value: written ?? row.defaultValue, isDefault: written == nil)
        }
    }
}

extension Delivery {
    /// The delivery options, each after an `&`, for URLs of other pictures with the same delivery; empty if there is none. The form
    /// of the body is left out, because it concerns only this answer.
    package var query: String {
        OptionTable.rows.compactMap { row -> String? in
            guard case .delivery(let field) = row.role, row.name != "encoding" else { return nil }
            return field.write(self).map { "&\(row.name)=\(QueryText.escape($0))" }
        }.joined()
    }
}
