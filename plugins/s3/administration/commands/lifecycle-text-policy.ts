/** Lifecycle rules in words. */
import { formatSize, onOneLine } from '#cli'
import type { ShownLifecycleRule } from '../bucket-setting-api.ts'

export function lifecycleText(rules: readonly ShownLifecycleRule[], { isOn }: { readonly isOn: boolean }): string {
  if (rules.length === 0) return 'No lifecycle rules: svc deletes no version by itself.'
  const resting = isOn ? [] : ['The plugin lifecycle is disabled, so the rules rest; enable it with svc plugins enable lifecycle']
  return [...resting, ...rules.flatMap((rule) => [titleOf(rule), ...actionsOf(rule).map((text) => `  ${text}`)])].join('\n')
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
