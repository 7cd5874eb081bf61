import type { Reader, TaskQueue } from '#kernel'
import type { ObjectCounts, ObjectState } from '../contract.ts'
import { isBeingStored } from './being-stored.ts'
import { objectState } from './placement-store.ts'
import {
  type ContentGroup,
  countCurrentVersions,
  listUnsettled,
  nextUnsettledGroup,
  sumLiveObjects,
  type UnsettledContent,
} from './state-count-store.ts'

/** Rows read before yielding to the event loop: one or two milliseconds. */
const rowsPerTurn = 100

/**
 * Counts current versions by state. Reads only contents that are not `stored`; the stored ones are the rest of the buckets' counters.
 * A concurrent change may be counted before or after it.
 */
export async function countStates(reader: Reader, queue: Pick<TaskQueue, 'hasOpen'>): Promise<ObjectCounts> {
  const counts: Counts = { byState: new Map(), unavailable: 0 }
  for (let group = await nextUnsettledGroup(reader, undefined); group !== undefined; group = await nextUnsettledGroup(reader, group)) {
    await countGroup({ reader, queue }, group, counts)
  }
  const unsettled = [...counts.byState.values()].reduce((sum, current) => sum + current, 0)
  counts.byState.set('stored', Math.max(0, (await sumLiveObjects(reader)) - unsettled))
  return counts
}

interface Counts extends ObjectCounts {
  readonly byState: Map<ObjectState, number>
  unavailable: number
}

interface CountDeps {
  readonly reader: Reader
  readonly queue: Pick<TaskQueue, 'hasOpen'>
}

async function countGroup({ reader, queue }: CountDeps, group: ContentGroup, counts: Counts): Promise<void> {
  let page = await listUnsettled(reader, group, 0, rowsPerTurn)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const content of page) {
      const state = await objectState({ ...group, ...content }, () => isBeingStored(reader, queue, content.id))
      const current = content.current ?? (await countMany(reader, content))
      counts.byState.set(state, (counts.byState.get(state) ?? 0) + current)
      if (state !== 'failed' && content.committed === 0 && !content.isCached) counts.unavailable += current
    }
    await nextTurn()
    page = await listUnsettled(reader, group, last.id, rowsPerTurn)
  }
}

/** Current versions of one content with many versions. */
async function countMany(reader: Reader, { id }: UnsettledContent): Promise<number> {
  let total = 0
  let page = await countCurrentVersions(reader, id, undefined, rowsPerTurn)
  while (page.last !== undefined) {
    total += page.current
    await nextTurn()
    page = await countCurrentVersions(reader, id, page.last, rowsPerTurn)
  }
  return total
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
