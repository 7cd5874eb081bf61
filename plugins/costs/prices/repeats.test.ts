/** Repeats of requests whose answer was lost, after the prices have changed. No chain node answers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestKernel, testKernel } from '#kernel/testing'
import { type Funds, funds } from '#plugins/wallet'
import { builtinPlugins } from '../../index.ts'
import { priceListHeader } from '../cost/cost-api.ts'

const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }
let fingerprint = ''
const movingPrices = {
  prices: async () => ({ fingerprint, list: '{}' }),
  forget: () => undefined,
  canPay: async () => ({ isCovered: false, because: 'chain', message: 'no node' }),
  view: async () => undefined,
} as unknown as Funds

let svc: TestKernel
beforeAll(async () => {
  svc = await testKernel({ plugins: builtinPlugins, config, override: [[funds, movingPrices]] })
})
afterAll(() => svc.stop())

/** Sends a request as an operator confirmed it: with the prices of yesterday. */
async function confirmed(method: string, path: string, body: object, pricesNow = 'yesterday') {
  fingerprint = pricesNow
  const headers = { 'content-type': 'application/json', [priceListHeader]: 'yesterday' }
  const answer = await svc.fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test.each(['fund', 'withdraw', 'approve'])(
  '%s: a repeat is answered with the recorded operation, and another request is refused',
  async (what) => {
    const body = { client_request_id: 'lost', ...(what === 'approve' ? {} : { amount: '5' }) }
    const first = await confirmed('POST', `/wallet/${what}`, body)
    expect(first.status).toBe(202)
    const { id, created_at } = (first.body as { readonly operation: { readonly id: number; readonly created_at: string } }).operation
    expect(await confirmed('POST', `/wallet/${what}`, body, 'today')).toMatchObject({
      status: 202,
      body: { operation: { id, created_at } },
    })
    const refusal = { status: 409, body: { code: 'price_list_changed' } }
    expect(await confirmed('POST', `/wallet/${what}`, { ...body, client_request_id: 'new' }, 'today')).toMatchObject(refusal)
    if (what !== 'approve') expect(await confirmed('POST', `/wallet/${what}`, { ...body, amount: '6' }, 'today')).toMatchObject(refusal)
  },
)

test('the repeat of the creation of a bucket learns that it exists, and of a raise that it is made', async () => {
  const creation = { name: 'photos', owner_access_key: '__internal_root__', default_copies: 2, minimum_durable_copies: 1 }
  expect((await confirmed('POST', '/buckets', creation)).status).toBe(201)
  expect(await confirmed('POST', '/buckets', creation, 'today')).toMatchObject({ status: 409, body: { code: 'bucket_exists' } })
  const refusal = { status: 409, body: { code: 'price_list_changed' } }
  expect(await confirmed('POST', '/buckets', { ...creation, name: 'others' }, 'today')).toMatchObject(refusal)
  const raise = (copies: number, prices: string) => confirmed('PUT', '/buckets/photos/copy-policy', { default_copies: copies }, prices)
  const raised = await raise(3, 'yesterday')
  expect(raised.status).toBe(200)
  expect(await raise(3, 'today')).toEqual(raised)
  expect(await raise(4, 'today')).toMatchObject(refusal)
})
