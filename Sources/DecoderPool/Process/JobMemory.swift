// SPDX-License-Identifier: Apache-2.0

/// The price of a job, set before it was taken, and the peak of the decoder memory that it took. Bytes.
package struct JobMemory: Sendable, Hashable {
    /// Bytes that the job was admitted for.
    package var price: Int
    /// Above what the process held before. The pages of the files that were passed in are not in it: they are the page
    /// cache's, which gives them back when memory is wanted.
    package var peak: Int

    /// Price and peak in bytes.
    package init(price: Int, peak: Int) {
        self.price = price
        self.peak = peak
    }
}
