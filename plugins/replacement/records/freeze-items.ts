import type { Tx } from '#kernel'
import { countItems } from './item-store.ts'
import { freezeCounts } from './replacement-store.ts'

/** Records the counts of a replacement that ends: its items are deleted afterwards. */
export async function freezeItems(tx: Tx, id: number): Promise<void> {
  const counts = await countItems(tx, id)
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0)
  const copied = counts.get('copied') ?? 0
  await freezeCounts(tx, { id, total, copied, noLongerNeeded: counts.get('no_longer_needed') ?? 0 })
}
