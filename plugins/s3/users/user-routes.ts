import { clock, database, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { buckets, type StoredUsage } from '#plugins/storage'
import { type CreatedS3User, type Limits, limitNames, type S3User, s3Users } from '../contract.ts'
import { s3LimitsSection } from '../settings.ts'
import { totalLimits, userLimits } from './limits-policy.ts'
import { readNewDataSets } from './new-data-sets-store.ts'
import {
  changeLimits,
  changeRole,
  changeUser,
  createUser,
  deleteUser,
  listUsers,
  rotateSecret,
  type S3Credentials,
  type S3Limits,
  type S3Usage,
  type S3UserItem,
  showTotals,
} from './user-api.ts'
import { userErrors } from './user-errors.ts'

/** Owner of the buckets that belong to the service itself. It is not an S3 user. */
const internalRoot = '__internal_root__'

export const userRoutes = defineRoutes({
  name: 's3-users',
  uses: { s3Users, buckets, database, clock, settings: s3LimitsSection.settings },
  endpoints: [listUsers, createUser, changeRole, changeUser, changeLimits, showTotals, rotateSecret, deleteUser],
  register(app, { s3Users, buckets, settings, ...deps }) {
    /** Reads those of all users and the total, by one statement each. */
    async function readUsages() {
      const [stored, made] = await Promise.all([buckets.storedUsages(), readNewDataSets(deps.database.read, deps.clock.now())])
      return {
        of: (accessKey: string) => describeUsage(stored.byOwner.get(accessKey), made.byOwner.get(accessKey)),
        total: describeUsage(stored.total, made.total),
      }
    }
    const describe = async (users: readonly S3User[]): Promise<S3UserItem[]> => {
      const usages = await readUsages()
      return users.map((user) => describeUser(user, usages.of(user.accessKey), userLimits(user, settings)))
    }
    const describeOne = async (user: S3User) => (await describe([user]))[0] as S3UserItem

    serveEndpoint(app, listUsers, async () => describe(s3Users.list()))
    serveEndpoint(app, showTotals, async () => ({ usage: (await readUsages()).total, limits: describeLimits(totalLimits(settings)) }))
    serveEndpoint(app, createUser, async ({ body }) => toCredentials(await s3Users.create(body.role ?? 'userplus', body.name)))
    serveEndpoint(app, changeRole, async ({ params, body }) => {
      return describeOne(await s3Users.setRole(rejectInternalRoot(params.accessKey), body.role))
    })
    serveEndpoint(app, changeUser, async ({ params, body: { name, is_disabled: isDisabled } }) =>
      describeOne(
        await s3Users.change(rejectInternalRoot(params.accessKey), {
          ...(name === undefined ? {} : { name }),
          ...(isDisabled === undefined ? {} : { isDisabled }),
        }),
      ),
    )
    serveEndpoint(app, changeLimits, async ({ params, body }) =>
      describeOne(await s3Users.setLimits(rejectInternalRoot(params.accessKey), body)),
    )
    serveEndpoint(app, rotateSecret, async ({ params }) => toCredentials(await s3Users.rotateSecret(rejectInternalRoot(params.accessKey))))
    serveEndpoint(app, deleteUser, async ({ params }) => s3Users.delete(rejectInternalRoot(params.accessKey)))
  },
})

const describeUsage = (stored: StoredUsage | undefined, dataSets = 0): S3Usage => ({
  buckets: stored?.buckets ?? 0,
  objects: stored?.versions ?? 0,
  bytes: stored?.bytes ?? 0,
  data_sets_today: dataSets,
})

const describeLimits = (limits: Limits): S3Limits => {
  const shown = (value: number) => (value === 0 ? null : value)
  const { buckets, objects, bytes, data_sets_per_day } = limits
  return { buckets: shown(buckets), objects: shown(objects), bytes: shown(bytes), data_sets_per_day: shown(data_sets_per_day) }
}

const describeUser = (
  { accessKey, ownerId, role, name = null, disabledAtMs = null, usedAtMs = null, createdAtMs, ownLimits = {} }: S3User,
  usage: S3Usage,
  limits: Limits,
): S3UserItem => ({
  access_key: accessKey,
  name,
  is_disabled: disabledAtMs !== null,
  created_at: formatTime(createdAtMs),
  last_used_at: usedAtMs === null ? null : formatTime(usedAtMs),
  owner_id: ownerId,
  role,
  bucket_count: usage.buckets,
  usage,
  limits: describeLimits(limits),
  own_limits: limitNames.filter((name) => ownLimits[name] !== undefined),
})

function rejectInternalRoot(accessKey: string): string {
  if (accessKey === internalRoot) throw userErrors.s3_user_internal()
  return accessKey
}

const toCredentials = ({ accessKey, ownerId, secretKey, role }: CreatedS3User): S3Credentials => ({
  access_key: accessKey,
  owner_id: ownerId,
  secret_key: secretKey,
  role,
})
