import type { Clock, Database } from '#kernel'
import { type ItemState, itemStates, type ReplacementProgress } from '../contract/records.ts'
import { countItems, nextRetryOf } from '../records/item-store.ts'
import { findReplacement, type ReplacementRow } from '../records/replacement-store.ts'
import { endedStatuses } from '../states/replacement-transitions-policy.ts'

export interface ProgressDeps {
  readonly database: Pick<Database, 'snapshot'>
  readonly clock: Clock
}

/** Counts by state, of the items or, once it has ended, of its row. */
export async function readProgress({ database, clock }: ProgressDeps, id: number): Promise<ReplacementProgress | undefined> {
  const found = await database.snapshot(async (read) => {
    const row = await findReplacement(read, id)
    if (!row) return undefined
    const counts = hasEnded(row) ? frozenCounts(row) : await countItems(read, id)
    return { row, counts, nextRetryAtMs: hasEnded(row) ? null : await nextRetryOf(read, id, clock.now()) }
  })
  return found && describeProgress(found.row, found.counts, found.nextRetryAtMs)
}

const hasEnded = ({ status }: ReplacementRow): boolean => endedStatuses.includes(status)

/** The rest was not moved by one that was superseded while it copied. */
const frozenCounts = ({ itemsTotal, itemsCopied, itemsNoLongerNeeded }: ReplacementRow) =>
  new Map<ItemState, number>([
    ['copied', itemsCopied],
    ['no_longer_needed', itemsNoLongerNeeded],
    ['pending', itemsTotal - itemsCopied - itemsNoLongerNeeded],
  ])

function describeProgress(
  row: Pick<ReplacementRow, 'phase' | 'isSeeded' | 'status'>,
  counts: ReadonlyMap<ItemState, number>,
  nextRetryAtMs: number | null,
): ReplacementProgress {
  const byState = Object.fromEntries(itemStates.map((state) => [state, counts.get(state) ?? 0])) as Record<ItemState, number>
  const total = Object.values(byState).reduce((sum, n) => sum + n, 0)
  const processed = byState.copied + byState.no_longer_needed
  const isSeeded = row.isSeeded === 1
  return {
    phase: row.phase,
    isSeeded,
    total,
    byState,
    processed,
    percent: isSeeded ? percentOf(processed, total) : undefined,
    nextRetryAtMs,
  }
}

/** Rounded down, so that 100 means all. */
const percentOf = (processed: number, total: number): number => (total === 0 ? 100 : Math.floor((processed * 10_000) / total) / 100)
