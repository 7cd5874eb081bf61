import { expect, test } from 'vitest'
import type { BenchServer } from './bench-server.ts'
import { compare, type Load } from './rounds.ts'
import { RefusedRequest } from './s3-calls.ts'

const serverOf = (label: string): BenchServer => ({ label, port: 1, pid: undefined, async [Symbol.asyncDispose]() {} })
const [before, gateway] = [serverOf('gateway before'), serverOf('gateway')]

const refusedBy = (server: BenchServer): Load<BenchServer> => ({
  label: 'copies',
  requestBytes: 0,
  prepare: async (target) => async () => async () => {
    if (target === server) throw new RefusedRequest('PUT /photos/copy: status 501:\n<Error><Code>NotImplemented</Code></Error>')
    return 1
  },
})
const compared = { targets: [before, gateway], before, gateway, rounds: 2 }

test('an operation that an earlier gateway lacks has no rate there, and no ratio', async () => {
  const [earlier, now] = await compare(refusedBy(before), compared)
  expect(earlier).toEqual({
    label: 'copies: gateway before',
    value: undefined,
    unit: '/s',
    note: 'refused: PUT /photos/copy: status 501: <Error><Code>NotImplemented</Code></Error>',
  })
  expect(now?.value).toBeGreaterThan(0)
  expect(now?.figures?.beforeRatio).toBeUndefined()
})

test('a request that the gateway itself refuses ends the run', async () => {
  await expect(compare(refusedBy(gateway), compared)).rejects.toThrow('status 501')
})
