import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Reader } from '#kernel'
import type { Devnet } from '../../devnet/devnet.ts'
import { checkInvariants } from '../../plugins/storage/testing/check-invariants.ts'

/** What is wrong in the database of a stopped gateway, by itself and against the chain; empty when nothing is. */
export async function checkDatabase(dir: string, devnet: Devnet): Promise<readonly string[]> {
  using database = openReadOnly(join(dir, 'db', 'svc.db'))
  return [...checkInvariants(database, { cacheDir: join(dir, 'cache') }), ...findUnrecordedAttempts(database, devnet)]
}

/** I-24: whatever the chain has under our data sets is an attempt that we put on record. */
function findUnrecordedAttempts(reader: Reader, devnet: Devnet): readonly string[] {
  const ours = new Set(reader.all<{ id: string }>('select chain_id as id from data_sets where chain_id is not null').map(({ id }) => id))
  const recorded = new Set(reader.all<{ nonce: string }>('select nonce from commit_batches').map(({ nonce }) => nonce))
  return devnet
    .addPiecesTransactions()
    .filter(({ dataSetId, nonce, ok }) => ok === true && ours.has(String(dataSetId)) && !recorded.has(nonce.toString()))
    .map(({ hash, dataSetId }) => `transaction ${hash} added pieces to data set ${dataSetId} under a nonce that is not on record`)
}

function openReadOnly(path: string): Reader & Disposable {
  const database = new DatabaseSync(path, { readOnly: true })
  return {
    get: <R>(sql: string, ...params: readonly (string | number | bigint | null | Uint8Array)[]) =>
      database.prepare(sql).get(...params) as R | undefined,
    all: <R>(sql: string, ...params: readonly (string | number | bigint | null | Uint8Array)[]) =>
      database.prepare(sql).all(...params) as R[],
    [Symbol.dispose]: () => database.close(),
  }
}
