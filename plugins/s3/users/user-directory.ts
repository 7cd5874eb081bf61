import { randomBytes } from 'node:crypto'
import { type Clock, type Database, defineService, type Reader, type Tx } from '#kernel'
import type { Buckets } from '#plugins/storage'
import type { CreatedS3User, S3Role, S3User, S3Users } from '../contract.ts'
import { toAccessKey } from './access-key-policy.ts'
import { LastUses } from './last-uses.ts'
import { changeOwnLimits } from './limits-policy.ts'
import { newOwnerId, rootOwnerId } from './owner-id.ts'
import type { S3Signer } from './signer.ts'
import { userErrors } from './user-errors.ts'
import { deleteUser, findUser, insertUser, readUsers, updateUser } from './user-store.ts'

const newToken = (bytes: number): string => randomBytes(bytes).toString('base64url')

const accessKeyBytes = 16
const secretKeyBytes = 32

/** The S3 users, cached in memory because every S3 request needs one. Adds the secret keys, which only this plugin may use. */
interface UserDirectory extends S3Users {
  /** Returns undefined for a disabled user too. */
  findSigner(accessKey: string): S3Signer | undefined
  /** A signature of the user was verified. Kept in memory, and written by `writeUses`. */
  noteUse(accessKey: string): void
  /** Writes the uses since the last time. */
  writeUses(): Promise<void>
  /** Returns the id of the owner of a bucket; null: the internal root account. */
  ownerIdOf(accessKey: string | null): string
  /** The owner ID of the user with this access key or owner ID. */
  findOwnerId(name: string): string | undefined
}

export const userDirectory = defineService<UserDirectory>('s3.user-directory')

interface UserDirectoryDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'countOwnedBy'>
  readonly clock: Clock
}

export async function createUserDirectory({ database, buckets, clock }: UserDirectoryDeps): Promise<UserDirectory> {
  const signers = new Map((await readUsers(database.read)).map((signer) => [signer.accessKey, signer]))

  // Updates memory only after the commit: a key that a restart forgets would lock its owner out.
  const keep = (tx: Tx, signer: S3Signer) => tx.afterCommit(() => void signers.set(signer.accessKey, signer))

  const change = (accessKey: string, changed: (current: S3Signer) => S3Signer): Promise<S3Signer> =>
    database.write(async (tx) => {
      const signer = changed(await requireUser(tx, accessKey))
      await updateUser(tx, signer, clock.now())
      keep(tx, signer)
      return signer
    })

  const uses = new LastUses({ database, clock })
  const shown = (signer: S3Signer): S3User => {
    const { secretKey: _secret, ...user } = signer
    return { ...user, usedAtMs: uses.of(user.accessKey) ?? user.usedAtMs ?? null }
  }

  return {
    findSigner(accessKey) {
      const signer = signers.get(accessKey)
      return (signer?.disabledAtMs ?? null) === null ? signer : undefined
    },
    noteUse: (accessKey) => uses.note(accessKey),
    writeUses: () => uses.write(),
    find(accessKey) {
      const signer = signers.get(accessKey)
      return signer && shown(signer)
    },
    ownerIdOf: (accessKey) => (accessKey === null ? undefined : signers.get(accessKey)?.ownerId) ?? rootOwnerId,
    findOwnerId: (name) => (signers.get(name) ?? signers.values().find(({ ownerId }) => ownerId === name))?.ownerId,
    list: () => [...signers.values()].map(shown).sort((left, right) => (left.accessKey < right.accessKey ? -1 : 1)),
    create: (role, name): Promise<CreatedS3User> =>
      database.write(async (tx) => {
        const signer = newSigner(role, name ?? null, clock.now())
        await insertUser(tx, signer)
        keep(tx, signer)
        return signer
      }),
    setRole: async (accessKey, role) => shown(await change(accessKey, (current) => ({ ...current, role }))),
    change: async (accessKey, { name, isDisabled }) =>
      shown(
        await change(accessKey, (current) => ({
          ...current,
          ...(name === undefined ? {} : { name }),
          ...(isDisabled === undefined ? {} : { disabledAtMs: isDisabled ? (current.disabledAtMs ?? clock.now()) : null }),
        })),
      ),
    setLimits: async (accessKey, limits) =>
      shown(
        await change(accessKey, ({ ownLimits, ...current }) => {
          const changed = changeOwnLimits(ownLimits, limits)
          return changed === undefined ? current : { ...current, ownLimits: changed }
        }),
      ),
    rotateSecret: (accessKey) => change(accessKey, (current) => ({ ...current, secretKey: newToken(secretKeyBytes) })),
    async delete(accessKey) {
      await database.write(async (tx) => {
        await requireUser(tx, accessKey)
        const owned = await buckets.countOwnedBy(accessKey, tx)
        if (owned > 0) throw ownsBuckets(accessKey, owned)
        await deleteUser(tx, accessKey)
        tx.afterCommit(() => {
          signers.delete(accessKey)
          uses.forget(accessKey)
        })
      })
    },
  }
}

const newSigner = (role: S3Role, name: string | null, createdAtMs: number) => ({
  accessKey: toAccessKey(newToken(accessKeyBytes)),
  ownerId: newOwnerId(),
  secretKey: newToken(secretKeyBytes),
  role,
  name,
  createdAtMs,
})

/** Reads the user from the database. Throws `s3_user_not_found`. */
export async function requireUser(read: Reader, accessKey: string): Promise<S3Signer> {
  const signer = await findUser(read, accessKey)
  if (!signer) throw userErrors.s3_user_not_found({ message: `There is no S3 user '${accessKey}'.` })
  return signer
}

const ownsBuckets = (accessKey: string, count: number) =>
  userErrors.s3_user_owns_buckets({
    message: `The S3 user '${accessKey}' owns ${count === 1 ? 'a bucket; change its' : `${count} buckets; change their`} owner first.`,
  })
