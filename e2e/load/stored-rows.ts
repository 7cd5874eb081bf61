/** Bulk inserts rows as the service writes them: cached contents with two copies, without their bytes. */
import type { Database, Tx } from '#kernel'
import { getRow, insertRow, runSql } from '#kernel/testing'

interface ManyVersions {
  readonly bucketId: number
  readonly rows: number
  /** `objects`: one version per key; `history`: all versions of one key; `deleted`: one version and a delete marker per key. */
  readonly as: 'objects' | 'history' | 'deleted'
}

/** SQL for the key of row `n`: a thousand keys per folder. */
const keySql = "printf('photos/%04d/%04d.jpg', n / 1000, n % 1000)"
export const keyAt = (n: number): string =>
  `photos/${String(Math.floor(n / 1000)).padStart(4, '0')}/${String(n % 1000).padStart(4, '0')}.jpg`
export const historyKey = 'one/key.jpg'

/** Earlier than any version made through the API. Version `n` is at 2n ms, its delete marker at 2n + 1 ms. */
const firstMs = Date.UTC(2026, 0, 1)
const timeSql = (isMarker: 0 | 1) => `(${firstMs} + 2 * n + ${isMarker})`
const rseqSql = (isMarker: 0 | 1) => `(-1024 * ${timeSql(isMarker)})`
const versionIdSql = (isMarker: 0 | 1) => `printf('01KD0%03d%018d', ?, 2 * n + ${isMarker})`
/** Version id of row `n`, or of its delete marker. */
export const storedVersionId = (bucketId: number, n: number, isMarker: 0 | 1): string =>
  `01KD0${String(bucketId).padStart(3, '0')}${String(2 * n + isMarker).padStart(18, '0')}`
const etagSql = "printf('%032x', n)"
const bytes = 4096

export async function insertVersions(database: Database, many: ManyVersions): Promise<void> {
  await database.write(async (tx) => {
    const firstId = await insertContents(tx, many)
    await insertData(tx, many, firstId)
    if (many.as === 'deleted') await insertMarkers(tx, many)
    else await insertHeads(tx, many, firstId)
    await runSql(
      tx,
      'update bucket_stats set live_objects = ?, live_bytes = ?, versions = ?, version_bytes = ?, tombstones = ? where bucket_id = ?',
      ...countsOf(many),
      many.bucketId,
    )
  })
}

function countsOf({ as, rows }: ManyVersions): readonly number[] {
  const live = { objects: rows, history: 1, deleted: 0 }[as]
  return [live, live * bytes, rows, rows * bytes, as === 'deleted' ? rows : 0]
}

interface Insert {
  /** The table and its columns. */
  readonly into: string
  readonly rows: number
  /** SQL for the columns of row `n`, from zero. */
  readonly values: string
}

async function insertMany(tx: Tx, { into, rows, values }: Insert, ...params: readonly (string | number)[]): Promise<void> {
  await runSql(
    tx,
    `insert into ${into} with recursive seq (n) as (select 0 union all select n + 1 from seq where n + 1 < ?) select ${values} from seq`,
    rows,
    ...params,
  )
}

/** Returns the first content id. Each piece has the id of its content. */
async function insertContents(tx: Tx, { bucketId, rows }: ManyVersions): Promise<number> {
  const first = ((await getRow<{ id: number | null }>(tx, 'select max(id) as id from contents'))?.id ?? 0) + 1
  await insertMany(
    tx,
    {
      into: `contents (id, bucket_id, identity, size, ref_count, target_copies, durable_copies, readable_copies, store_state, created_at, updated_at)`,
      rows,
      values: `? + n, ?, printf('s256:%064x', n), ${bytes}, 1, 2, 2, 2, 'stored', 0, 0`,
    },
    ...[first, bucketId],
  )
  await insertMany(tx, { into: 'cache_entries (content_id, bytes, accessed_at, cached_at)', rows, values: `? + n, ${bytes}, 0, 0` }, first)
  const piece = `? + n, ? + n, 0, 0, ${bytes}, printf('bafkzcib%056d', n)`
  await insertMany(tx, { into: 'pieces (id, content_id, part_no, offset_bytes, length, piece_cid)', rows, values: piece }, first, first)
  for (const slot of [0, 1]) {
    await insertMany(
      tx,
      {
        into: 'copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, committed_at, created_at, updated_at)',
        rows,
        values: "? + n, ? + n, ?, ?, 'committed', 'store', n, 0, 0, 0",
      },
      ...[first, first, await addDataSet(tx, bucketId, slot), slot],
    )
  }
  return first
}

