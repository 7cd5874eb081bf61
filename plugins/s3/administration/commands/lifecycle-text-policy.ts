/** Lifecycle rules in words. */
import { formatSize, onOneLine } from '#cli'
import type { ShownLifecycle, ShownLifecycleRule } from '../bucket-setting-api.ts'

const acting: ShownLifecycle = { lifecycle_is_on: true, lifecycle_run: null, lifecycle_rest: null }

/** @param state is left out after a change, when no run is of these rules */
export function lifecycleText(rules: readonly ShownLifecycleRule[], state: ShownLifecycle = acting): string {
  const last = state.lifecycle_run ? [runText(state.lifecycle_run)] : []
  if (rules.length === 0) return ['No lifecycle rules: svc deletes no version by itself.', ...last].join('\n')
  const named = rules.flatMap((rule) => [titleOf(rule), ...actionsOf(rule).map((text) => `  ${text}`)])
  return [...restTexts(state), ...named, ...last].join('\n')
}

function restTexts({ lifecycle_is_on: isOn, lifecycle_rest: rest }: ShownLifecycle): readonly string[] {
  if (!isOn) return ['The plugin lifecycle is disabled, so the rules rest; enable it with svc plugins enable lifecycle']
  if (!rest) return []
  if (rest.until === null) return ['The rules rest: the clock of svc is ahead of that of the database; set both']
  return [`The rules rest until ${rest.until}: time passed while svc was off, or its clock was set ahead; check the clock`]
}

function runText({ due_at, ended_at, ...counts }: NonNullable<ShownLifecycle['lifecycle_run']>): string {
  const did = [
    ['delete markers added', counts.markers_added],
    ['versions deleted', counts.versions_deleted],
    ['delete markers deleted', counts.markers_deleted],
    ['uploads aborted', counts.uploads_aborted],
  ].flatMap(([what, count]) => (count === 0 ? [] : `${what}: ${count}`))
  return `Last run, for ${due_at}: ${did.join(', ') || 'nothing was deleted'}${ended_at === null ? '; it has not ended' : ''}`
}

/** One line: the rule and all that it does. */
export const describeRule = (rule: ShownLifecycleRule): string => `${titleOf(rule)} (${actionsOf(rule).join('; ')})`

const titleOf = (rule: ShownLifecycleRule): string =>
  `${onOneLine(`rule ${rule.id ?? 'without id'}${rule.enabled ? '' : ' (disabled)'}`)}: ${scopeOf(rule)}`

/** Versions that have all of it. */
function scopeOf({ prefix, tags = [], size_above, size_below }: ShownLifecycleRule): string {
  const parts = [
    ...(prefix ? [`keys that begin with ${prefix}`] : ['all keys']),
    ...tags.map(({ key, value }) => `tag ${key}=${value}`),
    ...(size_above === undefined ? [] : [`larger than ${formatSize(size_above)}`]),
    ...(size_below === undefined ? [] : [`smaller than ${formatSize(size_below)}`]),
  ]
  return onOneLine(parts.join(', '))
}

const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`)

function actionsOf(rule: ShownLifecycleRule): readonly string[] {
  const { expire_days, expire_date, noncurrent_days, newer_noncurrent_kept: kept, abort_upload_days } = rule
  const texts = [
    expire_days !== undefined && `objects get a delete marker ${days(expire_days)} after their upload`,
    expire_date !== undefined && `objects get a delete marker from ${expire_date} on`,
    rule.remove_expired_markers && 'delete markers without older versions are removed',
    noncurrent_days !== undefined &&
      `noncurrent versions are deleted permanently after ${days(noncurrent_days)}${kept === undefined ? '' : `, except the newest ${kept}`}`,
    abort_upload_days !== undefined && `open uploads are aborted ${days(abort_upload_days)} after their start`,
  ]
  return texts.filter((text) => typeof text === 'string')
}
