/** S3 users in the database. Secret keys are stored in plain text: verifying a Signature Version 4 needs the key itself. */
import type { Params, Reader, Tx } from '#kernel'
import type { S3Signer } from './signer.ts'
import { statement } from './tables.ts'

const columns = [
  'access_key as accessKey',
  'owner_id as ownerId',
  'secret_key as secretKey',
  'role',
  'limits',
  'created_at as createdAtMs',
] as const

const all = statement((db) => db.selectFrom('s3_users').select(columns))
const find = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.selectFrom('s3_users').select(columns).where('access_key', '=', accessKey),
)
type NewRow = Omit<S3Signer, 'ownLimits'>

const insert = statement((db, { accessKey, ownerId, secretKey, role, createdAtMs }: Params<NewRow>) =>
  db
    .insertInto('s3_users')
    .values({ access_key: accessKey, owner_id: ownerId, secret_key: secretKey, role, created_at: createdAtMs, updated_at: createdAtMs }),
)

interface ChangedRow extends Pick<S3Signer, 'accessKey' | 'secretKey' | 'role'> {
  readonly limits: string | null
  readonly nowMs: number
}

const update = statement((db, { accessKey, secretKey, role, limits, nowMs }: Params<ChangedRow>) =>
  db.updateTable('s3_users').set({ secret_key: secretKey, role, limits, updated_at: nowMs }).where('access_key', '=', accessKey),
)
const remove = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.deleteFrom('s3_users').where('access_key', '=', accessKey),
)

function toSigner({ limits, ...row }: NewRow & { readonly limits: string | null }): S3Signer {
  return limits === null ? row : { ...row, ownLimits: JSON.parse(limits) }
}

/** Unordered. */
export async function readUsers(read: Reader): Promise<S3Signer[]> {
  return (await read.all(all)).map(toSigner)
}

export async function findUser(read: Reader, accessKey: string): Promise<S3Signer | undefined> {
  const row = await read.get(find, { accessKey })
  return row && toSigner(row)
}

export async function insertUser(tx: Tx, signer: NewRow): Promise<void> {
  await tx.run(insert, { ...signer })
}

export async function updateUser(tx: Tx, { accessKey, secretKey, role, ownLimits }: S3Signer, nowMs: number): Promise<void> {
  await tx.run(update, { accessKey, secretKey, role, limits: ownLimits === undefined ? null : JSON.stringify(ownLimits), nowMs })
}

export async function deleteUser(tx: Tx, accessKey: string): Promise<void> {
  await tx.run(remove, { accessKey })
}
