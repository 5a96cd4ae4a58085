// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

/// The query of a request to the admin listener: only parameters that its route knows, each at most once.
package enum AdminQuery {
    /// An invalid parameter. The description is a sentence that names it, for the client, who gets it with
    /// `bad_parameter`.
    package struct Mistake: Error, CustomStringConvertible { package let description: String }

    /// Reads the parameters in their order, up to the first mistake.
    /// - Parameters:
    ///   - known: the names of the route's parameters, for the refusal of any other.
    ///   - take: gets a parameter's name and value (empty without one); returns false if the route does not know the parameter.
    static func read(
        _ query: [UInt8], known: String, _ take: (_ name: String, _ value: String) throws(Mistake) -> Bool
    ) throws(Mistake) {
        let parameters: [QueryParameters.Parameter]
        do throws(RequestError) {
            parameters = try QueryParameters(query[...]).parameters
        } catch {
            throw Mistake(description: error.message)
        }
        var seen: Set<String> = []
        for parameter in parameters {
            let name = parameter.name
            guard try take(name, parameter.value ?? "") else {
                throw Mistake(
                    description: "There is no parameter \"\(name.prefix(40))\". Parameters are \(known).")
            }
            guard seen.insert(name).inserted else {
                throw Mistake(description: RequestError.duplicate(parameter: name).message)
            }
        }
    }
}
