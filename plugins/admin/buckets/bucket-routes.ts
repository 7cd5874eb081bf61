import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { defineRoutes, log, optional, SvcError, serveEndpoint } from '#kernel'
import { contributions } from '#kernel/system'
import { providerFacts } from '#plugins/providers'
import { noShortfall, type Placements, placements } from '#plugins/replication'
import { type PublicAccess, publicAccess, s3Users } from '#plugins/s3'
import { type Bucket, type Buckets, buckets } from '#plugins/storage'
import { bucketDetailParts } from '../contract.ts'
import { adminErrors } from '../errors.ts'
import { type ChangeCopyPolicy, changeCopyPolicy, changeOwner, createBucket, deleteBucket, listBuckets, showBucket } from './bucket-api.ts'
import { describeBucket, describeBucketInFull, describeChange, type NamedBucket } from './describe-bucket.ts'
import { observeWith } from './observe-data-sets.ts'
import { readDetails } from './read-details-policy.ts'
import { readOwner } from './read-owner.ts'
import { readParts } from './read-parts.ts'
import { requireBucket } from './require-bucket.ts'
import { showProviderWith } from './show-provider.ts'
import { shownPlacements } from './shown-placements.ts'

/** Buckets whose usage and data sets are read by one statement each. */
const bucketsPerRead = 100
/** Buckets described before yielding to the event loop: the affected versions of one take about 0.1 ms to count. */
const bucketsPerTurn = 20

export const bucketRoutes = defineRoutes({
  name: 'buckets',
  uses: {
    buckets,
    placements: shownPlacements,
    replication: optional(placements),
    providerFacts: optional(providerFacts),
    contributions,
    log,
    s3Users: optional(s3Users),
    publicAccess: optional(publicAccess),
  },
  endpoints: [listBuckets, createBucket, showBucket, changeOwner, changeCopyPolicy, deleteBucket],
  register(app, { buckets, placements, replication, s3Users, publicAccess, ...deps }) {
    const observe = replication ? observeWith(deps) : async () => ({ byDataSet: new Map(), areDisabled: true }) as const
    const showProvider = showProviderWith(deps)
    const named = (bucket: Bucket): NamedBucket => ({ ...bucket, ownerName: s3Users?.find(bucket.ownerAccessKey ?? '')?.name ?? null })
    const readSituations = situationsWith({ buckets, placements, replication, publicAccess })

    serveEndpoint(app, listBuckets, async () => {
      const all = buckets.list()
      const situations: Awaited<ReturnType<typeof readSituations>> = []
      for (let at = 0; at < all.length; at += bucketsPerRead) {
        situations.push(...(await readSituations(all.slice(at, at + bucketsPerRead))))
      }
      const observations = await observe(situations.flatMap(({ dataSets }) => dataSets))
      return inTurns(situations, all, (situation, bucket) => describeBucket(named(bucket), situation, observations))
    })

    serveEndpoint(
      app,
      createBucket,
      async ({ body }) => {
        const { name, owner_access_key, default_copies, minimum_durable_copies } = body
        const created = buckets.create({
          name,
          ownerAccessKey: readOwner(owner_access_key, s3Users, adminErrors.owner_unknown),
          ...(typeof default_copies === 'number' ? { defaultCopies: default_copies } : {}),
          ...(typeof minimum_durable_copies === 'number' ? { minimumDurableCopies: minimum_durable_copies } : {}),
        })
        return describeChange(named(await created.catch(refuseVanishedOwner)))
      },
      // It learns that the bucket exists.
      { isRepeat: async ({ body }) => buckets.find(body.name) !== undefined },
    )

    serveEndpoint(app, showBucket, async ({ params }) => {
      const bucket = requireBucket(buckets, params.name)
      const [situation] = await readSituations([bucket])
      if (!situation) throw new Error(`the usage of bucket '${bucket.name}' was not read`)
      const subject = { ...bucket, dataSets: situation.dataSets }
      const [observations, { parts }] = await Promise.all([
        observe(situation.dataSets),
        readParts(deps, bucketDetailParts, async (part, services) => readDetails(await part.describe(services, subject))),
      ])
      return await describeBucketInFull(named(bucket), situation, { observations, details: parts.map(({ value }) => value), showProvider })
    })

    serveEndpoint(app, changeOwner, async ({ params, body }) => {
      const { name } = requireBucket(buckets, params.name)
      const owner = readOwner(body.owner_access_key, s3Users, adminErrors.s3_user_not_found)
      return describeChange(named(await buckets.setOwner(name, owner)))
    })

    const readPolicy = ({ default_copies, minimum_durable_copies }: ChangeCopyPolicy) => ({
      ...(default_copies === undefined ? {} : { defaultCopies: readCopies(default_copies) }),
      ...(minimum_durable_copies === undefined ? {} : { minimumDurableCopies: readCopies(minimum_durable_copies) }),
    })

    serveEndpoint(
      app,
      changeCopyPolicy,
      async ({ params, body }) => {
        const { name } = requireBucket(buckets, params.name)
        return describeChange(named(await buckets.setCopyPolicy(name, readPolicy(body))))
      },
      {
        async isRepeat({ params, body }) {
          const bucket = requireBucket(buckets, params.name)
          return Object.values(body).length > 0 && isDeepStrictEqual({ ...bucket, ...readPolicy(body) }, bucket)
        },
      },
    )

    serveEndpoint(app, deleteBucket, async () => {
      throw adminErrors.bucket_deletion_unsupported()
    })
  },
})

interface SituationDeps {
  readonly buckets: Pick<Buckets, 'usages'>
  readonly placements: Placements
  readonly replication: Pick<Placements, 'countObjects'> | undefined
  readonly publicAccess: PublicAccess | undefined
}

/** Reads usage, data sets, copies and access of a page of buckets. */
const situationsWith =
  ({ buckets, placements, replication, publicAccess }: SituationDeps) =>
  async (page: readonly Bucket[]) => {
    const ids = page.map(({ id }) => id)
    const [usages, dataSets, published, counts] = await Promise.all([
      buckets.usages(ids),
      placements.dataSetsOf(ids),
      publicAccess?.of(page),
      replication?.countObjects(),
    ])
    const byBucket = Map.groupBy(dataSets, ({ bucketId }) => bucketId)
    const { countVersionsOn } = placements
    return usages.map((usage, at) => {
      const id = ids[at] ?? 0
      const belowTarget = counts && (counts.byBucket.get(id) ?? noShortfall.byWork)
      // Nothing is public without the S3 API.
      return { usage, dataSets: byBucket.get(id) ?? [], countVersionsOn, publicAccess: published?.get(id) ?? [], belowTarget }
    })
  }

/** Describes the bucket at each place. */
async function inTurns<S, B, R>(
  situations: readonly S[],
  buckets: readonly B[],
  describe: (situation: S, bucket: B) => Promise<R>,
): Promise<R[]> {
  const described: R[] = []
  for (const [at, bucket] of buckets.entries()) {
    const situation = situations[at]
    if (situation !== undefined) described.push(await describe(situation, bucket))
    if (described.length % bucketsPerTurn === 0) await setImmediate()
  }
  return described
}

/** A value that is not a number becomes NaN, which is refused like a number out of range. */
const readCopies = (value: unknown): number | null => (value === null || typeof value === 'number' ? value : Number.NaN)

/** The owner was deleted between the lookup and the commit of the bucket. */
function refuseVanishedOwner(error: unknown): never {
  if (error instanceof SvcError && error.code === 's3_user_not_found') {
    throw adminErrors.owner_unknown({ message: error.message, cause: error })
  }
  throw error
}
