import { setImmediate } from 'node:timers/promises'
import type { QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import { type ReplicationTables, statement } from '../../tables.ts'
import { sourceUrl } from '../records/pull-source-store.ts'

interface Due {
  readonly dataSetId: number
  readonly nowMs: number
}

/** Planned copies that are looked at between two turns of the event loop: most of a long queue may have no source yet. */
const plannedPerPage = 1000

const plannedPage = (db: QueryCreator<ReplicationTables>, { dataSetId, afterId }: Params<{ dataSetId: number; afterId: number }>) =>
  db.selectFrom('copies').where('data_set_id', '=', dataSetId).where('state', '=', 'planned').where('id', '>', afterId).orderBy('id')

interface PlannedPage extends Due {
  readonly afterId: number
  /** Last id of the page. */
  readonly endId: number
  readonly limit: number
}

const findCandidates = statement((db, { dataSetId, nowMs, afterId, endId, limit }: Params<PlannedPage>) =>
  db
    .selectFrom(
      db
        .selectFrom(plannedPage(db, { dataSetId, afterId }).where('id', '<=', endId).selectAll().as('c'))
        .innerJoin('pieces as p', 'p.id', 'c.piece_id')
        .select(['c.id as copyId', 'c.content_id as contentId', 'c.setbacks', 'p.piece_cid as pieceCid', 'p.length'])
        .select((copy) => sourceUrl(copy).as('sourceUrl'))
        .where('c.next_attempt_at', '<=', nowMs)
        .where('p.piece_cid', 'is not', null)
        .as('candidate'),
    )
    .selectAll()
    .where('sourceUrl', 'is not', null)
    .orderBy('copyId')
    .limit(limit)
    .$narrowType<{ pieceCid: string; sourceUrl: string }>(),
)

const findPageEnd = statement((db, page: Params<{ dataSetId: number; afterId: number }>) =>
  plannedPage(db, page)
    .select('id')
    .limit(1)
    .offset(plannedPerPage - 1),
)

const findSources = statement((db, { batchId }: Params<{ batchId: number }>) =>
  db
    .selectFrom('commit_items as i')
    .innerJoin('copies as c', 'c.id', 'i.copy_id')
    .select((copy) => ['c.id as copyId', sourceUrl(copy).as('url')])
    .where('i.batch_id', '=', batchId),
)

const nextRetry = statement((db, { dataSetId, nowMs }: Params<Due>) =>
  db
    .selectFrom('copies')
    .select(({ fn }) => fn.min('next_attempt_at').as('at'))
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'planned')
    .where('next_attempt_at', '>', nowMs),
)

/** Planned copies of a data set that another provider can already serve, oldest first. */
export async function pullCandidates(reader: Reader, dataSetId: number, nowMs: number, limit: number): Promise<readonly PullCandidate[]> {
  const found: PullCandidate[] = []
  for (let afterId = 0; ; ) {
    // Read first: a copy that leaves the state between the two reads must not push another one off the page.
    const end = await reader.get(findPageEnd, { dataSetId, afterId })
    const page = { dataSetId, nowMs, afterId, endId: end?.id ?? Number.MAX_SAFE_INTEGER, limit: limit - found.length }
    found.push(...(await reader.all(findCandidates, page)))
    if (!end || found.length >= limit) return found
    afterId = end.id
    await setImmediate()
  }
}

/** Source URL of each piece of a pull, by copy id; without pieces that have no source. */
export async function sourceUrls(reader: Reader, batchId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await reader.all(findSources, { batchId })
  return new Map(rows.flatMap(({ copyId, url }) => (url === null ? [] : [[copyId, url] as const])))
}

interface PullCandidate {
  readonly copyId: number
  readonly contentId: number
  readonly setbacks: number
  readonly pieceCid: string
  readonly length: number
  /** Service URL of a provider that has the piece. */
  readonly sourceUrl: string
}

/** Earliest retry time of a planned copy; undefined when none waits. */
export async function nextPullAtMs(reader: Reader, dataSetId: number, nowMs: number): Promise<number | undefined> {
  return (await reader.get(nextRetry, { dataSetId, nowMs }))?.at ?? undefined
}
