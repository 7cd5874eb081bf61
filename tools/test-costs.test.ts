import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allowedFiles, allowedSeconds, isWaiting, waitingTests } from './test-costs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test.each(allowedFiles)('the file with its own limit %s exists', (path) => {
  expect(existsSync(`${root}${path}`)).toBe(true)
})

test('files that start processes or wait for a chain have the higher limit', () => {
  expect([isWaiting('e2e/api/new.test.ts'), allowedSeconds('e2e/api/new.test.ts')]).toEqual([true, 10])
  expect([isWaiting('kernel/new.test.ts'), allowedSeconds('kernel/new.test.ts')]).toEqual([false, 4])
})

test('files outside the waiting folders that wait exist', () => {
  for (const path of waitingTests.filter((name) => !name.includes('*'))) expect(existsSync(`${root}${path}`)).toBe(true)
})
