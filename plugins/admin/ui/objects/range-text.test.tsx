import { expect, test } from 'vitest'
import { pageBefore, rememberPage, rowsBefore } from './page-trail.ts'
import { rangeText } from './range-text.ts'

test('a page says where its rows are as far as the pages before are known', () => {
  expect(rangeText({ before: 50, rows: 50, objects: 10_400 })).toBe('Rows 51–100; 10,400 objects in the bucket')
  expect(rangeText({ before: undefined, rows: 1, objects: undefined })).toBe('1 row')
})

test('the trail of pages counts the rows before each, and knows nothing of a page that was not reached through it', () => {
  rememberPage('photos', { cursor: '', rows: 50 }, 'k50')
  rememberPage('photos', { cursor: 'k50', rows: 20 }, 'k70')
  expect([rowsBefore('photos', ''), rowsBefore('photos', 'k50'), rowsBefore('photos', 'k70')]).toEqual([0, 50, 70])
  expect([pageBefore('photos', 'k70'), pageBefore('photos', 'k50')]).toEqual(['k50', ''])
  // Page 3, after a reload: nothing is known of the pages before it.
  rememberPage('reloaded', { cursor: 'k100', rows: 50 }, 'k150')
  expect([rowsBefore('reloaded', 'k150'), pageBefore('reloaded', 'k150')]).toEqual([undefined, 'k100'])
  expect([rowsBefore('photos', 'other'), rowsBefore('videos', 'k50')]).toEqual([undefined, undefined])
})
