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
  'name',
  'disabled_at as disabledAtMs',
  'used_at as usedAtMs',
  'created_at as createdAtMs',
] as const

const all = statement((db) => db.selectFrom('s3_users').select(columns))
const find = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.selectFrom('s3_users').select(columns).where('access_key', '=', accessKey),
)
type NewRow = Omit<S3Signer, 'ownLimits' | 'name' | 'disabledAtMs' | 'usedAtMs'> & { readonly name: string | null }
type UserRow = NewRow & { readonly limits: string | null; readonly disabledAtMs: number | null; readonly usedAtMs: number | null }

const insert = statement((db, { accessKey, ownerId, secretKey, role, name, createdAtMs }: Params<NewRow>) =>
  db.insertInto('s3_users').values({
    access_key: accessKey,
    owner_id: ownerId,
    secret_key: secretKey,
    role,
    name,
    created_at: createdAtMs,
    updated_at: createdAtMs,
  }),
)

interface ChangedRow extends Pick<UserRow, 'accessKey' | 'secretKey' | 'role' | 'name' | 'disabledAtMs'> {
  readonly limits: string | null
  readonly nowMs: number
}

const update = statement((db, { accessKey, secretKey, role, name, disabledAtMs, limits, nowMs }: Params<ChangedRow>) =>
  db
    .updateTable('s3_users')
    .set({ secret_key: secretKey, role, name, disabled_at: disabledAtMs, limits, updated_at: nowMs })
    .where('access_key', '=', accessKey),
)
const writeUse = statement((db, { accessKey, usedAtMs }: Params<{ accessKey: string; usedAtMs: number | null }>) =>
  db.updateTable('s3_users').set({ used_at: usedAtMs }).where('access_key', '=', accessKey),
)
const remove = statement((db, { accessKey }: Params<{ accessKey: string }>) =>
  db.deleteFrom('s3_users').where('access_key', '=', accessKey),
)

function toSigner({ limits, ...row }: UserRow): S3Signer {
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

export async function insertUser(tx: Tx, { accessKey, ownerId, secretKey, role, name = null, createdAtMs }: S3Signer): Promise<void> {
  await tx.run(insert, { accessKey, ownerId, secretKey, role, name, createdAtMs })
}

export async function updateUser(
  tx: Tx,
  { accessKey, secretKey, role, name = null, disabledAtMs = null, ownLimits }: S3Signer,
  nowMs: number,
): Promise<void> {
  const limits = ownLimits === undefined ? null : JSON.stringify(ownLimits)
  await tx.run(update, { accessKey, secretKey, role, name, disabledAtMs, limits, nowMs })
}

export async function updateUse(tx: Tx, accessKey: string, usedAtMs: number | null): Promise<void> {
  await tx.run(writeUse, { accessKey, usedAtMs })
}

export async function deleteUser(tx: Tx, accessKey: string): Promise<void> {
  await tx.run(remove, { accessKey })
}
