/** S3 users in the database. Secret keys are stored in plain text: verifying a Signature Version 4 needs the key itself. */
import type { Params, Reader, Tx } from '#kernel'
import type { S3Signer } from './signer.ts'
import { statement } from './tables.ts'

const columns = ['access_key as accessKey', 'owner_id as ownerId', 'secret_key as secretKey', 'role', 'created_at as createdAtMs'] as const

const all = statement((db) => db.selectFrom('s3_users').select(columns))
const find = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.selectFrom('s3_users').select(columns).where('access_key', '=', accessKey),
)
const insert = statement((db, { accessKey, ownerId, secretKey, role, createdAtMs }: Params<S3Signer>) =>
  db
    .insertInto('s3_users')
    .values({ access_key: accessKey, owner_id: ownerId, secret_key: secretKey, role, created_at: createdAtMs, updated_at: createdAtMs }),
)
const update = statement(
  (db, { accessKey, secretKey, role, nowMs }: Params<Omit<S3Signer, 'ownerId' | 'createdAtMs'> & { nowMs: number }>) =>
    db.updateTable('s3_users').set({ secret_key: secretKey, role, updated_at: nowMs }).where('access_key', '=', accessKey),
)
const remove = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.deleteFrom('s3_users').where('access_key', '=', accessKey),
)

/** Unordered. */
export async function readUsers(read: Reader): Promise<S3Signer[]> {
  return await read.all(all)
}

export async function findUser(read: Reader, accessKey: string): Promise<S3Signer | undefined> {
  return await read.get(find, { accessKey })
}

export async function insertUser(tx: Tx, signer: S3Signer): Promise<void> {
  await tx.run(insert, { ...signer })
}

export async function updateUser(tx: Tx, signer: S3Signer, nowMs: number): Promise<void> {
  await tx.run(update, { ...signer, nowMs })
}

export async function deleteUser(tx: Tx, accessKey: string): Promise<void> {
  await tx.run(remove, { accessKey })
}
