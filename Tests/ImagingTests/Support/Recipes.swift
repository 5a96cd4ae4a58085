// SPDX-License-Identifier: Apache-2.0

import ImageModel

extension Recipe {
    /// As its query spells it, in the native dialect's option table.
    static func query(_ text: String) throws -> Recipe { try Recipe(canonical: text) }
}
