import type { Clock, Database, Reader, Tx } from '#kernel'
import { type CopiesDefaults, resolveCopies } from '../catalog/buckets/bucket-copies-policy.ts'
import { bucketNotFound } from '../catalog/buckets/bucket-not-found.ts'
import {
  countBucketsOf,
  insertBucket,
  lockBucketRow,
  readBuckets,
  readTotalUsage,
  readUsages,
  updateBucketCopies,
  updateBucketOwner,
} from '../catalog/buckets/bucket-store.ts'
import { readStoredIn, readStoredUsage, readStoredUsages } from '../catalog/buckets/stored-usage-store.ts'
import type { Bucket, BucketOwnerCheck, Buckets, CopyPolicyChange, CreateBucket } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { BucketIndex } from './bucket-index.ts'
import { bucketNameProblem } from './bucket-name-policy.ts'
import { changeCopies } from './change-copies-policy.ts'
import { deleteBucket, type PartFiles } from './delete-bucket.ts'

export interface BucketCatalog extends Buckets {
  findById(id: number): Bucket | undefined
}

interface BucketDeps {
  readonly database: Database
  readonly clock: Clock
  /** Read for each new bucket and each change of a copy policy. */
  readonly defaults: () => CopiesDefaults
  readonly partFiles: PartFiles
  /** Called for each change of an owner. */
  readonly ownerChecks?: () => readonly BucketOwnerCheck[]
  /** Called inside the transaction that adds a bucket. */
  readonly onCreated?: (tx: Tx, bucket: Bucket) => Promise<void>
  /** Called after a bucket was created, changed or deleted durably. */
  readonly onChanged?: (bucket: Bucket) => void
  /** Called inside the transaction that changed the minimum of durable copies. */
  readonly onMinimumChanged?: (tx: Tx, bucket: Bucket) => Promise<void>
  /** Called inside the transaction that deleted the bucket. */
  readonly onGivenUp?: (tx: Tx, bucketId: number) => Promise<void>
}

const ignore = async (): Promise<void> => {}

/** Creates the bucket service. All buckets are in memory: read once here, updated after each commit. */
export async function createBuckets(deps: BucketDeps): Promise<BucketCatalog> {
  const { database, clock, defaults, partFiles, ownerChecks = () => [], onMinimumChanged = ignore, onGivenUp = ignore } = deps
  const { onCreated = ignore } = deps
  const known = new BucketIndex(await readBuckets(database.read), deps.onChanged ?? ignore)

  /** Runs `decide`, which writes the bucket's row and returns the changed bucket, and updates the memory after the commit. */
  async function change(name: string, decide: (tx: Tx, current: Bucket) => Promise<Bucket>): Promise<Bucket> {
    return database.write(async (tx) => {
      const current = await lockBucketRow(tx, name)
      if (!current) throw bucketNotFound(name)
      const changed = await decide(tx, current)
      tx.afterCommit(() => known.keep(changed))
      return changed
    })
  }

  async function requireOwner(read: Reader, ownerAccessKey: string | null): Promise<void> {
    if (ownerAccessKey === null) return
    for (const { check } of ownerChecks()) await check(read, ownerAccessKey)
  }

  return {
    async create(request) {
      const draft = draftBucket(request, defaults(), clock.now())
      return database.write(async (tx) => {
        if (await lockBucketRow(tx, draft.name)) throw storageErrors.bucket_exists({ message: `bucket '${draft.name}' already exists` })
        await requireOwner(tx, draft.ownerAccessKey)
        const bucket = await insertBucket(tx, draft)
        await onCreated(tx, bucket)
        await request.record?.(tx, bucket)
        tx.afterCommit(() => known.keep(bucket))
        return bucket
      })
    },
    find: known.find,
    findById: known.findById,
    require: known.require,
    list: known.list,
    usages: (bucketIds) => readUsages(database.read, bucketIds),
    totalUsage: () => readTotalUsage(database.read),
    storedIn: (bucketId, read = database.read) => readStoredIn(read, bucketId),
    storedUsage: (ownerAccessKey, read = database.read) => readStoredUsage(read, ownerAccessKey),
    storedUsages: () => readStoredUsages(database.read),
    setOwner: (name, ownerAccessKey) =>
      change(name, async (tx, current) => {
        await requireOwner(tx, ownerAccessKey)
        const changed: Bucket = { ...current, ownerAccessKey, updatedAtMs: clock.now() }
        await updateBucketOwner(tx, changed)
        return changed
      }),
    setCopyPolicy: (name, policy) =>
      change(name, async (tx, current) => {
        const changed: Bucket = { ...current, ...decideCopies(policy, current, defaults()), updatedAtMs: clock.now() }
        await updateBucketCopies(tx, changed)
        if (changed.minimumDurableCopies !== current.minimumDurableCopies) await onMinimumChanged(tx, changed)
        return changed
      }),
    delete: (bucket) => deleteBucket({ database, clock, partFiles, onGivenUp, onDeleted: (gone) => known.drop(gone) }, bucket),
    async countOwnedBy(ownerAccessKey, read) {
      if (read) return await countBucketsOf(read, ownerAccessKey)
      return known.list().filter((bucket) => bucket.ownerAccessKey === ownerAccessKey).length
    },
  }
}

function draftBucket(request: CreateBucket, defaults: CopiesDefaults, nowMs: number): Omit<Bucket, 'id'> {
  const { name, ownerAccessKey } = request
  const problem = bucketNameProblem(name)
  if (problem) throw storageErrors.invalid_bucket_name({ message: `the bucket name '${name}' ${problem}` })
  const copies = resolveCopies(request, defaults)
  if (!copies.isValid) throw storageErrors[copies.code]({ message: copies.message })
  const { defaultCopies, minimumDurableCopies } = copies
  return { name, ownerAccessKey, defaultCopies, minimumDurableCopies, createdAtMs: nowMs, updatedAtMs: nowMs }
}

function decideCopies(policy: CopyPolicyChange, current: Bucket, { defaultCopies }: CopiesDefaults) {
  const verdict = changeCopies(policy, current, defaultCopies)
  if (!verdict.isAllowed) throw storageErrors[verdict.code]({ message: verdict.message })
  return verdict.copies
}
