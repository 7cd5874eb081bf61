import type { Reader } from '#kernel'
import type { CopyRecord, CopyStatus, DataSetRecord, ObjectState } from '../contract.ts'
import type { DataSetState } from '../datasets/data-set-store.ts'
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

const contentColumns = `c.id as contentId, c.size as size, c.target_copies as targetCopies, c.store_state as storeState, c.updated_at as updatedAtMs,
  exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present') as isCached,
  (select p.piece_cid from pieces p where p.content_id = c.id and p.part_no = 0) as pieceCid,
  (select count(*) from copies k where k.content_id = c.id and k.state = 'committed') as committed,
  (select count(*) from copies k where k.content_id = c.id and k.state in ('batched', 'unconfirmed', 'attention')) as onChain,
  (select count(*) from copies k where k.content_id = c.id and k.state = 'parked') as parked`

/** The content of a version; `contentId` null for a delete marker; undefined when the bucket has no such version. */
export async function findVersionContent(
  reader: Reader,
  bucketId: number,
  versionId: string,
): Promise<{ readonly contentId: number | null; readonly createdAtMs: number } | undefined> {
  return reader.get(
    'select content_id as contentId, created_at as createdAtMs from object_versions where version_id = ? and bucket_id = ?',
    versionId,
    bucketId,
  )
}

/** One version of the content: the newest of the first key. */
export async function findVersionOfContent(
  reader: Reader,
  contentId: number,
): Promise<{ readonly versionId: string; readonly key: string; readonly bucketName: string } | undefined> {
  return reader.get(
    `select v.version_id as versionId, v.key as key, b.name as bucketName from object_versions v join buckets b on b.id = v.bucket_id
     where v.content_id = ? order by v.bucket_id, v.key, v.rseq limit 1`,
    contentId,
  )
}

type FoundContent = Omit<ContentRow, 'isCached'> & { readonly isCached: number }

export async function findContent(reader: Reader, contentId: number): Promise<ContentRow | undefined> {
  const row = reader.get<FoundContent>(`select ${contentColumns} from contents c where c.id = ?`, contentId)
  return row && { ...row, isCached: row.isCached === 1 }
}

/** In no particular order; deleted contents are left out. */
export async function findContents(reader: Reader, contentIds: readonly number[]): Promise<ContentRow[]> {
  return reader
    .all<FoundContent>(
      `select ${contentColumns} from contents c where c.id in (select value from json_each(?))`,
      JSON.stringify(contentIds),
    )
    .map((row) => ({ ...row, isCached: row.isCached === 1 }))
}

interface CopyRecordRow {
  readonly slot: number
  readonly state: CopyState
  readonly method: 'store' | 'pull'
  readonly chain_piece_id: string | null
  readonly last_error: string | null
  readonly provider_id: string
  readonly service_url: string
  readonly chain_id: string | null
  readonly generation: number
  readonly piece_cid: string | null
}

/** `retrievalUrl` is set for copies that the provider already serves. */
export async function listCopyRecords(
  reader: Reader,
  contentId: number,
  pieceUrl: (serviceUrl: string, pieceCid: string) => string,
): Promise<readonly CopyRecord[]> {
  const rows = reader.all<CopyRecordRow>(
    `select c.slot, c.state, c.method, c.chain_piece_id, c.last_error, d.provider_id, d.service_url, d.chain_id, d.generation, p.piece_cid
     from copies c join data_sets d on d.id = c.data_set_id join pieces p on p.id = c.piece_id where c.content_id = ? order by c.slot, c.id`,
    contentId,
  )
  return rows.map((row) => ({
    copyIndex: row.slot,
    status: copyStatus(row.state),
    providerId: row.provider_id,
    dataSetId: row.chain_id,
    pieceId: row.chain_piece_id,
    transferMethod: row.method === 'store' ? 'ingress' : 'peer_pull',
    retrievalUrl:
      row.piece_cid !== null && copyStatus(row.state) !== 'pending' && copyStatus(row.state) !== 'failed'
        ? pieceUrl(row.service_url, row.piece_cid)
        : null,
    isNewDataSet: row.generation === 1,
    lastError: row.last_error,
    waitReason: null,
  }))
}

function copyStatus(state: CopyState): CopyStatus {
  if (state === 'committed') return 'committed'
  if (state === 'planned' || state === 'transferring') return 'pending'
  if (state === 'parked') return 'piece_ready'
  return state === 'batched' || state === 'unconfirmed' || state === 'attention' ? 'committing' : 'failed'
}

