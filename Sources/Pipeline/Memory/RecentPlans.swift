// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar

/// The plans that were made lately by one set of settings.
///
/// A site has many pictures of one size and few recipes, and a request for which work is done is planned up to three times on
/// its way. Only what succeeded is held.
struct RecentPlans: Sendable {
    private final class Entry: Sendable {
        let inputs: RenditionPlan.Inputs
        let plan: RenditionPlan

        init(_ inputs: RenditionPlan.Inputs, _ plan: RenditionPlan) {
            (self.inputs, self.plan) = (inputs, plan)
        }
    }

    /// By the inputs' hash value, which is computed once for all look-ups of a plan. Of two inputs with the same hash value, the later is held.
    private let entries = RecentValues<Int, Entry>(generation: 256)

    /// - Parameter number: the inputs' hash value.
    subscript(inputs: RenditionPlan.Inputs, number: Int) -> RenditionPlan? {
        guard let entry = entries[number], entry.inputs == inputs else { return nil }
        return entry.plan
    }

    /// - Parameter number: the inputs' hash value.
    func insert(_ plan: RenditionPlan, for inputs: RenditionPlan.Inputs, _ number: Int) {
        entries.insert(Entry(inputs, plan), for: number)
    }
}
