import type { QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import type { CopyRecord, CopyStatus, DataSetRecord } from '../contract.ts'
import type { DataSetState } from '../datasets/data-set-store.ts'
import { type ReplicationTables, statement } from '../tables.ts'
import { copyCounts, isCached } from './content-columns.ts'
import type { CopyState } from './copy-store.ts'

export interface ContentRow {
  readonly contentId: number
  readonly size: number
  readonly targetCopies: number
  readonly storeState: string
  readonly isCached: boolean
  readonly pieceCid: string | null
  readonly committed: number
  readonly onChain: number
  /** Copies whose provider has the bytes and that are not in a batch yet. */
  readonly parked: number
  readonly updatedAtMs: number
}

const selectContents = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('contents as c')
    .select([
      'c.id as contentId',
      'c.size',
      'c.target_copies as targetCopies',
      'c.store_state as storeState',
      'c.updated_at as updatedAtMs',
    ])
    .select((content) => [
      content
        .selectFrom('pieces as p')
        .select('p.piece_cid')
        .whereRef('p.content_id', '=', 'c.id')
        .where('p.part_no', '=', 0)
        .as('pieceCid'),
      ...copyCounts(content),
      isCached(content),
    ])

const findById = statement((db, { contentId }: Params<{ contentId: number }>) => selectContents(db).where('c.id', '=', contentId))

const findByIds = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  selectContents(db).where('c.id', 'in', contentIds),
)

const findVersion = statement((db, { bucketId, versionId }: Params<{ bucketId: number; versionId: string }>) =>
  db
    .selectFrom('object_versions')
    .select(['content_id as contentId', 'created_at as createdAtMs'])
    .where('version_id', '=', versionId)
    .where('bucket_id', '=', bucketId),
)

const findAnyVersion = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('object_versions as v')
    .innerJoin('buckets as b', 'b.id', 'v.bucket_id')
    .select(['v.version_id as versionId', 'v.key', 'b.name as bucketName'])
    .where('v.content_id', '=', contentId)
    .orderBy('v.bucket_id')
    .orderBy('v.key')
    .orderBy('v.rseq')
    .limit(1),
)

const findCopies = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .leftJoin('commit_batches as b', (join) => join.onRef('b.id', '=', 'c.batch_id').on('c.state', '=', 'attention'))
    .select(['c.slot as copyIndex', 'c.state', 'c.method', 'c.chain_piece_id as pieceId', 'c.last_error as lastError'])
    .select([
      'd.provider_id as providerId',
      'd.service_url as serviceUrl',
      'd.chain_id as dataSetId',
      'd.generation',
      'p.piece_cid as pieceCid',
    ])
    .select(['b.attention_code as attentionCode', 'b.attention_at as attentionAtMs'])
    .where('c.content_id', '=', contentId)
    .orderBy('c.slot')
    .orderBy('c.id'),
)

const findDataSets = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db
    .selectFrom('data_sets as d')
    .innerJoin('data_set_totals as t', 't.data_set_id', 'd.id')
    .select(['d.id', 'd.bucket_id as bucketId', 'd.slot as copyIndex', 'd.generation', 'd.provider_id as providerId', 'd.state'])
    .select(['d.service_url as serviceUrl', 'd.chain_id as dataSetId', 'd.client_data_set_id as clientDataSetId'])
    .select(['t.committed_copies as committedCopies', 't.committed_bytes as physicalBytes', 't.referenced_versions as referencedVersions'])
    .select(['t.current_versions as currentVersions', 'd.created_at as createdAtMs', 'd.updated_at as updatedAtMs'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('replica_slots as s')
          .select('s.slot')
          .whereRef('s.bucket_id', '=', 'd.bucket_id')
          .whereRef('s.slot', '=', 'd.slot')
          .whereRef('s.current_data_set_id', '=', 'd.id'),
      ).as('isCurrent'),
    )
    .where('d.bucket_id', '=', bucketId)
    .orderBy('d.slot')
    .orderBy('d.generation'),
)

const countStates = statement((db) =>
  db
    .selectFrom('data_sets')
    .select(({ fn }) => ['state', fn.countAll<number>().as('n')])
    .groupBy('state'),
)

const countAttention = statement((db) =>
  db
    .selectFrom('copies')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'attention'),
)

const sumVersions = statement((db, { dataSetIds }: Params<{ dataSetIds: readonly number[] }>) =>
  db
    .selectFrom('contents as c')
    .select(({ fn }) => fn.sum<number | null>('c.ref_count').as('n'))
    .where(
      'c.id',
      'in',
      db.selectFrom('copies as k').select('k.content_id').where('k.state', '=', 'committed').where('k.data_set_id', 'in', dataSetIds),
    ),
)

const findReadable = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select(['d.service_url as serviceUrl', 'p.piece_cid as pieceCid'])
    .where('c.content_id', '=', contentId)
    .where('c.state', 'in', ['parked', 'batched', 'unconfirmed', 'attention', 'committed'])
    .where('d.state', 'in', ['creating', 'ready', 'write_blocked', 'retiring'])
    .where('p.piece_cid', 'is not', null)
    .orderBy((copy) => copy('c.state', '=', 'committed'), 'desc')
    .orderBy('c.slot')
    .$narrowType<{ pieceCid: string }>(),
)

