/** @walk replacement 4: has missing copies made, and notes which are there and can be read */
import { defineProbe } from '#kernel'
import type { ContentWork } from '#plugins/replication'
import type { ItemState } from '../contract/records.ts'
import { changeItems, type Item, pageOfItems, retriedAtMs } from '../records/item-store.ts'
import { type ReplacementRow, recordSweep } from '../records/replacement-store.ts'
import type { Engine } from './engine.ts'

const added = defineProbe('replacement.copies_added')

/** Items that one transaction looks at. */
const itemsPerPage = 500
/**
 * Copies on their way to the target at a time. The rest waits in rows instead of tasks, so that the work of other buckets is not behind all of
 * them.
 */
export const copiesInFlightMax = 1000

/** Stops the adding of copies at so many failed contents: what fails for all of them is not tried with all of them. */
export const failuresMax = 1000

const outstanding: readonly ItemState[] = ['pending', 'active', 'retrying', 'waiting_source', 'failed', 'attention']

const stateOf: Readonly<Record<Exclude<ContentWork, 'final'>, ItemState>> = {
  none: 'pending',
  idle: 'pending',
  pending: 'pending',
  retrying: 'retrying',
  waiting_source: 'waiting_source',
  failed: 'failed',
  active: 'active',
  attention: 'attention',
  deleted: 'no_longer_needed',
}

/** Copies that some task makes: they take the room. */
const inFlight: ReadonlySet<ContentWork> = new Set(['pending', 'retrying', 'active', 'attention'])

interface SoFar {
  /** Looks also at items that were copied: one of them may have been lost since. */
  readonly isFull: boolean
  /** Copies on their way that the pages before found or added. */
  readonly inFlight: number
  /** Items that the pages before found failed. */
  readonly failed: number
}

interface Swept {
  /** The round is over: nothing that follows can change. */
  readonly isLast: boolean
  readonly hasChanged: boolean
  readonly inFlight: number
  readonly failed: number
}

type Found = Awaited<ReturnType<Engine['slots']['workOn']>>

/** Looks at the next page of items; the next call continues after it. */
export async function sweepItems(deps: Engine, replacement: ReplacementRow, round: SoFar, signal: AbortSignal): Promise<Swept> {
  const { database, slots, states } = deps
  const { id, targetId: dataSetId, sweptTo: after } = replacement
  const items = await pageOfItems(database.read, {
    id,
    after,
    states: round.isFull ? [...outstanding, 'copied'] : outstanding,
    limit: itemsPerPage,
  })
  const found = await slots.workOn(database.read, { dataSetId, contentIds: items.map(({ contentId }) => contentId) })
  const unread = items.filter(({ contentId, state }) => state !== 'copied' && found.get(contentId)?.work === 'final')
  const served = unread.length === 0 ? [] : await slots.served({ dataSetId, contentIds: unread.map(({ contentId }) => contentId) }, signal)
  const flying = round.inFlight + items.filter(({ contentId }) => inFlight.has(found.get(contentId)?.work ?? 'none')).length
  const lacking = items.flatMap((item) => (isLacking(item, found) ? [item.contentId] : []))
  const failed = round.failed + items.filter((item) => found.get(item.contentId)?.work === 'failed' && !isRetried(item)).length
  const adding = failed >= failuresMax ? [] : lacking.slice(0, Math.max(0, copiesInFlightMax - flying))
  const changes = changesOf(items, found, { served: new Set(served), adding: new Set(adding) })
  // Copies are added in the order of ids: behind a page without room and without any copy there is none.
  const isLast = items.length < itemsPerPage || (!round.isFull && adding.length === 0 && lacking.length === items.length)
  await database.write(
    async (tx) => {
      for (const change of changes) await changeItems(tx, { id, ...change })
      if (adding.length > 0) await slots.addCopies(tx, { dataSetId, contentIds: adding })
      await recordSweep(tx, id, isLast ? 0 : (items.at(-1)?.contentId ?? 0))
      if (changes.length > 0) states.announce(tx, id)
    },
    { rows: items.length },
  )
  if (adding.length > 0) await added()
  return { isLast, hasChanged: changes.length > 0 || adding.length > 0, inFlight: flying + adding.length, failed }
}

/** No task makes the copy: it was never added, was lost, or rested for want of a source that is there now. */
const isLacking = (item: Item, found: Found): boolean => {
  const { work } = found.get(item.contentId) ?? {}
  return work === 'none' || work === 'idle' || (work === 'failed' && isRetried(item))
}

/** An operator retries it, and its task was not enqueued yet. */
const isRetried = ({ state, nextAttemptAtMs }: Item): boolean => state === 'pending' && nextAttemptAtMs === retriedAtMs

type Change = Omit<Parameters<typeof changeItems>[1], 'id'>

/** Items with a new state, those with the same one together. */
function changesOf(
  items: readonly Item[],
  found: Found,
  { served, adding }: { readonly served: ReadonlySet<number>; readonly adding: ReadonlySet<number> },
): readonly Change[] {
  const changed = items.flatMap((item) => {
    const { work, nextRetryAtMs: nextAttemptAtMs } = found.get(item.contentId) ?? { work: 'deleted' as const, nextRetryAtMs: null }
    if (work === 'failed' && isRetried(item) && !adding.has(item.contentId)) return []
    const state = adding.has(item.contentId) ? 'pending' : nextState(item, work, served)
    return state === item.state && nextAttemptAtMs === item.nextAttemptAtMs ? [] : [{ contentId: item.contentId, state, nextAttemptAtMs }]
  })
  return [...Map.groupBy(changed, ({ state, nextAttemptAtMs }) => `${state} ${nextAttemptAtMs}`).values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, contentIds: same.map(({ contentId }) => contentId) }] : []
  })
}

function nextState({ contentId, state }: Item, work: ContentWork, served: ReadonlySet<number>): ItemState {
  if (work === 'final') return state === 'copied' || served.has(contentId) ? 'copied' : 'active'
  // A content that is deleted after it was copied was copied.
  return work === 'deleted' && state === 'copied' ? 'copied' : stateOf[work]
}
