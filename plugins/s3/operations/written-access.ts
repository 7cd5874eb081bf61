/** Owner and access control list of a version that a request writes. */
import type { Bucket, RecordVersion } from '#plugins/storage'
import type { BucketRules } from '../access/access-rules-policy.ts'
import type { ObjectAccess } from '../access/object-access-store.ts'
import type { S3User } from '../contract.ts'
import { readAccessHeaders, type SentList } from '../wire/access-headers.ts'
import { isPrivate, privateList } from '../wire/access-list-policy.ts'
import { readList, requireAllowedList } from './access-control.ts'
import type { BucketRequest, S3Services } from './operation.ts'

/**
 * Returns undefined for the default, which needs no row: a private version of the owner of the bucket. Throws the errors of a list in the headers that
 * is invalid or not allowed.
 */
export function readWrittenAccess(request: BucketRequest, services: S3Services): ObjectAccess | undefined {
  const { bucket, headers, caller } = request
  const sent = readAccessHeaders(headers)
  const rules = services.accessLists.rulesOf(bucket)
  const owner = ownerOfWritten(caller, sent, rules)
  if (sent === undefined) return owner === null ? undefined : { owner, grants: privateList }
  const bucketOwner = rules.owner
  const grants = readList(sent, { owner: owner ?? bucketOwner, bucketOwner }, services)
  requireAllowedList(grants, services.accessLists.accessOf(bucket), services.settings)
  return owner === null && isPrivate(grants) ? undefined : { owner, grants }
}

/** Null: the owner of the bucket, also of what admins and anonymous callers write. */
function ownerOfWritten(caller: S3User | undefined, sent: SentList | undefined, rules: BucketRules): string | null {
  if (caller === undefined || caller.role === 'admin' || caller.ownerId === rules.owner) return null
  if (rules.ownership === 'ObjectWriter') return caller.ownerId
  const isGiven = sent !== undefined && 'canned' in sent && sent.canned === 'bucket-owner-full-control'
  return rules.ownership === 'BucketOwnerEnforced' || isGiven ? null : caller.ownerId
}

/** For a write of storage: compares the version with the limits, and stores its access, if it is not the default. */
export const recorded =
  (bucket: Bucket, access: ObjectAccess | undefined, { accessLists, storageLimits }: S3Services): RecordVersion =>
  async (tx, version) => {
    await storageLimits.checkVersion(tx, bucket)
    if (access !== undefined) await accessLists.addToVersion(tx, version, access)
  }
