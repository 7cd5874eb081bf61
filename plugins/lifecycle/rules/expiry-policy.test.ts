import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LifecycleRule } from '#plugins/s3'
import { afterDays, calendarOf, latestRun, realCalendar, realDayMs } from './calendar-policy.ts'
import { expiryOf, isUploadDue, type Judged, judgeVersion, prefixesOf } from './expiry-policy.ts'
import { type Walked, walkVersions } from './walk-policy.ts'

const start = Date.UTC(2026, 0, 1)
const day = (number: number): number => start + number * realDayMs

const whole = { form: 'filter', tags: [] } as const
const rule = (more: Partial<LifecycleRule>): LifecycleRule => ({ id: 'r', isEnabled: true, filter: whole, ...more })
const expireAfter = (days: number, more: Partial<LifecycleRule> = {}) => rule({ expiration: { kind: 'days', days }, ...more })

const version = (more: Partial<Judged> & { readonly versionId?: string } = {}) => ({
  key: 'k',
  versionId: 'v',
  size: 10,
  isDeleteMarker: false,
  createdAtMs: start,
  headers: {},
  ...more,
})
const current = { newerNoncurrent: 0, isOnly: false }
const by = (rules: readonly LifecycleRule[], atMs: number) => ({ rules, calendar: realCalendar, atMs })

test('days end at the first midnight UTC after them, and a run deletes what expired until the latest midnight', () => {
  expect(afterDays(day(0), 1, realCalendar)).toBe(day(1))
  expect(afterDays(day(0) + 1, 1, realCalendar)).toBe(day(2))
  expect(afterDays(day(1) - 1, 30, realCalendar)).toBe(day(31))
  expect(latestRun(day(3) + realDayMs - 1, realCalendar)).toBe(day(3))
  const short = calendarOf(2000)
  expect(afterDays(start + 7, 3, short)).toBe(start + 6007)
  expect(latestRun(start + 1999, short)).toBe(start + 1000)
})

test.each([
  ['on the day before', expireAfter(3), {}, day(3) - 1, 'keep'],
  ['on its day', expireAfter(3), {}, day(3), 'mark'],
  ['by a disabled rule', expireAfter(3, { isEnabled: false }), {}, day(9), 'keep'],
  ['by a date before it', rule({ expiration: { kind: 'date', atMs: day(2) } }), {}, day(2) - 1, 'keep'],
  ['by a date', rule({ expiration: { kind: 'date', atMs: day(2) } }), { createdAtMs: day(5) }, day(5), 'mark'],
  ['by another action', rule({ noncurrent: { days: 1 } }), {}, day(9), 'keep'],
  ['outside the prefix', expireAfter(1, { filter: { ...whole, prefix: 'logs/' } }), {}, day(9), 'keep'],
  ['within the prefix', expireAfter(1, { filter: { ...whole, prefix: 'logs/' } }), { key: 'logs/a' }, day(9), 'mark'],
  ['as large as the bound', expireAfter(1, { filter: { ...whole, sizeAbove: 10 } }), {}, day(9), 'keep'],
  ['larger than the bound', expireAfter(1, { filter: { ...whole, sizeAbove: 9 } }), {}, day(9), 'mark'],
  ['as small as the bound', expireAfter(1, { filter: { ...whole, sizeBelow: 10 } }), {}, day(9), 'keep'],
  ['smaller than the bound', expireAfter(1, { filter: { ...whole, sizeBelow: 11 } }), {}, day(9), 'mark'],
] as const)('a current version %s is judged: %#', (...[, of, more, atMs, verdict]) => {
  expect(judgeVersion(by([of], atMs), version(more), current)).toBe(verdict)
})

test('a version needs all tags of the filter, and a tag with the name of an inherited member is none', () => {
  const tagged = (...tags: { key: string; value: string }[]) => expireAfter(1, { filter: { form: 'and', tags } })
  const verdict = (of: LifecycleRule, tags?: Record<string, string>) =>
    judgeVersion(by([of], day(9)), version({ headers: tags ? { tags } : {} }), current)
  const [a, b] = [
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ]
  expect(verdict(tagged(a, b), { a: '1', b: '2', c: '3' })).toBe('mark')
  expect(verdict(tagged(a, b), { a: '1' })).toBe('keep')
  expect(verdict(tagged(a), { a: '2' })).toBe('keep')
  expect(verdict(tagged(a))).toBe('keep')
  expect(verdict(tagged({ key: 'constructor', value: String(Object) }), {})).toBe('keep')
})

test('a delete marker goes when it is the only version: at once with its own action, after the days with Days', () => {
  const marker = version({ isDeleteMarker: true, size: 0 })
  const markers = rule({ expiration: { kind: 'markers' } })
  expect(judgeVersion(by([markers], start), marker, { ...current, isOnly: true })).toBe('remove')
  expect(judgeVersion(by([markers], start), marker, current)).toBe('keep')
  expect(judgeVersion(by([expireAfter(2)], day(2) - 1), marker, { ...current, isOnly: true })).toBe('keep')
  expect(judgeVersion(by([expireAfter(2)], day(2)), marker, { ...current, isOnly: true })).toBe('remove')
  expect(judgeVersion(by([expireAfter(2)], day(2)), marker, current)).toBe('keep')
  const date = rule({ expiration: { kind: 'date', atMs: start } })
  expect(judgeVersion(by([date], day(9)), marker, { ...current, isOnly: true })).toBe('keep')
  // It has no size, so it is not smaller than one.
  const small = expireAfter(1, { filter: { ...whole, sizeBelow: 100 } })
  expect(judgeVersion(by([small], day(9)), marker, { ...current, isOnly: true })).toBe('keep')
})

