/** Real storage and rules on a temporary database with a manual clock, and runs of the rules without an engine. */
import type { Database, Log, Tx } from '#kernel'
import { createFakeClock, silentLog } from '#kernel/testing'
import type { LifecycleRule, LifecycleRules } from '#plugins/s3'
import type { Bucket } from '#plugins/storage'
import { createLifecycleRules } from '../../s3/bucket-settings/lifecycle-rules.ts'
import { migrations as s3Migrations } from '../../s3/migrations.ts'
import type { ObjectStorageOptions } from '../../storage/testing/object-storage.ts'
import { openVersionStorage } from '../../storage/testing/version-storage.ts'
import { migrations } from '../migrations.ts'
import { realCalendar, realDayMs } from '../rules/calendar-policy.ts'
import { expiryOf } from '../rules/expiry-policy.ts'
import { ActionCounts } from '../runs/action-counts.ts'
import { type ApplyDeps, applyRules } from '../runs/apply-rules.ts'
import { readState } from '../shown/lifecycle-state.ts'

export const dayMs = realDayMs

/** Begins at a midnight, with the bucket `photos`. */
export async function openLifecycleScene(options: ObjectStorageOptions = {}) {
  const clock = createFakeClock()
  const moreSchemas = [
    { name: 's3', migrations: s3Migrations },
    { name: 'lifecycle', migrations },
  ]
  const storage = await openVersionStorage({ clock, moreSchemas, ...options })
  const actionCounts = new ActionCounts()
  const { database, buckets, objects, versions, uploads } = storage
  const engine = {
    expiryOf: (rules: readonly LifecycleRule[], version: Parameters<typeof expiryOf>[1]) => expiryOf(rules, version, realCalendar),
    stateOf: (bucketId: number) => readState({ database, clock, actionCounts }, bucketId),
  }
  const rules: LifecycleRules = await createLifecycleRules({ database, buckets, clock, engine })
  const lines: unknown[] = []
  const log: Log = { ...silentLog, info: (message, fields) => void lines.push([message, fields]) }
  const deps: ApplyDeps = {
    clock,
    database: database as Database,
    buckets,
    objects,
    versions,
    uploads,
    lifecycleRules: rules,
    settings: { day: realDayMs },
    actionCounts,
    log,
    holdLease: async (_tx: Tx) => {},
    progressed() {},
  }
  const photos = (): Bucket => buckets.require('photos')
  const latestMidnight = () => Math.floor(clock.now() / realDayMs) * realDayMs
  return {
    ...storage,
    clock,
    rules,
    deps,
    actionCounts,
    lines,
    photos,
    setRules: (...list: readonly Partial<LifecycleRule>[]) =>
      rules.set(
        photos(),
        list.map((rule, at) => ({ id: `rule ${at}`, isEnabled: true, filter: { form: 'filter' as const, tags: [] }, ...rule })),
      ),
    /** Runs the rules of `photos` as at the latest midnight. */
    run: (changes: Partial<ApplyDeps> = {}, signal: AbortSignal = new AbortController().signal) =>
      applyRules({ ...deps, ...changes }, { bucketId: photos().id, bucket: 'photos', dueMs: latestMidnight() }, signal),
    /** `key`, with `*` for a delete marker, in the order of the list. */
    async keys(): Promise<string[]> {
      const { versions: all } = await versions.list({ bucket: 'photos', limit: 1000 })
      return all.map(({ key, isDeleteMarker }) => (isDeleteMarker ? `${key}*` : key))
    },
  }
}

export type LifecycleScene = Awaited<ReturnType<typeof openLifecycleScene>>
