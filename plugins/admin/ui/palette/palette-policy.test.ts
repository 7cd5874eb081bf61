import { expect, test } from 'vitest'
import { aboutSetting } from '../settings/testing/settings.ts'
import { matchSettings, readObjectPlace } from './palette-policy.ts'

const metadata = {
  'cache.max_size_gb': aboutSetting({ label: 'Largest size' }),
  'cache.dir': aboutSetting({ label: 'Folder' }),
  's3.region': aboutSetting({ label: 'Region' }),
}

test.each([
  ['cache', ['cache.max_size_gb', 'cache.dir']],
  ['Cache SIZE', ['cache.max_size_gb']],
  ['folder', ['cache.dir']],
  ['c', []],
  [' ', []],
  ['cache region', []],
])('settings are found by every word of path and label: %j', (text, fields) => {
  expect(matchSettings(metadata, text, 8).map(({ field }) => field)).toEqual(fields)
})

test('no more settings than fit are found', () => {
  expect(matchSettings(metadata, 'cache', 1)).toEqual([{ field: 'cache.max_size_gb', label: 'Largest size' }])
})

test.each([
  ['photos/2026/a', { bucket: 'photos', prefix: '2026/a' }],
  ['s3://photos/', { bucket: 'photos', prefix: '' }],
  [' photos/x y ', { bucket: 'photos', prefix: 'x y' }],
  ['photos', undefined],
  ['/photos', undefined],
  ['other/2026', undefined],
])('%j names objects: %j', (text, place) => {
  expect(readObjectPlace(text, [{ name: 'photos' }])).toEqual(place)
})
