import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allowedFiles, allowedSeconds, computingTests, findEngineTests, isWaiting, longTests, waitingTests } from './test-costs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test.each(allowedFiles)('the file with its own limit %s exists', (path) => {
  expect(existsSync(`${root}${path}`)).toBe(true)
})

test.each(longTests)('the long file %s exists, and waits', (path) => {
  expect([existsSync(`${root}${path}`), isWaiting(path)]).toEqual([true, true])
})

test('files that start processes or wait for a chain have the higher limit', () => {
  expect([isWaiting('e2e/api/new.test.ts'), allowedSeconds('e2e/api/new.test.ts')]).toEqual([true, 10])
  expect([isWaiting('kernel/new.test.ts'), allowedSeconds('kernel/new.test.ts')]).toEqual([false, 4])
})

test('files outside the waiting folders that wait exist', () => {
  for (const path of waitingTests.filter((name) => !name.includes('*'))) expect(existsSync(`${root}${path}`)).toBe(true)
})

test('tests on both engines of the database run on PostgreSQL in a project of their own', () => {
  expect(findEngineTests()).toContain('kernel/tasks/rows/task-stores.test.ts')
  expect(findEngineTests().filter(isWaiting)).toEqual([])
})

test('other tests that start PostgreSQL are among those that wait', () => {
  const imports = (path: string) => /import .+testing\/postgres\.ts'$/m.test(readFileSync(root + path, 'utf8'))
  const starting = globSync(computingTests, { cwd: root }).filter(imports)
  expect(starting).toContain('kernel/db/postgres/open-postgres.test.ts')
  expect(starting).toContain('tools/checks/check-entities.test.ts')
  expect(starting.filter((path) => !isWaiting(path))).toEqual([])
})
