import { defineRoutes, serveEndpoint } from '#kernel'
import { type Bucket, buckets } from '#plugins/storage'
import { type AccessLists, accessLists } from '../access/access-lists.ts'
import { type BucketAccess, withGrants } from '../access/access-rules-policy.ts'
import { bucketSettings } from '../bucket-settings/bucket-settings.ts'
import { lifecycleRules } from '../contract.ts'
import type { CorsRule } from '../documents/cors-configuration.ts'
import { bucketQuotas } from '../limits/bucket-quotas.ts'
import { requireAllowedList } from '../operations/access-control.ts'
import { corsSetting } from '../operations/configuration/bucket-cors.ts'
import { withIds } from '../operations/configuration/bucket-lifecycle.ts'
import { tagsSetting } from '../operations/configuration/bucket-tagging.ts'
import { checkCorsRules } from '../operations/configuration/cors-rules.ts'
import { checkLifecycleRules } from '../operations/configuration/lifecycle-rules.ts'
import { type S3Settings, s3Section } from '../settings.ts'
import { cannedList, isPrivate, privateList } from '../wire/access-list-policy.ts'
import { S3Error } from '../wire/s3-error.ts'
import { bucketTagsMax, checkTags, listTags } from '../wire/tags.ts'
import {
  changeAccess,
  changeCors,
  changeLifecycle,
  changeQuota,
  changeTags,
  type ShownAccess,
  type ShownCorsRule,
  type ShownQuota,
  showS3Settings,
} from './bucket-setting-api.ts'
import { describeLifecycleRule, describeLifecycleState, readLifecycleRules } from './lifecycle-rule-json.ts'
import { withAdminErrors } from './setting-refusal.ts'

const noBlock = { blockPublicAcls: false, ignorePublicAcls: false, blockPublicPolicy: false, restrictPublicBuckets: false }
const fullBlock = { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true }

export const bucketSettingRoutes = defineRoutes({
  name: 's3-bucket-settings',
  uses: { buckets, accessLists, bucketSettings, bucketQuotas, lifecycleRules, settings: s3Section.settings },
  endpoints: [showS3Settings, changeAccess, changeCors, changeTags, changeLifecycle, changeQuota],
  register(app, { buckets, accessLists, bucketSettings, bucketQuotas, lifecycleRules, settings }) {
    const describeQuota = async (bucket: Bucket): Promise<ShownQuota> => {
      const quota = bucketQuotas.of(bucket)
      const { versions, bytes } = await buckets.storedIn(bucket.id)
      return { objects: quota.objects || null, bytes: quota.bytes || null, usage: { objects: versions, bytes } }
    }

    serveEndpoint(app, showS3Settings, async ({ params }) => {
      const bucket = buckets.require(params.name)
      return {
        access: describeAccess(bucket, accessLists, settings),
        cors_rules: ((await bucketSettings.find(bucket, corsSetting)) ?? []).map(describeRule),
        tags: listTags((await bucketSettings.find(bucket, tagsSetting)) ?? {}),
        lifecycle_rules: ((await lifecycleRules.find(bucket)) ?? []).map(describeLifecycleRule),
        lifecycle_is_on: lifecycleRules.isCarriedOut,
        ...describeLifecycleState(await lifecycleRules.stateOf(bucket)),
        quota: await describeQuota(bucket),
      }
    })

    serveEndpoint(app, changeAccess, ({ params, body }) =>
      withAdminErrors(async () => {
        const bucket = buckets.require(params.name)
        await accessLists.changeBucket(bucket, (current) => {
          const access = withChanges(current, body)
          if (body.list !== undefined) requireAllowedList(cannedList(body.list), access, settings)
          return body.list === undefined ? access : withGrants(access, cannedList(body.list))
        })
        return describeAccess(bucket, accessLists, settings)
      }),
    )

    serveEndpoint(app, changeCors, ({ params, body }) =>
      withAdminErrors(async () => {
        const bucket = buckets.require(params.name)
        const rules = body.rules.map(readRule)
        if (rules.length === 0) await bucketSettings.remove(bucket, corsSetting)
        else {
          checkCorsRules(rules)
          await bucketSettings.set(bucket, corsSetting, rules)
        }
        return { rules: rules.map(describeRule) }
      }),
    )

    serveEndpoint(app, changeTags, ({ params, body }) =>
      withAdminErrors(async () => {
        const bucket = buckets.require(params.name)
        const tags = checkTags(body.tags, { max: bucketTagsMax })
        if (body.tags.length === 0) await bucketSettings.remove(bucket, tagsSetting)
        else await bucketSettings.set(bucket, tagsSetting, tags)
        return { tags: listTags(tags) }
      }),
    )

    serveEndpoint(app, changeQuota, ({ params, body }) =>
      withAdminErrors(async () => {
        const bucket = buckets.require(params.name)
        const changes = Object.entries(body).map(([name, limit]) => [name, limit ?? 0] as const)
        await bucketQuotas.change(bucket, Object.fromEntries(changes))
        return await describeQuota(bucket)
      }),
    )

    serveEndpoint(app, changeLifecycle, ({ params, body }) =>
      withAdminErrors(async () => {
        const bucket = buckets.require(params.name)
        const rules = withIds(readLifecycleRules(body.rules, (await lifecycleRules.find(bucket)) ?? []))
        if (rules.length === 0) await lifecycleRules.remove(bucket)
        else {
          checkLifecycleRules(rules)
          await lifecycleRules.set(bucket, rules)
        }
        return { rules: rules.map(describeLifecycleRule) }
      }),
    )
  },
})

function describeAccess(bucket: Bucket, lists: AccessLists, settings: S3Settings): ShownAccess {
  const { ownership, hasLists, grants } = lists.rulesOf(bucket)
  const block = lists.accessOf(bucket).block ?? noBlock
  return {
    is_public_access_on: settings.public_access,
    ownership,
    has_lists: hasLists,
    grants: [...grants],
    block: {
      block_public_acls: block.blockPublicAcls,
      ignore_public_acls: block.ignorePublicAcls,
      block_public_policy: block.blockPublicPolicy,
      restrict_public_buckets: block.restrictPublicBuckets,
    },
  }
}

/** The rules of PutBucketOwnershipControls and PutPublicAccessBlock. */
function withChanges(
  current: BucketAccess,
  { list, ownership, block_public_access: isBlocked }: typeof changeAccess.body.infer,
): BucketAccess {
  const grants = list === undefined ? (current.grants ?? privateList) : cannedList(list)
  if (ownership === 'BucketOwnerEnforced' && !isPrivate(grants)) throw new S3Error('InvalidBucketAclWithObjectOwnership')
  const { block, ...access } = current
  const kept = isBlocked === undefined ? block : isBlocked ? fullBlock : undefined
  return { ...access, ...(kept && { block: kept }), ...(ownership && { ownership }) }
}

const describeRule = ({ id, origins, methods, headers, exposed, maxAgeSeconds }: CorsRule): ShownCorsRule => ({
  ...(id === undefined ? {} : { id }),
  allowed_origins: [...origins],
  allowed_methods: [...methods],
  allowed_headers: [...headers],
  expose_headers: [...exposed],
  ...(maxAgeSeconds === undefined ? {} : { max_age_seconds: maxAgeSeconds }),
})

const readRule = (rule: ShownCorsRule): CorsRule => ({
  id: rule.id,
  origins: rule.allowed_origins,
  methods: rule.allowed_methods,
  headers: rule.allowed_headers,
  exposed: rule.expose_headers,
  maxAgeSeconds: rule.max_age_seconds,
})
