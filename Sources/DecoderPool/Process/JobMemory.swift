// SPDX-License-Identifier: Apache-2.0

/// What a job was priced at before it was taken, and what it took of a decoder's memory at its highest point. Bytes.
package struct JobMemory: Sendable, Hashable {
    package var price: Int
    /// Above what the process held before. The pages of the files that were passed in are not in it: they are the page
    /// cache's, which gives them back when memory is wanted.
    package var peak: Int

    package init(price: Int, peak: Int) {
        self.price = price
        self.peak = peak
    }
}
