// Calls of the control port have the effects of the devnet object's methods.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ControlServer, startControl } from './control.ts'
import { type Fixture, startFixture } from './testing/fixture.ts'

let fixture: Fixture
let control: ControlServer

beforeAll(async () => {
  fixture = await startFixture({ providers: 2, blockTimeSeconds: 0 })
  control = await startControl(fixture.devnet, 0)
})

afterAll(async () => {
  await control[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

async function call(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(`${control.url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: answer.status, json: await answer.json() }
}

test('faults are placed on one provider or all, show up in the state, and are cleared', async () => {
  const fault = { kind: 'answer', status: 503, routes: ['ping'], count: 1 }
  expect(await call('POST', '/faults', { provider: 2, fault })).toMatchObject({ status: 200, json: { ids: [{ provider: 2 }] } })
  expect((await fetch(`${fixture.provider(0).url}/pdp/ping`)).status).toBe(200)
  expect((await fetch(`${fixture.provider(1).url}/pdp/ping`)).status).toBe(503)
  await call('POST', '/faults', { fault: { kind: 'delay', delayMs: 1 } })
  const { json } = await call('GET', '/state')
  expect(json).toMatchObject({
    providers: [
      { provider_id: 1, faults: [{ kind: 'delay' }], counters: { requests: { ping: 1 } } },
      { provider_id: 2, faults: [{ kind: 'delay' }] },
    ],
    add_pieces_transactions: [],
  })
  expect((await call('DELETE', '/faults', {})).status).toBe(200)
  expect(fixture.devnet.providers.flatMap(({ faults }) => faults.list())).toEqual([])
})

test('settings are changed, and requests without a body need no content type', async () => {
  expect(await call('POST', '/settings', { provider: 1, settings: { parkDelayMs: 3 } })).toEqual({ status: 200, json: {} })
  expect(fixture.devnet.providers.map(({ settings }) => settings.parkDelayMs)).toEqual([3, 150])
  expect((await fetch(`${control.url}/faults`, { method: 'DELETE' })).status).toBe(200)
})

/** fetch sets these headers itself. */
async function statusOf(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { hostname, port } = new URL(control.url)
  const sent = request({ hostname, port, method: 'POST', path: '/faults', headers })
  sent.end(JSON.stringify({ provider: 1, fault: { kind: 'dark' } }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const json = { 'content-type': 'application/json' }
test.each([
  ['from a page of another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
  ['from a page of another port', { ...json, 'sec-fetch-site': 'same-site' }, 403],
  ['with the origin of another page', { ...json, origin: 'https://evil.example' }, 403],
  ['with an opaque origin', { ...json, origin: 'null' }, 403],
  ['with a Host that names another site', { ...json, host: 'evil.example' }, 403],
  ['as text, which a browser sends without a preflight request', { 'content-type': 'text/plain' }, 415],
  ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['without a content type', {}, 415],
])('a fault that is sent %s is refused and not placed', async (_how, headers, status) => {
  expect(await statusOf(headers)).toBe(status)
  expect(fixture.devnet.providers.flatMap(({ faults }) => faults.list())).toEqual([])
})

test('a request with the Host localhost is accepted', async () => {
  expect(await statusOf({ ...json, host: `localhost:${new URL(control.url).port}` })).toBe(200)
  for (const { faults } of fixture.devnet.providers) faults.clear()
})

test('the chain refuses pages of other sites: preflight requests, and requests with a simple content type', async () => {
  const { rpcUrl } = fixture.devnet
  const origin = 'https://evil.example'
  const preflight = await fetch(rpcUrl, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  })
  expect([preflight.ok, preflight.headers.get('access-control-allow-origin')]).toEqual([false, null])
  const epoch = await fixture.devnet.chain.epoch()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x64'] })
  const answer = await fetch(rpcUrl, { method: 'POST', headers: { origin, 'content-type': 'text/plain' }, body })
  expect(await answer.text()).not.toContain('"result"')
  expect(await fixture.devnet.chain.epoch()).toBe(epoch)
})

test('the chain is mined, held, released, reorganised and moved ahead', async () => {
  const epoch = Number(await fixture.devnet.chain.epoch())
  expect(await call('POST', '/chain/mine', { blocks: 3 })).toEqual({ status: 200, json: { epoch: epoch + 3 } })
  expect((await call('POST', '/chain/hold')).status).toBe(200)
  expect((await call('POST', '/chain/release')).status).toBe(200)
  expect((await call('POST', '/chain/reorg', { depth: 1 })).status).toBe(200)
  const hash = `0x${'0'.repeat(64)}`
  expect(await call('POST', '/chain/drop', { hash })).toEqual({ status: 200, json: { dropped: false } })
  const jumped = await call('POST', '/chain/jump', { epochs: 1000 })
  expect((jumped.json as { epoch: number }).epoch).toBeGreaterThan(epoch + 1000)
})

test.each([
  ['POST', '/faults', { fault: { kind: 'gremlins' } }, 'kind'],
  ['POST', '/faults', { fault: { kind: 'delay' } }, 'delayMs'],
  ['POST', '/faults', { provider: 9, fault: { kind: 'dark' } }, 'no provider 9; there are 1 to 2'],
  ['POST', '/chain/mine', { blocks: 100_000 }, 'blocks is 100000; expected 1 to 2000'],
  ['POST', '/chain/drop', { hash: '0x1' }, 'hash'],
  ['POST', '/settings', { settings: { parkDelay: 3 } }, 'parkDelay'],
])('%s %s %o is refused with what is wrong', async (method, path, body, problem) => {
  expect(await call(method, path, body)).toEqual({ status: 400, json: { error: expect.stringContaining(problem) } })
})
