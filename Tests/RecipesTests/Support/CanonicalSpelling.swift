// SPDX-License-Identifier: Apache-2.0

import RequestGrammar

/// The canonical spelling of a request's recipe.
func canonical(_ options: String) throws -> String {
    try ImageRequest.parse(query: "url=a.com&\(options)").recipe.canonical
}
