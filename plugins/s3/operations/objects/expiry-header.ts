import type { Bucket, ObjectVersion } from '#plugins/storage'
import type { S3Services } from '../operation.ts'

/** The last day of year 9999: HTTP has no dates after it. */
const dateMsMax = Date.UTC(9999, 11, 31)

/** Adds the header that says when a lifecycle rule will delete a current version. */
export async function addExpiry(
  headers: Record<string, string>,
  { lifecycleRules }: Pick<S3Services, 'lifecycleRules'>,
  { bucket, version }: { readonly bucket: Bucket; readonly version: ObjectVersion },
): Promise<void> {
  if (!lifecycleRules.hasRules(bucket)) return
  const expiry = await lifecycleRules.expiryOf(bucket, version)
  if (!expiry || expiry.atMs > dateMsMax) return
  headers['x-amz-expiration'] = `expiry-date="${new Date(expiry.atMs).toUTCString()}", rule-id="${encodeURIComponent(expiry.ruleId)}"`
}
