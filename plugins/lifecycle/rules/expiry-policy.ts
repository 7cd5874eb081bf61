/** Which versions and uploads rules delete at a moment. */
import type { LifecycleRule } from '#plugins/s3'
import type { ObjectVersion } from '#plugins/storage'
import { afterDays, type Calendar } from './calendar-policy.ts'

export type Judged = Pick<ObjectVersion, 'key' | 'size' | 'isDeleteMarker' | 'createdAtMs'> & {
  readonly headers: Pick<ObjectVersion['headers'], 'tags'>
}

/** Where a version stands among those of its key. */
export interface Standing {
  /** Creation of the next newer version; undefined: it is the current one. */
  readonly noncurrentSinceMs?: number | undefined
  /** Newer noncurrent versions with bytes. */
  readonly newerNoncurrent: number
  /** No other version of the key exists. */
  readonly isOnly: boolean
}

/** `mark`: a delete marker is added. `remove`: the version is deleted. */
export type Verdict = 'keep' | 'mark' | 'remove'

export interface Rules {
  readonly rules: readonly LifecycleRule[]
  readonly calendar: Calendar
  /** What expires until then is deleted. */
  readonly atMs: number
}

export function judgeVersion(by: Rules, version: Judged, standing: Standing): Verdict {
  const { rules, calendar, atMs } = by
  const matching = rules.filter((rule) => matches(rule, version))
  const { noncurrentSinceMs: sinceMs, newerNoncurrent, isOnly } = standing
  if (sinceMs !== undefined) {
    const isDue = matching.some(
      ({ noncurrent }) =>
        noncurrent && newerNoncurrent >= (noncurrent.newerKept ?? 0) && afterDays(sinceMs, noncurrent.days, calendar) <= atMs,
    )
    return isDue ? 'remove' : 'keep'
  }
  if (version.isDeleteMarker) return isOnly && matching.some((rule) => endsMarker(rule, version, by)) ? 'remove' : 'keep'
  return matching.some((rule) => (expiryBy(rule, version, calendar) ?? Number.POSITIVE_INFINITY) <= atMs) ? 'mark' : 'keep'
}

/** Days also removes delete markers of that age without older versions, as in S3. */
function endsMarker({ expiration }: LifecycleRule, { createdAtMs }: Judged, { calendar, atMs }: Rules): boolean {
  if (expiration?.kind === 'markers') return true
  return expiration?.kind === 'days' && afterDays(createdAtMs, expiration.days, calendar) <= atMs
}

function expiryBy({ expiration }: LifecycleRule, { createdAtMs }: Judged, calendar: Calendar): number | undefined {
  if (expiration?.kind === 'days') return afterDays(createdAtMs, expiration.days, calendar)
  return expiration?.kind === 'date' ? expiration.atMs : undefined
}

/** Whether an enabled rule is about the version. Delete markers have no size and no tags. */
function matches({ isEnabled, filter }: LifecycleRule, { key, size, isDeleteMarker, headers }: Judged): boolean {
  const { prefix = '', tags, sizeAbove, sizeBelow } = filter
  if (!isEnabled || !key.startsWith(prefix)) return false
  if (isDeleteMarker) return tags.length === 0 && sizeAbove === undefined && sizeBelow === undefined
  if (sizeAbove !== undefined && size <= sizeAbove) return false
  if (sizeBelow !== undefined && size >= sizeBelow) return false
  return tags.every(({ key: name, value }) => tagOf(headers.tags, name) === value)
}

const tagOf = (tags: Readonly<Record<string, string>> | undefined, name: string): string | undefined =>
  tags && Object.hasOwn(tags, name) ? tags[name] : undefined

/** The earliest expiry of a current version, and its rule. */
export function expiryOf(
  rules: readonly LifecycleRule[],
  version: Judged,
  calendar: Calendar,
): { readonly atMs: number; readonly ruleId: string } | undefined {
  if (version.isDeleteMarker) return undefined
  let first: { readonly atMs: number; readonly ruleId: string } | undefined
  for (const rule of rules) {
    const atMs = matches(rule, version) ? expiryBy(rule, version, calendar) : undefined
    if (atMs !== undefined && (first === undefined || atMs < first.atMs)) first = { atMs, ruleId: rule.id }
  }
  return first
}

/** Whether rules abort an upload. */
export function isUploadDue({ rules, calendar, atMs }: Rules, upload: { readonly key: string; readonly createdAtMs: number }): boolean {
  return rules.some(
    ({ isEnabled, filter, abortDays }) =>
      isEnabled &&
      abortDays !== undefined &&
      upload.key.startsWith(filter.prefix ?? '') &&
      afterDays(upload.createdAtMs, abortDays, calendar) <= atMs,
  )
}

const hasVersionAction = ({ expiration, noncurrent }: LifecycleRule): boolean => expiration !== undefined || noncurrent !== undefined
const hasAbort = ({ abortDays }: LifecycleRule): boolean => abortDays !== undefined

type Prefixes = Readonly<Record<'versions' | 'uploads', readonly string[]>>
/** A run asks for each of its pages. */
const known = new WeakMap<readonly LifecycleRule[], Prefixes>()

/** Prefixes, in byte order, none within another, of the keys that enabled rules are about: of versions, or of uploads. */
export function prefixesOf(rules: readonly LifecycleRule[], of: 'versions' | 'uploads'): readonly string[] {
  let prefixes = known.get(rules)
  if (!prefixes) {
    prefixes = { versions: outerPrefixes(rules.filter(hasVersionAction)), uploads: outerPrefixes(rules.filter(hasAbort)) }
    known.set(rules, prefixes)
  }
  return prefixes[of]
}

function outerPrefixes(rules: readonly LifecycleRule[]): readonly string[] {
  const prefixes = rules
    .filter(({ isEnabled }) => isEnabled)
    .map(({ filter }) => filter.prefix ?? '')
    .toSorted(compareBytes)
  const outer: string[] = []
  for (const prefix of prefixes) if (outer.length === 0 || !prefix.startsWith(outer.at(-1) ?? '')) outer.push(prefix)
  return outer
}

const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))
