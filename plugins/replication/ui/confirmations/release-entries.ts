import { call, invalidate } from '@svc/ui-kit'
import type { Confirmation } from './reason-policy.ts'

/** One after the other: each is looked up on the chain once more, and one that landed is refused. */
export async function releaseEntries(entries: readonly Confirmation[]): Promise<number> {
  try {
    for (const { copy_id, attempt_id } of entries) {
      await call('POST /storage-confirmations/:copyId/release', {
        params: { copyId: String(copy_id) },
        body: { expected_attempt_id: attempt_id, acknowledge_possible_duplicate: true },
      })
    }
    return entries.length
  } finally {
    // Those before a refused one are released.
    invalidate(['GET /storage-confirmations', 'GET /overview'])
  }
}
