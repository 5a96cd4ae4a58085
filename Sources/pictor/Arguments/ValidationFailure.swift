// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error printed as "Error: …", with exit status 1 and without a usage line, because the command itself
/// was right.
struct ValidationFailure: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }
}
