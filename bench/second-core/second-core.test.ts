import { expect, test } from 'vitest'
import { benchSecondCore } from './second-core.ts'

/** Twice the limit of the start of both variants. */
const timeout = 240_000

test.runIf(process.platform === 'linux')('a writer thread and a second process answer every load', { timeout }, async () => {
  const requests = { HEAD: 100, GET: 100, PUT: 100 }
  const { rows } = await benchSecondCore({
    variants: ['writer thread', 'two processes + turn'],
    rounds: 1,
    warmUps: 0,
    objects: 10,
    requests,
  })
  expect(rows.map(({ label }) => label)).toEqual([
    'HEAD: writer thread',
    'HEAD: two processes + turn',
    'GET: writer thread',
    'GET: two processes + turn',
    'PUT: writer thread',
    'PUT: two processes + turn',
    'resident memory: writer thread',
    'resident memory: two processes + turn',
  ])
  for (const { value } of rows) expect(value).toBeGreaterThan(0)
})