/** The data set of a bucket's replica slot, ready for writes. */
async function addDataSet(tx: Tx, bucketId: number, slot: number): Promise<number> {
  const chainId = `${bucketId}${slot}`
  const id = await insertRow(
    tx,
    `insert into data_sets (bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, created_at, updated_at)
     values (?, ?, 1, ?, '0x0', '0x0', 'http://127.0.0.1:9', ?, ?, 'ready', 0, 0)`,
    ...[bucketId, slot, String(slot + 1), chainId, chainId],
  )
  await runSql(tx, 'insert into replica_slots (bucket_id, slot, current_data_set_id) values (?, ?, ?)', bucketId, slot, id)
  return id
}

const versions = 'object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)'

async function insertData(tx: Tx, { as, bucketId, rows }: ManyVersions, firstId: number): Promise<void> {
  const key = as === 'history' ? `'${historyKey}'` : keySql
  const values = `?, ${key}, ${rseqSql(0)}, ${versionIdSql(0)}, ? + n, 0, ${bytes}, ${etagSql}, 'image/jpeg', ${timeSql(0)}`
  await insertMany(tx, { into: versions, rows, values }, bucketId, bucketId, firstId)
}

async function insertMarkers(tx: Tx, { bucketId, rows }: ManyVersions): Promise<void> {
  const marker = `?, ${keySql}, ${rseqSql(1)}, ${versionIdSql(1)}, null, 1, 0, '', '', ${timeSql(1)}`
  await insertMany(tx, { into: versions, rows, values: marker }, bucketId, bucketId)
  const tombstone = `?, ${keySql}, ${versionIdSql(1)}, ${rseqSql(1)}, ${timeSql(1)}, 1`
  const into = 'object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable)'
  await insertMany(tx, { into, rows, values: tombstone }, bucketId, bucketId)
}

/** The newest version of each key is its head. */
async function insertHeads(tx: Tx, { as, bucketId, rows }: ManyVersions, firstId: number): Promise<void> {
  await runSql(
    tx,
    `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified)
     select bucket_id, key, version_id, rseq, content_id, size, etag, created_at from object_versions where bucket_id = ? and content_id >= ?`,
    bucketId,
    as === 'history' ? firstId + rows - 1 : firstId,
  )
}

/** Tasks of several kinds and statuses; of every thousand, a hundred in a row are completed recurring tasks, which lists hide. */
export async function insertTasks(database: Database, rows: number): Promise<void> {
  const status = "case n / 4 % 5 when 1 then 'pending' when 2 then 'failed' when 3 then 'failed' else 'completed' end"
  const kind = "case n % 4 when 0 then 'storage_store' when 1 then 'storage_pull' when 2 then 'storage_commit' else 'storage_cleanup' end"
  const isHidden = 'n / 100 % 10 = 9'
  const isDismissed = `not ${isHidden} and n / 4 % 5 = 3`
  const isFailed = `not ${isHidden} and n / 4 % 5 in (2, 3)`
  const [nowMs, laterMs] = [Date.now(), Date.now() + 365 * 86_400_000]
  await database.write(async (tx) => {
    const before = (await getRow<{ id: number | null }>(tx, 'select max(id) as id from tasks'))?.id ?? 0
    await insertMany(
      tx,
      {
        into: 'tasks (kind, subject_type, subject_key, args, status, run_at, failed_at, acknowledged_at, created_at, updated_at, started_at, finished_at)',
        rows,
        values: `case when ${isHidden} then 'task_gc' else ${kind} end, 'thing', n, '{}', case when ${isHidden} then 'completed' else ${status} end, ?,
          case when ${isFailed} then ${firstMs} + n end, case when ${isDismissed} then ? end, ${firstMs}, ${firstMs}, ${firstMs}, ?`,
      },
      ...[laterMs, nowMs, nowMs],
    )
    await runSql(
      tx,
      `insert into task_counts (kind, status, acknowledged, n)
       select kind, status, acknowledged_at is not null, count(*) from tasks where id > ? group by 1, 2, 3
       on conflict (kind, status, acknowledged) do update set n = n + excluded.n`,
      before,
    )
    await runSql(tx, 'update task_failure_clock set at = max(at, ?)', firstMs + rows)
  })
}
