// SPDX-License-Identifier: Apache-2.0

extension ImageRequest {
    /// An option and its value in one request.
    package struct Account: Sendable, Hashable {
        /// The option's name in the native dialect.
        package let name: String
        /// The canonical spelling of its value, or the words of its default.
        package let value: String
        /// Whether it would be the same without a word of the URL.
        package let isDefault: Bool
    }

    /// Every option of the picture and of its delivery, in the order of the reference, as a person may be told.
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
    /// The options with which URLs of other pictures ask for the same, each behind an `&`; empty where there is none. The
    /// form of the body is left out, since it is of one answer.
    package var query: String {
        OptionTable.rows.compactMap { row -> String? in
            guard case .delivery(let field) = row.role, row.name != "encoding" else { return nil }
            return field.write(self).map { "&\(row.name)=\(QueryText.escape($0))" }
        }.joined()
    }
}
