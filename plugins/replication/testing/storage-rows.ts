import { createHash } from 'node:crypto'
import type { Tx } from '#kernel'
import { getRow, insertRow, type NamedMigrations, openTestDatabase, runSql, type TestDatabase } from '#kernel/testing'
import { keepChunkRoots } from '../copies/records/chunk-roots-store.ts'
import { findPipelineContent, type PipelineContent, planPiece, setPieceCid } from '../copies/records/copy-store.ts'
import { type DataSet, findDataSet, planDataSet } from '../datasets/data-set-store.ts'
import type { CalculatedPiece } from '../pieces/piece-calculation.ts'
import { pieceCidOf } from '../pieces/piece-cid.ts'
import { createPieceHasher } from '../pieces/piece-hasher.ts'
import { addCopies } from '../states/copy-state-store.ts'
import { addDataSet, type PlannedDataSet } from '../states/data-set-state-store.ts'
import type { CopyState } from '../states/tables/copy-transitions-policy.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'
import { rowContents } from './piece-keeper.ts'
import { contentSchemas } from './schemas.ts'

/** Contents, data sets and copies in a real database, inserted by the product's functions and then set to the state a test needs. */
export interface StorageRows extends AsyncDisposable {
  readonly database: TestDatabase
  /** Inserts a content of bucket 1 with one piece. */
  addContent(content?: { readonly bytes?: Uint8Array; readonly copies?: number }): Promise<PipelineContent>
  /** Inserts the data set of the next slot of bucket 1. Its id on chain is its local id + 100. */
  addDataSet(dataSet?: { readonly state?: DataSetState; readonly serviceUrl?: string; readonly providerId?: string }): Promise<DataSet>
  /** Inserts a copy of the content on the data set. Returns its id. */
  addCopy(content: PipelineContent, dataSet: DataSet, state?: CopyState): Promise<number>
}

export const rowsNowMs = 1_000_000

/** Inserts data sets, and nothing follows. */
export const rowStates = (nowMs: number) => ({ dataSets: { plan: (tx: Tx, plan: PlannedDataSet) => addDataSet(tx, plan, nowMs) } })

interface RowsOptions {
  /** Folder of the database, which is kept; default: a temporary folder. */
  readonly dir?: string
  /** Tables of plugins that build on replication. */
  readonly schemas?: readonly NamedMigrations[]
}

export async function openStorageRows({ schemas = [], ...options }: RowsOptions = {}): Promise<StorageRows> {
  const database = await openTestDatabase([...contentSchemas, ...schemas], options)
  await database.write((tx) =>
    runSql(
      tx,
      `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 3, 2, 0, 0)`,
    ),
  )
  let contents = 0
  let slots = 0
  return {
    database,
    async addContent({ bytes = Buffer.from(`content ${contents}`), copies = 2 } = {}) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const id = await database.write(async (tx) => {
        const inserted = await insertRow(
          tx,
          `insert into contents (bucket_id, identity, size, sha256, ref_count, target_copies, created_at, updated_at)
           values (1, ?, ?, ?, 1, ?, 0, 0)`,
          `s256:${sha256}:${++contents}`,
          bytes.length,
          sha256,
          copies,
        )
        await planPiece(tx, { contentId: inserted, size: bytes.length })
        const content = required(await findPipelineContent(tx, inserted))
        const { pieceCid, chunkRoots } = pieceOf(bytes, sha256)
        await setPieceCid(tx, content.pieceId, pieceCid)
        await keepChunkRoots(tx, content, chunkRoots)
        return inserted
      })
      return required(await findPipelineContent(database.read, id))
    },
    async addDataSet({ state = 'ready', serviceUrl, providerId } = {}) {
      const slot = slots++
      const id = await database.write(async (tx) => {
        const planned = await planDataSet(rowStates(rowsNowMs), tx, {
          bucketId: 1,
          slot,
          providerId: providerId ?? String(slot + 1),
          providerAddress: `0x${slot}`,
          payee: `0x${slot}`,
          serviceUrl: serviceUrl ?? `http://provider-${slot}`,
          clientDataSetId: BigInt(slot + 1),
          pieceBytesMax: 1_065_353_216,
        })
        const dataSetId = required(planned)
        await runSql(
          tx,
          'update data_sets set state = ?, chain_id = ?, final_at = ? where id = ?',
          state,
          state === 'planned' ? null : String(dataSetId + 100),
          state === 'planned' ? null : rowsNowMs,
          dataSetId,
        )
        return dataSetId
      })
      return required(await findDataSet(database.read, id))
    },
    async addCopy(content, dataSet, state = 'planned') {
      return database.write(async (tx) => {
        await addCopies(tx, { ...content, dataSetIds: [dataSet.id], nowMs: rowsNowMs })
        await rowContents.markStoring(tx, content.contentId, rowsNowMs)
        const row = required(
          await getRow<{ id: number }>(tx, 'select id from copies where piece_id = ? and data_set_id = ?', content.pieceId, dataSet.id),
        )
        await runSql(
          tx,
          'update copies set state = ?, parked_at = ?, chain_piece_id = ? where id = ?',
          state,
          state === 'planned' ? null : rowsNowMs,
          state === 'committed' ? String(row.id) : null,
          row.id,
        )
        return row.id
      })
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

type Piece = Pick<CalculatedPiece, 'pieceCid' | 'chunkRoots'>

/** Pieces by SHA-256: many tests of a file use the same large content. */
const pieces = new Map<string, Piece>()

function pieceOf(bytes: Uint8Array, sha256: string): Piece {
  const known = pieces.get(sha256)
  if (known) return known
  const hasher = createPieceHasher({ padTo: 127 })
  hasher.update(bytes)
  const piece = { pieceCid: pieceCidOf(hasher.digest()), chunkRoots: hasher.chunkRoots() }
  pieces.set(sha256, piece)
  return piece
}

function required<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('row missing after insert')
  return found
}
