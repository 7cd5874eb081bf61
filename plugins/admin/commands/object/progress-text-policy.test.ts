import { expect, test } from 'vitest'
import { progressText } from './progress-text-policy.ts'

const mib = 1024 * 1024

test.each([
  [{ doneBytes: 0, totalBytes: mib, elapsedMs: 0 }, `[${'-'.repeat(24)}]   0.0%  0 B of 1.00 MiB`],
  [
    { doneBytes: mib / 4, totalBytes: mib, elapsedMs: 500 },
    `[${'#'.repeat(6)}${'-'.repeat(18)}]  25.0%  256.00 KiB of 1.00 MiB  512.00 KiB/s`,
  ],
  [{ doneBytes: mib, totalBytes: mib, elapsedMs: 1000 }, `[${'#'.repeat(24)}] 100.0%  1.00 MiB of 1.00 MiB  1.00 MiB/s`],
  [{ doneBytes: 0, totalBytes: 0, elapsedMs: 0 }, `[${'#'.repeat(24)}] 100.0%  0 B of 0 B`],
  [{ doneBytes: mib, totalBytes: undefined, elapsedMs: 1000 }, '1.00 MiB  1.00 MiB/s'],
])('%j is %s', (progress, text) => {
  expect(progressText(progress)).toBe(text)
})
