import { describe, expect, test } from 'vitest'
import { actionsFor, describeVersion, judgeRestoreError, type Version } from './version-policy.ts'

const links = { download: '/d', life: '/p', isCompared: false }
const version = (is_current: boolean, is_delete_marker: boolean) => ({ is_current, is_delete_marker }) as Version
const open = (item: Version) =>
  actionsFor(item, links)
    .filter(({ lockedReason }) => lockedReason === undefined)
    .map(({ id }) => id)

describe('versions', () => {
  test('only what the service accepts is offered', () => {
    expect(open(version(true, false))).toEqual(['download', 'life', 'purge'])
    expect(open(version(false, false))).toEqual(['download', 'life', 'restore', 'purge'])
    expect(open(version(true, true))).toEqual([])
    expect(open(version(false, true))).toEqual([])
  })

  test('an earlier version is compared with the current one, if that is known and has bytes', () => {
    const compare = (item: Version, isCompared: boolean) =>
      actionsFor(item, { ...links, isCompared }).find(({ id }) => id === 'compare')?.lockedReason === undefined
    expect([compare(version(false, false), true), compare(version(false, false), false)]).toEqual([true, false])
    expect([compare(version(true, false), true), compare(version(false, true), true)]).toEqual([false, false])
  })

  test('each locked action says why', () => {
    const reasons = actionsFor(version(true, true), links).map(({ lockedReason }) => lockedReason)
    expect(reasons.every((reason) => typeof reason === 'string' && reason.endsWith('.'))).toBe(true)
  })

  test('a delete marker is never called a version', () => {
    expect(describeVersion(version(true, true)).title).toBe('Deleted')
    expect(describeVersion(version(true, false)).title).toBe('Current version')
  })

  test('the two conflicts of a restore differ', () => {
    expect(judgeRestoreError({ status: 409, code: 'object_version_already_current' })).toBe('nothing-to-do')
    expect(judgeRestoreError({ status: 409, code: 'object_version_changed' })).toBe('look-again')
    expect(judgeRestoreError({ status: 507, code: 'cache_full' })).toBe('failed')
    expect(judgeRestoreError({ status: 0, code: undefined })).toBe('failed')
  })
})
