import { setImmediate } from 'node:timers/promises'
import type { Database, TaskQueue } from '#kernel'
import type { CopyWork } from '../contract.ts'
import { withStates } from '../copies/views/being-stored.ts'
import { progressOf } from '../copies/views/copy-progress.ts'
import { failuresOf, idsOf, onePerProvider } from '../stuck/copy-failure-store.ts'
import type { UnsettledPlace } from '../stuck/stuck-contents-store.ts'
import { currentVersionOf, pageOfUnsettled } from './shortfall-store.ts'

interface ListDeps {
  readonly database: Pick<Database, 'read' | 'snapshot'>
  readonly queue: Pick<TaskQueue, 'openKeys'>
}

interface ShortfallQuery {
  readonly bucketId: number | undefined
  readonly work: CopyWork | undefined
  readonly providerId: string | undefined
  readonly after: UnsettledPlace | undefined
  readonly limit: number
}

/** Contents read in one snapshot, and by one request: a filter that leaves out nearly all of them gives a short page. */
const contentsPerTurn = 100
const contentsPerRequest = 2000

/** Objects below their target in the order of an index, and the place after them; undefined after the last. */
export async function listShortfall({ database, queue }: ListDeps, query: ShortfallQuery) {
  const { bucketId, work, providerId, limit } = query
  const found: Awaited<ReturnType<typeof readPage>>['found'][number][] = []
  let place: UnsettledPlace = query.after ?? { bucketId: bucketId ?? 0, storeState: '', id: 0 }
  const readPage = () =>
    database.snapshot(async (read) => {
      const rows = await pageOfUnsettled(read, place, contentsPerTurn)
      const ofBucket = rows.filter((row) => bucketId === undefined || row.bucketId === bucketId)
      const lacking = (await withStates(read, queue, ofBucket)).filter(
        (content) =>
          content.size > 0 && content.work !== 'complete' && content.currentCount > 0 && (work === undefined || content.work === work),
      )
      const failures = await failuresOf(read, lacking.flatMap(idsOf))
      const asked = lacking
        .map((content) => ({ content, failures: onePerProvider(idsOf(content).flatMap((id) => failures.get(id) ?? [])) }))
        .filter((one) => providerId === undefined || one.failures.some((failure) => failure.providerId === providerId))
      const progress = await progressOf(
        read,
        asked.map(({ content }) => content),
      )
      return { rows, found: asked.map((one) => ({ ...one, copies: progress(one.content) })) }
    })
  for (let read = 0; read < contentsPerRequest; read += contentsPerTurn) {
    const page = await readPage()
    const taken = page.found.slice(0, limit - found.length)
    found.push(...taken)
    const isFull = found.length === limit
    const last = isFull ? taken.at(-1)?.content : page.rows.at(-1)
    if (!last) return { found, next: undefined }
    place = { bucketId: last.bucketId, storeState: last.storeState, id: last.contentId }
    if (isFull) return { found, next: place }
    if (page.rows.length < contentsPerTurn || (bucketId !== undefined && last.bucketId !== bucketId)) return { found, next: undefined }
    await setImmediate()
  }
  return { found, next: place }
}

/** The names of the objects found; those deleted since are left out. */
export async function nameShortfall({ database }: Pick<ListDeps, 'database'>, found: Awaited<ReturnType<typeof listShortfall>>['found']) {
  const named = await Promise.all(
    found.map(async (one) => ({ ...one, version: await currentVersionOf(database.read, one.content.contentId) })),
  )
  return named.flatMap(({ version, ...one }) => (version ? [{ ...one, version }] : []))
}
