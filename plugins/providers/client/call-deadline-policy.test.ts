import { expect, test } from 'vitest'
import { callDeadlineMs, connectBudgetMs, progressBudgetMs, uploadAnswerMs } from './call-deadline-policy.ts'
import { timeLimits } from './provider-limits.ts'

const GiB = 1024 ** 3
const limits = { ...timeLimits, connect: 10, session: 5, read: 30, uploadBase: 60_000, uploadBytesPerSecond: 1000, transferIdle: 40_000 }

test('a read has its limit after DNS and connection; for session and ping the limit includes them', () => {
  expect(callDeadlineMs('read', 0, limits)).toBe(50)
  expect(callDeadlineMs('session', 0, limits)).toBe(5)
  expect([connectBudgetMs('session', limits), connectBudgetMs('read', limits), connectBudgetMs('upload', limits)]).toEqual([5, 10, 10])
})

test('an upload has time for its size at the minimum rate, and for hashing', () => {
  expect(callDeadlineMs('upload', 2000, limits)).toBe(20 + 62_000 + uploadAnswerMs(2000, limits))
  expect(uploadAnswerMs(GiB, timeLimits)).toBe(timeLimits.uploadAnswer + 128_000)
})

test('a slow upload ends when its rate stays too low, a fast one when it stalls', () => {
  expect(progressBudgetMs({ sentBytes: 0, elapsedMs: 0 }, limits)).toBe(40_000)
  expect(progressBudgetMs({ sentBytes: 100, elapsedMs: 50_000 }, limits)).toBe(10_100)
  expect(progressBudgetMs({ sentBytes: 100, elapsedMs: 70_000 }, limits)).toBe(0)
  expect(progressBudgetMs({ sentBytes: 1_000_000, elapsedMs: 70_000 }, limits)).toBe(40_000)
})