const findSha256 = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('contents').select('sha256').where('id', '=', contentId),
)

/** The content of a version; `contentId` null for a delete marker; undefined when the bucket has no such version. */
export async function findVersionContent(
  reader: Reader,
  bucketId: number,
  versionId: string,
): Promise<{ readonly contentId: number | null; readonly createdAtMs: number } | undefined> {
  return reader.get(findVersion, { bucketId, versionId })
}

/** One version of the content: the newest of the first key. */
export async function findVersionOfContent(
  reader: Reader,
  contentId: number,
): Promise<{ readonly versionId: string; readonly key: string; readonly bucketName: string } | undefined> {
  return reader.get(findAnyVersion, { contentId })
}

export async function findContent(reader: Reader, contentId: number): Promise<ContentRow | undefined> {
  const row = await reader.get(findById, { contentId })
  return row && { ...row, isCached: row.isCached === 1 }
}

/** In no particular order; deleted contents are left out. */
export async function findContents(reader: Reader, contentIds: readonly number[]): Promise<ContentRow[]> {
  return (await reader.all(findByIds, { contentIds })).map((row) => ({ ...row, isCached: row.isCached === 1 }))
}

/** `retrievalUrl` is set for copies that the provider already serves. */
export async function listCopyRecords(
  reader: Reader,
  contentId: number,
  pieceUrl: (serviceUrl: string, pieceCid: string) => string,
): Promise<readonly CopyRecord[]> {
  const rows = await reader.all(findCopies, { contentId })
  return rows.map(({ state, method, generation, serviceUrl, pieceCid, attentionCode, attentionAtMs, ...row }) => {
    const status = copyStatus(state)
    return {
      ...row,
      status,
      transferMethod: method === 'store' ? 'ingress' : 'peer_pull',
      retrievalUrl: pieceCid !== null && status !== 'pending' && status !== 'failed' ? pieceUrl(serviceUrl, pieceCid) : null,
      isNewDataSet: generation === 1,
      waitReason: null,
      ...(attentionCode !== null && attentionAtMs !== null && { attention: { code: attentionCode, atMs: attentionAtMs } }),
    }
  })
}

function copyStatus(state: CopyState): CopyStatus {
  if (state === 'committed') return 'committed'
  if (state === 'planned' || state === 'transferring') return 'pending'
  if (state === 'parked') return 'piece_ready'
  return state === 'batched' || state === 'unconfirmed' || state === 'attention' ? 'committing' : 'failed'
}

export async function listDataSetRecords(reader: Reader, bucketId: number): Promise<readonly DataSetRecord[]> {
  const rows = await reader.all(findDataSets, { bucketId })
  return rows.map(({ state, isCurrent, ...row }) => ({ ...row, isCurrent: isCurrent === 1, status: dataSetStatus(state) }))
}

/** By state of all buckets' data sets. */
export async function countDataSetStates(reader: Reader): Promise<ReadonlyMap<DataSetRecord['status'], number>> {
  const counts = new Map<DataSetRecord['status'], number>()
  for (const { state, n } of await reader.all(countStates)) {
    const status = dataSetStatus(state)
    counts.set(status, (counts.get(status) ?? 0) + n)
  }
  return counts
}

/** Copies whose confirmation needs an operator. */
export const countCopiesInAttention = async (reader: Reader): Promise<number> => (await reader.get(countAttention))?.n ?? 0

/** Counted one by one only where every data set has fewer than `max`, so that the number of copies does not matter. */
export async function countVersionsOn(reader: Reader, dataSets: readonly DataSetRecord[], max: number): Promise<number> {
  const counts = dataSets.map(({ referencedVersions }) => referencedVersions).filter((count) => count > 0)
  const most = Math.max(0, ...counts)
  if (most >= max || counts.length <= 1) return Math.min(most, max)
  const row = await reader.get(sumVersions, { dataSetIds: dataSets.map(({ id }) => id) })
  return Math.min(row?.n ?? 0, max)
}

function dataSetStatus(state: DataSetState): DataSetRecord['status'] {
  const names = {
    planned: 'pending',
    creating: 'creating',
    ready: 'ready',
    write_blocked: 'draining',
    retiring: 'draining',
    retired: 'retired',
    abandoning: 'draining',
    abandoned: 'retired',
    lost: 'unavailable',
  } as const
  return names[state]
}

export interface ReadableCopy {
  readonly serviceUrl: string
  readonly pieceCid: string
}

/** Copies that can serve the content, committed ones first. */
export async function readableCopies(reader: Reader, contentId: number): Promise<readonly ReadableCopy[]> {
  return reader.all(findReadable, { contentId })
}

export async function sha256Of(reader: Reader, contentId: number): Promise<string | null> {
  return (await reader.get(findSha256, { contentId }))?.sha256 ?? null
}