test('a noncurrent version goes the days after it became that, if enough newer noncurrent ones exist', () => {
  const judge = (noncurrent: NonNullable<LifecycleRule['noncurrent']>, newerNoncurrent: number, atMs: number) =>
    judgeVersion(by([rule({ noncurrent })], atMs), version(), { noncurrentSinceMs: day(5), newerNoncurrent, isOnly: false })
  expect(judge({ days: 2 }, 0, day(7) - 1)).toBe('keep')
  expect(judge({ days: 2 }, 0, day(7))).toBe('remove')
  expect(judge({ days: 2, newerKept: 2 }, 1, day(99))).toBe('keep')
  expect(judge({ days: 2, newerKept: 2 }, 2, day(7))).toBe('remove')
  // Expiration is about current versions.
  expect(judgeVersion(by([expireAfter(1)], day(99)), version(), { ...current, noncurrentSinceMs: start })).toBe('keep')
})

/** Newest first, one a day. */
const history = (key: string, count: number, more: Partial<Judged> = {}) =>
  Array.from({ length: count }, (_, at) => version({ key, versionId: `${key}-${at}`, createdAtMs: day(count - at), ...more }))

test('a walk keeps the current version and the wanted number of noncurrent ones of each key, in pages of any size', () => {
  const versions = ['a', 'b', 'c'].flatMap((key, at) => history(key, 3 * at + 2))
  const rules = by([rule({ noncurrent: { days: 1, newerKept: 2 } })], day(99))
  const wanted = ['b-3', 'b-4', 'c-3', 'c-4', 'c-5', 'c-6', 'c-7']
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sizes) => {
      const deleted: string[] = []
      let before: Walked | undefined
      for (let at = 0, page = 0; at < versions.length; page++) {
        const end = at + (sizes[page % sizes.length] ?? 1)
        const { judgements, walked } = walkVersions(rules, versions.slice(at, end), { before, next: versions[end] })
        deleted.push(...judgements.map(({ version: { versionId } }) => versionId))
        before = walked
        at = end
      }
      expect(deleted).toEqual(wanted)
    }),
  )
})

test('what a walk deletes does not depend on what an earlier one deleted already', () => {
  const rules = by(
    [rule({ noncurrent: { days: 1, newerKept: 3 } }), rule({ noncurrent: { days: 4 }, filter: { form: 'and', tags: [], sizeBelow: 5 } })],
    day(12),
  )
  const sized = fc.array(fc.record({ size: fc.integer({ min: 0, max: 9 }), isDeleteMarker: fc.boolean() }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(sized, fc.integer({ min: 0, max: 12 }), (list, done) => {
      const versions = list.map((more, at) => version({ ...more, versionId: String(at), createdAtMs: day(list.length - at) }))
      const deletedOf = (of: typeof versions) =>
        walkVersions(rules, of, { before: undefined, next: undefined }).judgements.map((one) => one.version.versionId)
      const all = deletedOf(versions)
      // Killed after some deletions: times at which versions became noncurrent may only be later then.
      const left = versions.filter(({ versionId }) => !all.slice(0, done).includes(versionId))
      expect(all).toEqual(expect.arrayContaining(deletedOf(left)))
    }),
  )
})

test('after the clock was set back, a version is not noncurrent before it existed', () => {
  const versions = [version({ versionId: 'new', createdAtMs: day(0) }), version({ versionId: 'old', createdAtMs: day(10) })]
  const deleted = (atMs: number) =>
    walkVersions(by([rule({ noncurrent: { days: 1 } })], atMs), versions, { before: undefined, next: undefined }).judgements.length
  expect([deleted(day(10)), deleted(day(11))]).toEqual([0, 1])
})

test('the earliest expiry is shown, with its rule', () => {
  const rules = [expireAfter(9, { id: 'late' }), expireAfter(4, { id: 'early' }), expireAfter(1, { id: 'off', isEnabled: false })]
  expect(expiryOf(rules, version(), realCalendar)).toEqual({ atMs: day(4), ruleId: 'early' })
  expect(expiryOf(rules, version({ isDeleteMarker: true }), realCalendar)).toBeUndefined()
  expect(expiryOf([rule({ noncurrent: { days: 1 } })], version(), realCalendar)).toBeUndefined()
})

test('an upload is aborted the days after its creation, below the prefix', () => {
  const rules = [rule({ abortDays: 2, filter: { form: 'prefix', prefix: 'a/', tags: [] } })]
  expect(isUploadDue(by(rules, day(2)), { key: 'a/k', createdAtMs: start })).toBe(true)
  expect(isUploadDue(by(rules, day(2) - 1), { key: 'a/k', createdAtMs: start })).toBe(false)
  expect(isUploadDue(by(rules, day(2)), { key: 'b/k', createdAtMs: start })).toBe(false)
})

test('the prefixes of enabled rules are in byte order, none within another, by what the rules act on', () => {
  const below = (prefix: string, more: Partial<LifecycleRule>) => rule({ filter: { form: 'filter', prefix, tags: [] }, ...more })
  const rules = [
    below('logs/old/', { noncurrent: { days: 1 } }),
    // UTF-16 sorts it before the next.
    below('\u{1f600}', { expiration: { kind: 'markers' } }),
    below('\uffee', { expiration: { kind: 'markers' } }),
    below('logs/', { noncurrent: { days: 1 } }),
    below('off/', { noncurrent: { days: 1 }, isEnabled: false }),
    below('up/', { abortDays: 1 }),
  ]
  expect(prefixesOf(rules, 'versions')).toEqual(['logs/', '\uffee', '\u{1f600}'])
  expect(prefixesOf(rules, 'uploads')).toEqual(['up/'])
  expect(prefixesOf([...rules, rule({ abortDays: 3 })], 'uploads')).toEqual([''])
})
