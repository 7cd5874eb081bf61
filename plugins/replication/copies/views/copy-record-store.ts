import type { QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import type { CopyRecord, CopyStatus } from '../../contract.ts'
import { type CopyState, statesInBatch } from '../../states/tables/copy-transitions-policy.ts'
import { type ReplicationTables, statement } from '../../tables.ts'

const copyRecords = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .leftJoin('commit_batches as b', (join) => join.onRef('b.id', '=', 'c.batch_id').on('c.state', '=', 'attention'))
    .select([
      'c.content_id as contentId',
      'c.slot as copyIndex',
      'c.state',
      'c.method',
      'c.chain_piece_id as pieceId',
      'c.last_error as lastError',
    ])
    .select([
      'd.provider_id as providerId',
      'd.service_url as serviceUrl',
      'd.chain_id as dataSetId',
      'd.generation',
      'p.piece_cid as pieceCid',
    ])
    .select(['b.attention_code as attentionCode', 'b.attention_at as attentionAtMs'])
    .orderBy('c.slot')
    .orderBy('c.id')

const findCopies = statement((db, { contentId }: Params<{ contentId: number }>) => copyRecords(db).where('c.content_id', '=', contentId))

const findCopiesOfSome = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  copyRecords(db).where('c.content_id', 'in', contentIds),
)

const findCopiesOfParts = statement((db, { contentId }: Params<{ contentId: number }>) =>
  copyRecords(db).where('c.content_id', 'in', ({ selectFrom }) =>
    selectFrom('content_parts as o')
      .leftJoin('pack_members as m', 'm.content_id', 'o.part_content_id')
      .select(({ fn }) => fn.coalesce('m.pack_id', 'o.part_content_id').as('id'))
      .where('o.content_id', '=', contentId),
  ),
)

/** The copies in the order of their slots. `retrievalUrl` is set for copies that the provider already serves. */
export async function listCopyRecords(
  reader: Reader,
  contentId: number,
  pieceUrl: (serviceUrl: string, pieceCid: string) => string,
): Promise<readonly CopyRecord[]> {
  const rows = await reader.all(findCopies, { contentId })
  return withoutReplaced(rows).map(({ contentId: _, ...row }) => toCopyRecord(row, pieceUrl))
}

/** A copy on a data set that has ended is left out when its slot has a later copy: it did not fail, it has moved. */
function withoutReplaced<R extends Pick<CopyRow, 'copyIndex' | 'state'>>(rows: readonly R[]): readonly R[] {
  const last = new Map(rows.map((row) => [row.copyIndex, row]))
  return rows.filter((row) => !isEnded(row) || last.get(row.copyIndex) === row)
}

const isEnded = ({ state }: Pick<CopyRow, 'state'>) => state === 'lost' || state === 'removed'

/** The copies of each of the contents, without URLs. */
export async function listCopiesOfSome(
  reader: Reader,
  contentIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PartCopyRecord[]>> {
  if (contentIds.length === 0) return new Map()
  const rows = await reader.all(findCopiesOfSome, { contentIds })
  return Map.groupBy(
    rows.map(({ contentId, ...row }) => ({ ...toCopyRecord(row, () => null), contentId })),
    ({ contentId }) => contentId,
  )
}

interface PartCopyRecord extends CopyRecord {
  readonly contentId: number
}

/** The copies of all parts of a composite. They have no piece and no URL, because each is of a part of the object. */
export async function listPartCopyRecords(reader: Reader, compositeId: number): Promise<readonly PartCopyRecord[]> {
  const rows = await reader.all(findCopiesOfParts, { contentId: compositeId })
  return rows.map(({ contentId, ...row }) => ({ ...toCopyRecord(row, () => null), pieceId: null, contentId }))
}

interface CopyRow extends Pick<CopyRecord, 'copyIndex' | 'providerId' | 'dataSetId' | 'pieceId' | 'lastError'> {
  readonly state: CopyState
  readonly method: string
  readonly generation: number
  readonly serviceUrl: string
  readonly pieceCid: string | null
  readonly attentionCode: string | null
  readonly attentionAtMs: number | null
}

function toCopyRecord(
  { state, method, generation, serviceUrl, pieceCid, attentionCode, attentionAtMs, ...row }: CopyRow,
  pieceUrl: (serviceUrl: string, pieceCid: string) => string | null,
): CopyRecord {
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
}

function copyStatus(state: CopyState): CopyStatus {
  if (state === 'committed') return 'committed'
  if (state === 'planned' || state === 'transferring') return 'pending'
  if (state === 'parked') return 'piece_ready'
  return statesInBatch.includes(state) ? 'committing' : 'failed'
}