/** `isBeingStored`: whether an open task uploads the content to its first provider. */
export async function objectState(
  content: Pick<ContentRow, 'storeState' | 'committed' | 'onChain' | 'parked'>,
  isBeingStored: () => Promise<boolean>,
): Promise<ObjectState> {
  if (content.storeState === 'stored') return 'stored'
  if (content.storeState === 'failed' || content.storeState === 'lost') return 'failed'
  if (content.committed > 0) return 'replicating'
  if (content.onChain > 0) return 'committing'
  // The task has used all attempts: the bytes stay cached until an operator retries it.
  if (content.parked === 0 && !(await isBeingStored())) return 'failed'
  return content.storeState === 'storing' ? 'uploading' : 'cached'
}

interface DataSetRecordRow {
  readonly id: number
  readonly slot: number
  readonly generation: number
  readonly provider_id: string
  readonly service_url: string
  readonly chain_id: string | null
  readonly client_data_set_id: string
  readonly state: DataSetState
  readonly created_at: number
  readonly updated_at: number
  readonly is_current: number
  readonly committed: number
  readonly bytes: number
  readonly referenced_versions: number
  readonly current_versions: number
}

export async function listDataSetRecords(reader: Reader, bucketId: number): Promise<readonly DataSetRecord[]> {
  const rows = reader.all<DataSetRecordRow>(
    `select d.*, exists (select 1 from replica_slots s where s.bucket_id = d.bucket_id and s.slot = d.slot and s.current_data_set_id = d.id) as is_current,
       t.committed_copies as committed, t.committed_bytes as bytes, t.referenced_versions, t.current_versions
     from data_sets d join data_set_totals t on t.data_set_id = d.id where d.bucket_id = ? order by d.slot, d.generation`,
    bucketId,
  )
  return rows.map((row) => ({
    id: row.id,
    bucketId,
    copyIndex: row.slot,
    generation: row.generation,
    isCurrent: row.is_current === 1,
    providerId: row.provider_id,
    serviceUrl: row.service_url,
    dataSetId: row.chain_id,
    clientDataSetId: row.client_data_set_id,
    status: dataSetStatus(row.state),
    committedCopies: row.committed,
    physicalBytes: row.bytes,
    referencedVersions: row.referenced_versions,
    currentVersions: row.current_versions,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }))
}

/** By state of all buckets' data sets. */
export async function countDataSetStates(reader: Reader): Promise<ReadonlyMap<DataSetRecord['status'], number>> {
  const counts = new Map<DataSetRecord['status'], number>()
  for (const { state, n } of reader.all<{ state: DataSetState; n: number }>('select state, count(*) as n from data_sets group by state')) {
    const status = dataSetStatus(state)
    counts.set(status, (counts.get(status) ?? 0) + n)
  }
  return counts
}

/** Counted one by one only where every data set has fewer than `max`, so that the number of copies does not matter. */
export async function countVersionsOn(reader: Reader, dataSets: readonly DataSetRecord[], max: number): Promise<number> {
  const counts = dataSets.map(({ referencedVersions }) => referencedVersions).filter((count) => count > 0)
  const most = Math.max(0, ...counts)
  if (most >= max || counts.length <= 1) return Math.min(most, max)
  const row = reader.get<{ n: number }>(
    `select coalesce(sum(c.ref_count), 0) as n from contents c where c.id in (select k.content_id from copies k
       where k.state = 'committed' and k.data_set_id in (select value from json_each(?)))`,
    JSON.stringify(dataSets.map(({ id }) => id)),
  )
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
  return reader.all<ReadableCopy>(
    `select d.service_url as serviceUrl, p.piece_cid as pieceCid from copies c join data_sets d on d.id = c.data_set_id join pieces p on p.id = c.piece_id
     where c.content_id = ? and c.state in ('parked', 'batched', 'unconfirmed', 'attention', 'committed') and d.state in ('creating', 'ready', 'write_blocked', 'retiring') and p.piece_cid is not null
     order by c.state = 'committed' desc, c.slot`,
    contentId,
  )
}

export async function sha256Of(reader: Reader, contentId: number): Promise<string | null> {
  return reader.get<{ sha256: string | null }>('select sha256 from contents where id = ?', contentId)?.sha256 ?? null
}
