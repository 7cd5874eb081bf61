import { type Answer, formatBytes, formatExactCount, formatExactTime, formatPlural } from '@svc/ui-kit'

type Settings = Answer<'GET /buckets/:name/s3-settings'>
export type LifecycleRule = Settings['lifecycle_rules'][number]

/** The fields of the form as typed; empty: not part of the rule. */
export interface RuleDraft {
  readonly prefix: string
  readonly expireDays: string
  readonly noncurrentDays: string
  readonly newerKept: string
  readonly abortDays: string
}

const daysMax = 2_147_483_647
const newerKeptMax = 100

/** A rule, or what is wrong with the fields. */
export function readDraft({ prefix, ...texts }: RuleDraft): { readonly rule: LifecycleRule } | { readonly problem: string } {
  const numbers = { expireDays: daysMax, noncurrentDays: daysMax, newerKept: newerKeptMax, abortDays: daysMax }
  for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) {
    const text = texts[name].trim()
    if (text !== '' && !(/^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= numbers[name])) {
      return { problem: `"${text}" must be a whole number from 1 to ${formatExactCount(numbers[name])}.` }
    }
  }
  const [expireDays, noncurrentDays, newerKept, abortDays] = [texts.expireDays, texts.noncurrentDays, texts.newerKept, texts.abortDays].map(
    (text) => (text.trim() === '' ? undefined : Number(text)),
  )
  if (newerKept !== undefined && noncurrentDays === undefined) {
    return { problem: 'Say after how many days earlier versions are deleted; the number to keep belongs to that.' }
  }
  if ([expireDays, noncurrentDays, abortDays].every((days) => days === undefined))
    return { problem: 'Say after how many days what happens.' }
  return {
    rule: {
      enabled: true,
      ...(prefix !== '' && { prefix }),
      ...(expireDays !== undefined && { expire_days: expireDays }),
      ...(noncurrentDays !== undefined && { noncurrent_days: noncurrentDays }),
      ...(newerKept !== undefined && { newer_noncurrent_kept: newerKept }),
      ...(abortDays !== undefined && { abort_upload_days: abortDays }),
    },
  }
}

const days = (count: number): string => formatPlural(count, 'day')

/** What the rule does, one sentence each. */
export function actionsOf(rule: LifecycleRule): readonly string[] {
  const kept = rule.newer_noncurrent_kept
  return [
    rule.expire_days !== undefined && `Objects are moved to the trash ${days(rule.expire_days)} after their upload.`,
    rule.expire_date !== undefined && `Objects are moved to the trash from ${rule.expire_date} on.`,
    rule.remove_expired_markers && 'Delete markers without earlier versions are removed.',
    rule.noncurrent_days !== undefined &&
      `Earlier versions are deleted permanently ${days(rule.noncurrent_days)} after they were replaced or deleted${kept === undefined ? '' : `; the newest ${kept} of them stay`}.`,
    rule.abort_upload_days !== undefined && `Open uploads are aborted ${days(rule.abort_upload_days)} after their start.`,
  ].filter((text) => typeof text === 'string')
}

/** What the rule is about. */
export function scopeOf({ prefix, tags = [], size_above, size_below }: LifecycleRule): string {
  const parts = [
    prefix === undefined ? 'All keys' : `Keys that begin with ${prefix}`,
    ...tags.map(({ key, value }) => `tag ${key}=${value}`),
    size_above !== undefined && `larger than ${formatBytes(size_above)}`,
    size_below !== undefined && `smaller than ${formatBytes(size_below)}`,
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

/** Why no rule acts now; undefined: they act. */
export function restOf({ lifecycle_is_on: isOn, lifecycle_rest: rest }: Settings): string | undefined {
  if (!isOn) return 'The rules rest: the plugin lifecycle is disabled.'
  if (!rest) return undefined
  if (rest.until === null) return 'The rules rest: the clock of svc is ahead of that of the database. Set both.'
  return `The rules rest until ${formatExactTime(rest.until)}: time passed while svc was off, or its clock was set ahead. Check the clock.`
}

/** What the rules did last. */
export function lastRunOf({ due_at, ended_at, ...counts }: NonNullable<Settings['lifecycle_run']>): string {
  const did = [
    counts.markers_added > 0 && `${formatPlural(counts.markers_added, 'object')} moved to the trash`,
    counts.versions_deleted > 0 && `${formatPlural(counts.versions_deleted, 'version')} deleted permanently`,
    counts.markers_deleted > 0 && `${formatPlural(counts.markers_deleted, 'delete marker')} removed`,
    counts.uploads_aborted > 0 && `${formatPlural(counts.uploads_aborted, 'upload')} aborted`,
  ].filter((text) => typeof text === 'string')
  const when = ended_at === null ? 'The run for' : 'Last run, for'
  return `${when} ${formatExactTime(due_at)}${ended_at === null ? ' has not ended' : ''}: ${did.join(', ') || 'nothing was deleted'}.`
}
