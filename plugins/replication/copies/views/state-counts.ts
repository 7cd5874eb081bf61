import { setImmediate } from 'node:timers/promises'
import type { Database, Reader, TaskQueue } from '#kernel'
import type { ObjectCounts, ObjectState, WorkCounts } from '../../contract.ts'
import { type Lacking, ShortfallCauses } from '../../stuck/shortfall-causes.ts'
import { type ContentState, withStates } from './being-stored.ts'
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
export async function countStates(database: CountedDatabase, queue: OpenTasks): Promise<ObjectCounts> {
  const counts: Counts = { byState: new Map(), unavailable: 0, stuck: 0, byWork: noWork(), byBucket: new Map(), causes: [] }
  const causes = new ShortfallCauses()
  const reader = database.read
  for (let group = await nextUnsettledGroup(reader, undefined); group !== undefined; group = await nextUnsettledGroup(reader, group)) {
    await countGroup({ database, queue, causes }, group, counts)
  }
  const unsettled = [...counts.byState.values()].reduce((sum, current) => sum + current, 0)
  counts.byState.set('stored', Math.max(0, (await sumLiveObjects(reader)) - unsettled))
  return { ...counts, causes: causes.list() }
}

const noWork = (): { -readonly [Work in keyof WorkCounts]: number } => ({ working: 0, waiting: 0, stuck: 0 })

type CountedDatabase = Pick<Database, 'read' | 'snapshot'>
type OpenTasks = Pick<TaskQueue, 'openKeys'>

interface Counts extends ObjectCounts {
  readonly byState: Map<ObjectState, number>
  readonly byWork: ReturnType<typeof noWork>
  readonly byBucket: Map<number, ReturnType<typeof noWork>>
  unavailable: number
  stuck: number
}

interface CountDeps {
  readonly database: CountedDatabase
  readonly queue: OpenTasks
  readonly causes: ShortfallCauses
}

async function countGroup({ database, queue, causes }: CountDeps, group: ContentGroup, counts: Counts): Promise<void> {
  const ofBucket = counts.byBucket.get(group.bucketId) ?? noWork()
  counts.byBucket.set(group.bucketId, ofBucket)
  const readPage = (afterId: number) =>
    database.snapshot(async (read) => withStates(read, queue, await listUnsettled(read, group, afterId, rowsPerTurn)))
  let page = await readPage(0)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    const lacking: Lacking[] = []
    for (const content of page) {
      const current = content.current ?? (await countMany(database.read, content))
      countContent(content, current, { counts, ofBucket })
      if (current > 0) lacking.push({ ...content, current })
    }
    await causes.add(database.read, lacking)
    await setImmediate()
    page = await readPage(last.contentId)
  }
}

function countContent(
  { state, isReadable, isStuck, work }: ContentState,
  current: number,
  { counts, ofBucket }: { readonly counts: Counts; readonly ofBucket: ReturnType<typeof noWork> },
): void {
  counts.byState.set(state, (counts.byState.get(state) ?? 0) + current)
  if (state !== 'failed' && !isReadable) counts.unavailable += current
  if (isStuck) counts.stuck += current
  if (work === 'complete') return
  counts.byWork[work] += current
  ofBucket[work] += current
}

/** Current versions of one content with many versions. */
async function countMany(reader: Reader, { contentId }: UnsettledContent): Promise<number> {
  let total = 0
  let page = await countCurrentVersions(reader, contentId, undefined, rowsPerTurn)
  while (page.last !== undefined) {
    total += page.current
    await setImmediate()
    page = await countCurrentVersions(reader, contentId, page.last, rowsPerTurn)
  }
  return total
}
