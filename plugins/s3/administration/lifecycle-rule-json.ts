import { isDeepStrictEqual } from 'node:util'
import { formatTime } from '#kernel'
import type { Expiration, LifecycleFilter, LifecycleRule, LifecycleState } from '../contract.ts'
import { isDay } from '../documents/lifecycle-configuration.ts'
import { malformed } from '../wire/xml-reader.ts'
import type { ShownLifecycle, ShownLifecycleRule } from './bucket-setting-api.ts'

const dateLength = 'YYYY-MM-DD'.length

export function describeLifecycleRule({ id, isEnabled, filter, expiration, noncurrent, abortDays }: LifecycleRule): ShownLifecycleRule {
  const { prefix, tags, sizeAbove, sizeBelow } = filter
  return {
    id,
    enabled: isEnabled,
    ...(prefix && { prefix }),
    ...(tags.length > 0 && { tags: tags.map(({ key, value }) => ({ key, value })) }),
    ...(sizeAbove !== undefined && { size_above: sizeAbove }),
    ...(sizeBelow !== undefined && { size_below: sizeBelow }),
    ...(expiration?.kind === 'days' && { expire_days: expiration.days }),
    ...(expiration?.kind === 'date' && { expire_date: new Date(expiration.atMs).toISOString().slice(0, dateLength) }),
    ...(expiration?.kind === 'markers' && { remove_expired_markers: true }),
    ...(noncurrent && { noncurrent_days: noncurrent.days }),
    ...(noncurrent?.newerKept !== undefined && { newer_noncurrent_kept: noncurrent.newerKept }),
    ...(abortDays !== undefined && { abort_upload_days: abortDays }),
  }
}

export const describeLifecycleState = ({ run, rest }: LifecycleState = {}): Omit<ShownLifecycle, 'lifecycle_is_on'> => ({
  lifecycle_run: run
    ? {
        due_at: formatTime(run.dueMs),
        started_at: formatTime(run.startedMs),
        ended_at: run.endedMs === null ? null : formatTime(run.endedMs),
        markers_added: run.markersAdded,
        versions_deleted: run.versionsDeleted,
        markers_deleted: run.markersDeleted,
        uploads_aborted: run.uploadsAborted,
      }
    : null,
  lifecycle_rest: rest ? { reason: rest.reason, until: rest.untilMs === undefined ? null : formatTime(rest.untilMs) } : null,
})

/** Throws MalformedXML for members that exclude each other. A rule that is stored already keeps the form in which S3 clients wrote it. */
export function readLifecycleRules(shown: readonly ShownLifecycleRule[], stored: readonly LifecycleRule[]): readonly LifecycleRule[] {
  const byId = new Map(stored.map((rule) => [rule.id, rule]))
  return shown.map((one) => {
    const rule = readRule(one)
    const known = byId.get(rule.id)
    return known && isDeepStrictEqual(describeLifecycleRule(known), describeLifecycleRule(rule)) ? known : rule
  })
}

function readRule(shown: ShownLifecycleRule): LifecycleRule {
  const expiration = readExpiration(shown)
  const { noncurrent_days: days, newer_noncurrent_kept: newerKept, abort_upload_days: abortDays } = shown
  if (days === undefined && newerKept !== undefined) throw malformed('newer_noncurrent_kept needs noncurrent_days.')
  return {
    id: shown.id ?? '',
    isEnabled: shown.enabled,
    filter: readFilter(shown),
    ...(expiration && { expiration }),
    ...(days !== undefined && { noncurrent: { days, ...(newerKept !== undefined && { newerKept }) } }),
    ...(abortDays !== undefined && { abortDays }),
  }
}

function readFilter({ prefix, tags = [], size_above: sizeAbove, size_below: sizeBelow }: ShownLifecycleRule): LifecycleFilter {
  const sizes = { ...(sizeAbove !== undefined && { sizeAbove }), ...(sizeBelow !== undefined && { sizeBelow }) }
  const predicates = (prefix ? 1 : 0) + tags.length + Object.keys(sizes).length
  return { form: predicates > 1 ? 'and' : 'filter', ...(prefix && { prefix }), tags, ...sizes }
}

function readExpiration({
  expire_days: days,
  expire_date: date,
  remove_expired_markers: markers,
}: ShownLifecycleRule): Expiration | undefined {
  if ([days, date, markers].filter((one) => one !== undefined).length > 1) {
    throw malformed('A rule has one of expire_days, expire_date and remove_expired_markers.')
  }
  if (days !== undefined) return { kind: 'days', days }
  if (date !== undefined && !isDay(date)) throw malformed('expire_date must be a day.')
  if (date !== undefined) return { kind: 'date', atMs: Date.parse(date) }
  return markers ? { kind: 'markers' } : undefined
}
