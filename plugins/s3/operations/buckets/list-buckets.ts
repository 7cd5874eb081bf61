import { bucketListDocument } from '../../documents/lists/list-buckets.ts'
import { rootOwnerId } from '../../users/owner-id.ts'
import { readCount } from '../../wire/query.ts'
import { invalidArgument } from '../../wire/s3-error.ts'
import { type Operation, type S3Request, type S3Services, xmlAnswer } from '../operation.ts'

const bucketsMax = 10_000

/** Buckets owned by the caller, or every bucket for an admin, sorted by name. */
export const listBuckets: Operation = {
  scope: 'service',
  run(request, services) {
    const { query, caller } = request
    const { region } = services.settings
    const limit = readCount(query, 'max-buckets', { fallback: bucketsMax, max: bucketsMax })
    if (limit < 1) throw invalidArgument('max-buckets', String(limit), `max-buckets must be between 1 and ${bucketsMax}.`)
    const prefix = query.get('prefix')
    const after = query.get('continuation-token') ?? ''
    const matching = visibleBuckets(request, services).filter(({ name }) => name.startsWith(prefix ?? '') && name > after)
    const page = matching.slice(0, limit)
    return xmlAnswer(
      bucketListDocument.write({
        owner: caller?.ownerId ?? rootOwnerId,
        buckets: page.map(({ name, createdAtMs }) => ({ name, createdAtMs, region })),
        continuationToken: matching.length > page.length ? page.at(-1)?.name : undefined,
        prefix,
      }),
    )
  },
}

function visibleBuckets({ caller, query }: S3Request, { buckets, settings }: S3Services) {
  const region = query.get('bucket-region')
  if (region !== undefined && region !== settings.region) return []
  return buckets.list().filter(({ ownerAccessKey }) => caller?.role === 'admin' || ownerAccessKey === caller?.accessKey)
}
