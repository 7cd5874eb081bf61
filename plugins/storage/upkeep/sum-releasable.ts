import type { Reader } from '#kernel'
import { type Candidate, pageOfReleasable } from '../catalog/cached/releasable-store.ts'

/** Rows read before yielding to the event loop: about a millisecond. */
const rowsPerTurn = 500

/** Bytes that eviction may remove. A concurrent change may be counted before or after it. */
export async function sumReleasable(read: Reader): Promise<number> {
  let bytes = 0
  for (let after: Candidate | undefined; ; ) {
    const page = await pageOfReleasable(read, { after, limit: rowsPerTurn })
    bytes += page.reduce((sum, candidate) => sum + candidate.bytes, 0)
    after = page.at(-1)
    if (page.length < rowsPerTurn) return bytes
    await new Promise((resolve) => setImmediate(resolve))
  }
}
