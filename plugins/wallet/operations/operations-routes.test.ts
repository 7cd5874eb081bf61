/** The Admin API of wallet operations, without a chain: no node answers, so requests are recorded and wait. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { database, events, metricCollectors } from '#kernel'
import { createLog } from '#kernel/host'
import { contributions } from '#kernel/system'
import { allRows, promised, runSql, type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { readWallet } from '../account/account-api.ts'
import { type ChainSettings, chainSettings } from '../contract.ts'
import { walletPlugin } from '../plugin.ts'
import { fundWallet, listOperations } from './operations-api.ts'

const token = 'token-in-the-path-of-the-node'
const key = '42'.repeat(32)
const config = { 'chain.private_key': key, 'chain.rpc_url': `http://127.0.0.1:9/${token}` }
const dir = mkdtempSync(join(tmpdir(), 'svc-operations-'))
const lines: string[] = []
const log = createLog({ level: 'debug', format: 'json', secrets: [key, token], write: (line) => lines.push(line) })

let svc: TestKernel
beforeAll(async () => {
  svc = await testKernel({ plugins: [walletPlugin], config, dir, log })
})
afterAll(() => svc.stop())

const post = (what: string, body: unknown) => svc.call('POST', `/api/v1/wallet/${what}`, body)
const fund = (client_request_id: string, amount = '1500000000000000000') => post('fund', { client_request_id, amount })
const rowsOf = (id: string) =>
  allRows<{ amount: string }>(svc.kernel.get(database).read, 'select amount from wallet_operations where client_request_id = ?', id)

test('the same deposit asked for 20 times at once is one operation, with one task', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => fund(' same ')))
  const operations = answers.map((answer) => {
    expect(answer.status).toBe(202)
    return promised(fundWallet, answer).operation
  })
  expect(new Set(operations.map(({ id }) => id)).size).toBe(1)
  expect(operations[0]).toMatchObject({ type: 'fund', client_request_id: 'same', amount: '1500000000000000000', status: 'pending' })
  expect(await rowsOf('same')).toEqual([{ amount: '1500000000000000000' }])
  const tasks = await allRows<{ label: string }>(
    svc.kernel.get(database).read,
    "select subject_key as label from tasks where subject_type = 'wallet_operation'",
  )
  expect(tasks).toEqual([{ label: 'fund same' }])
})

test('an id with another amount is refused; the same id of another type is another operation', async () => {
  await fund('used', '1')
  expect(await fund('used', '2')).toMatchObject({ status: 409, body: { code: 'wallet_idempotency_conflict' } })
  expect(await rowsOf('used')).toEqual([{ amount: '1' }])
  expect(await post('withdraw', { client_request_id: 'used', amount: '2' })).toMatchObject({
    status: 202,
    body: { operation: { type: 'withdraw' } },
  })
  expect(await post('approve', { client_request_id: 'used' })).toMatchObject({
    status: 202,
    body: { operation: { type: 'approve', amount: '0' } },
  })
})

test.each([
  ['fund', { client_request_id: 'x' }],
  ['fund', { client_request_id: 'x', amount: 1 }],
  ['fund', { client_request_id: 'x', amount: '0' }],
  ['fund', { client_request_id: 'x', amount: '01' }],
  ['fund', { client_request_id: 'x', amount: '-1' }],
  ['fund', { client_request_id: 'x', amount: '1.5' }],
  ['fund', { client_request_id: 'x', amount: '1e18' }],
  ['fund', { client_request_id: 'x', amount: '+1' }],
  ['fund', { client_request_id: 'x', amount: ' 1' }],
  ['fund', { client_request_id: 'x', amount: '1\n' }],
  ['fund', { client_request_id: 'x', amount: '0x10' }],
  ['fund', { client_request_id: 'x', amount: '1_000' }],
  ['fund', { client_request_id: 'x', amount: '１２' }],
  ['fund', { client_request_id: 'x', amount: '٣' }],
  ['fund', { client_request_id: 'x', amount: String(10n ** 80n) }],
  ['fund', { client_request_id: 'x', amount: '9'.repeat(4000) }],
  ['fund', { client_request_id: 'x', amount: ['1'] }],
  ['fund', { client_request_id: 'x', amount: true }],
  ['withdraw', { client_request_id: 'x', amount: String(2n ** 256n) }],
  ['withdraw', { client_request_id: ' ', amount: '1' }],
  ['withdraw', { client_request_id: 'x'.repeat(129), amount: '1' }],
  ['approve', { client_request_id: 'x', amount: '1' }],
  ['approve', {}],
])('%s with %j is refused and records nothing', async (what, body) => {
  expect(await post(what, body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(await rowsOf('x')).toEqual([])
})

test('without a key nothing is configured: the wallet says so, and operations are refused and recorded nowhere', async () => {
  const unset = { private_key: '', with_cdn: false } as ChainSettings
  await using bare = await testKernel({ plugins: [walletPlugin], config, log, override: [[chainSettings, unset]] })
  expect(promised(readWallet, await bare.call('GET', '/api/v1/wallet'))).toEqual({ configured: false })
  for (const [what, body] of [
    ['fund', { client_request_id: 'x', amount: '1' }],
    ['withdraw', { client_request_id: 'x', amount: '1' }],
    ['approve', { client_request_id: 'x' }],
  ] as const) {
    expect(await bare.call('POST', `/api/v1/wallet/${what}`, body)).toMatchObject({ status: 409, body: { code: 'wallet_not_configured' } })
  }
  expect(promised(listOperations, await bare.call('GET', '/api/v1/wallet/operations'))).toEqual({ operations: [] })
})

test('a body of a mebibyte is refused before it is read as JSON, and records nothing', async () => {
  const refused = await fund('x', '1'.repeat(1024 * 1024))
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', error: expect.stringContaining('4096') } })
  expect(await rowsOf('x')).toEqual([])
})

test('only application/json is read', async () => {
  const answer = await svc.fetch('/api/v1/wallet/approve', {
    method: 'POST',
    body: '{"client_request_id":"x"}',
    headers: { 'content-type': 'text/plain' },
  })
  expect(answer.status).toBe(400)
})

test('amounts are digits of the same number in the request, the database and the answer', async () => {
  const amounts = fc.sample(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), 50)
  for (const [n, amount] of [...amounts, 2n ** 256n - 1n].entries()) {
    const { body } = await fund(`exact-${n}`, String(amount))
    expect(body.operation.amount).toBe(String(amount))
    expect(await rowsOf(`exact-${n}`)).toEqual([{ amount: String(amount) }])
  }
})

test('operations are listed newest first without terminations; limits above 100 count as 100, others are refused', async () => {
  await svc.kernel
    .get(database)
    .write((tx) =>
      runSql(
        tx,
        "insert into wallet_operations (type, client_request_id, amount, status, created_at, updated_at) values ('terminate', 't', '0', 'confirmed', 0, 0)",
      ),
    )
  await fund('newest')
  const list = async (query = '') => promised(listOperations, await svc.call('GET', `/api/v1/wallet/operations${query}`)).operations
  const operations = await list()
  expect(operations).toHaveLength(20)
  expect(operations[0]).toMatchObject({ client_request_id: 'newest', created_at: expect.stringMatching(/\.\d{3}Z$/) })
  expect(operations.map(({ id }) => id)).toEqual(operations.map(({ id }) => id).toSorted((a, b) => b - a))
  expect((await list('?limit=3')).length).toBe(3)
  expect((await list('?limit=5000')).map(({ type }) => type)).not.toContain('terminate')
  for (const limit of ['0', '-1', 'x', '1.5', ''])
    expect((await svc.call('GET', `/api/v1/wallet/operations?limit=${limit}`)).status).toBe(400)
})

test('I-35: each request is in the audit log with its id and amount, and watchers get the operation', async () => {
  const seen: { topic: string; payload: object }[] = []
  const stop = svc.kernel.get(events).subscribe((event) => void seen.push(event))
  lines.length = 0
  await post('withdraw', { client_request_id: 'audited', amount: '7' })
  stop()
  const changes = lines.map((line) => JSON.parse(line)).filter(({ in: part, msg }) => part === 'audit' && msg === 'change')
  expect(changes).toMatchObject([
    { by: testOperator.username, method: 'POST', status: 202, subject: { client_request_id: 'audited', amount: '7' } },
  ])
  const operation = { type: 'withdraw', client_request_id: 'audited', amount: '7', status: 'pending' }
  expect(seen).toContainEqual({ topic: 'wallet_operation_updated', payload: { operation: expect.objectContaining(operation) } })
})

test('the metric counts operations by type and status, also where there are none', async () => {
  const found = svc.kernel
    .get(contributions)
    .to(metricCollectors)
    .find(({ item }) => item.name === 'svc_wallet_operations')
  const samples = await found?.item.collect(found.services)
  expect(samples).toHaveLength(20)
  expect(samples).toContainEqual({ labels: { type: 'terminate', status: 'confirmed' }, value: 1 })
  expect(samples).toContainEqual({ labels: { type: 'fund', status: 'failed' }, value: 0 })
})

test('I-10: without a chain the wallet says what it could not read, and neither answers nor the log have the key or the token of the node', async () => {
  const answer = await svc.call('GET', '/api/v1/wallet')
  const wallet = promised(readWallet, answer)
  expect(wallet).toMatchObject({
    configured: true,
    identity: { address: expect.stringMatching(/^0x/), nonce: null },
    chain: { network: 'calibration', chain_id: 314_159, current_epoch: null },
    wallet_balances: { fil_gas: null, usdfc: null },
    payment_account: null,
    business: { onchain_tasks_pending: expect.any(Number), onchain_tasks_completed: 1 },
  })
  expect(wallet.business).not.toHaveProperty('data_set_count')
  expect(new Set(Object.values(wallet.partial_errors ?? {}))).toEqual(new Set(['RPC failure']))
  expect(Object.keys(wallet.partial_errors ?? {}).sort()).toEqual([
    'approval',
    'current_epoch',
    'data_set_count',
    'fil_gas_balance',
    'nonce',
    'usdfc_account',
    'usdfc_wallet_balance',
  ])
  const texts = [JSON.stringify(answer.body), JSON.stringify((await svc.call('GET', '/api/v1/wallet/operations?limit=100')).body), ...lines]
  for (const text of texts) for (const secret of [token, key]) expect(text).not.toContain(secret)
})
