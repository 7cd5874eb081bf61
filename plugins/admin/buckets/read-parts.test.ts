import { expect, test } from 'vitest'
import { defineExtensionPoint, type Log } from '#kernel'
import { silentLog } from '#kernel/testing'
import { readParts } from './read-parts.ts'

interface Part {
  readonly name: string
  read(): string | Promise<string>
}

const point = defineExtensionPoint<Part>('test.parts')

test('parts that answer are read in plugin order; failing and late ones are logged and counted', async () => {
  const added: readonly Part[] = [
    { name: 'slow', read: async () => 'first' },
    { name: 'late', read: () => new Promise<never>(() => {}) },
    { name: 'broken', read: () => Promise.reject(new Error('no answer')) },
    { name: 'quick', read: () => 'second' },
  ]
  const logged: unknown[] = []
  const log: Log = { ...silentLog, warn: (_message, fields) => logged.push(fields) }
  const contributions = { to: () => added.map((item) => ({ pluginId: 'more', item, services: {} })) as never }
  const { parts, failed } = await readParts({ contributions, log, limitMs: 20 }, point, (part) => part.read())
  expect(parts.map(({ part, value }) => [part.name, value])).toEqual([
    ['slow', 'first'],
    ['quick', 'second'],
  ])
  expect(failed).toBe(2)
  expect(logged).toMatchObject([
    { point: 'test.parts', plugin: 'more', part: 'broken', error: { message: 'no answer' } },
    { part: 'late', error: { message: 'no answer within 20 ms' } },
  ])
})
