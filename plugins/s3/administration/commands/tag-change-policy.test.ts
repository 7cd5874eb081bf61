import { expect, test } from 'vitest'
import { readTagChange, setTags } from './tag-change-policy.ts'

const none = { set: [], remove: [], clear: false }
const current = [
  { key: 'stage', value: 'live' },
  { key: 'team', value: 'web' },
]
const change = (flags: Partial<Parameters<typeof readTagChange>[0]>) => {
  const read = readTagChange({ ...none, ...flags })
  return read && setTags(current, read)
}

test('tags that no flag names stay; --clear removes them', () => {
  expect(change({})).toBeUndefined()
  expect(change({ set: ['team=data', 'url=a=b', 'empty='] })).toEqual([
    { key: 'stage', value: 'live' },
    { key: 'team', value: 'data' },
    { key: 'url', value: 'a=b' },
    { key: 'empty', value: '' },
  ])
  expect(change({ remove: ['stage', 'unknown'] })).toEqual([{ key: 'team', value: 'web' }])
  expect(change({ clear: true })).toEqual([])
  expect(change({ clear: true, set: ['a=b'] })).toEqual([{ key: 'a', value: 'b' }])
})

test.each([
  [{ set: ['team'] }, '--set must be key=value, got "team"'],
  [{ set: ['=web'] }, '--set must be key=value, got "=web"'],
  [{ set: ['team=a', 'team=b'] }, '--set gives the tag team twice'],
  [{ set: ['team=a'], remove: ['team'] }, 'the tag team is given to both --set and --remove'],
])('%j is a usage error', (flags, message) => {
  expect(() => change(flags)).toThrow(expect.objectContaining({ message, exitCode: 2 }))
})
