import { expect, test } from 'vitest'
import { ok, uncertain } from './provider-answer.ts'
import type { ProviderClient } from './provider-client.ts'
import { wrapClient } from './wrapped-client.ts'

const late = uncertain({ reason: 'timeout', detail: 'late' })
const plain = {
  serviceUrl: 'http://a/',
  ping: async () => ok({ elapsedMs: 3 }),
  findPiece: async (pieceCid: string) => (pieceCid === 'late' ? late : ok({ isFound: true })),
  pieceUrl: (pieceCid: string) => `http://a/piece/${pieceCid}`,
} as unknown as ProviderClient

test('a wrapped client passes calls and answers on, and may be wrapped again', async () => {
  const seen: string[] = []
  const noting = (name: string) => (client: ProviderClient) =>
    wrapClient(client, async (call, send) => {
      seen.push(`${name} ${call}`)
      return await send()
    })
  const client = noting('outer')(noting('inner')(plain))
  expect(await client.findPiece('late')).toBe(late)
  expect(await client.ping()).toEqual(ok({ elapsedMs: 3 }))
  expect([client.serviceUrl, client.pieceUrl('x')]).toEqual(['http://a/', 'http://a/piece/x'])
  expect(seen).toEqual(['outer findPiece', 'inner findPiece', 'outer ping', 'inner ping'])
})
