/** `svc admin provider …`, `svc admin data-set …` and `svc admin object proof`, as an operator types them, on the devnet of `svc dev`. */
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import type { Fault } from '../../devnet/faults.ts'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { until } from '../fixtures/until.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'

const bucket = 'proofs'
const key = 'cat.jpg'
let dev: DevProcess
beforeAll(async () => {
  dev = await startDev()
  using s3 = dispose(dev.connect())
  await s3.client.send(new CreateBucketCommand({ Bucket: bucket }))
  await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.alloc(2000, 'meow') }))
  await until('a stored object', async () => {
    const { objects } = (await dev.call('GET', `/api/v1/buckets/${bucket}/objects`)).json
    return objects[0]?.state === 'stored' || undefined
  })
})
afterAll(() => dev?.[Symbol.asyncDispose]())

const dispose = (client: ReturnType<DevProcess['connect']>) => ({ client, [Symbol.dispose]: () => client.destroy() })

async function svc(...words: string[]) {
  using home = svcHome()
  return await home.run([...words, '--config', dev.ready.config])
}

/** Standard output is one JSON value and nothing else. */
async function asJson(...words: string[]) {
  const { code, stdout, stderr } = await svc(...words, '--json')
  const value = JSON.parse(stdout)
  expect(stdout).toBe(`${JSON.stringify(value, null, 2)}\n`)
  return { code, value, stderr }
}

async function place(fault: Fault, provider = 1) {
  const init = { headers: { 'content-type': 'application/json' }, method: 'POST', body: JSON.stringify({ provider, fault }) }
  expect((await fetch(`${dev.ready.control_url}/faults`, init)).status).toBe(200)
}

const clearFaults = () => fetch(`${dev.ready.control_url}/faults`, { method: 'DELETE' })

test('provider refresh and list show each provider with its reason, as a table and as JSON', async () => {
  await place({ kind: 'dark' }, 2)
  const refreshed = await svc('admin', 'provider', 'refresh')
  expect(refreshed).toMatchObject({ code: 0, stderr: 'Reading the registry and pinging the providers\n' })
  expect(refreshed.stdout).toMatch(/^ID +NAME +HEALTH +REASONS +PING +UPLOAD +READ +SUCCESS +SPEED TEST\n1 .* available /)
  expect(refreshed.stdout).toMatch(/\n2 .* unavailable +provider_http_unreachable /)
  expect(refreshed.stdout).toMatch(/\nTotal: 3 providers \(2 available, 0 degraded, 1 unavailable, 0 unknown\)\nChecked: [\d-]+T\S+Z\n$/)
  const { value, code } = await asJson('admin', 'provider', 'list', '--status', 'unavailable')
  expect(code).toBe(0)
  expect(value).toMatchObject({
    items: [{ facts: { provider_id: '2', health_status: 'unreachable' }, signal: { reason_codes: ['provider_http_unreachable'] } }],
    summary: { reasons: [{ status: 'unavailable', reason_code: 'provider_http_unreachable', count: 1 }] },
    total: 1,
  })
  await clearFaults()
  expect((await asJson('admin', 'provider', 'refresh', '--provider', '2')).value.items[0].signal.status).toBe('available')
  expect((await svc('admin', 'provider', 'list', '--limit', '1', '--offset', '1')).stdout).toMatch(
    /\n2 .*\n\nTotal: 3 (?:.*\n)*More: --offset 2\n$/,
  )
  expect(await svc('admin', 'provider', 'list', '--status', 'fine')).toMatchObject({ code: 2, stdout: '' })
  expect(await svc('admin', 'provider', 'list', '--provider', 'x')).toMatchObject({ code: 1, stdout: '' })
})

test('provider speed-test starts one test at a time; --wait shows its result, and a failed one exits with 1', async () => {
  // Until it is cleared, with which the connection closes.
  await place({ kind: 'hang', routes: ['upload_create'] })
  const started = await asJson('admin', 'provider', 'speed-test', '1')
  expect(started).toMatchObject({ code: 0, value: { task_id: expect.any(Number), state: 'testing' }, stderr: '' })
  const second = await svc('admin', 'provider', 'speed-test', '3')
  expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('An upload speed test runs already') })
  await clearFaults()
  await until('the end of the test', async () => {
    const { value } = await asJson('admin', 'provider', 'list', '--provider', '1')
    return value.items[0].upload_speed_test.state !== 'testing' || undefined
  })
  const waited = await asJson('admin', 'provider', 'speed-test', '3', '--wait')
  expect(waited).toMatchObject({
    code: 0,
    value: { state: 'succeeded', upload_speed_test: { sample_bytes: 33_554_432, bytes_per_second: expect.any(Number) } },
    stderr: '',
  })
  await place({ kind: 'answer', status: 507, routes: ['upload_put'] })
  const failed = await svc('admin', 'provider', 'speed-test', '1', '--wait')
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^The test failed: \w+\n$/) })
  await clearFaults()
  expect(await svc('admin', 'provider', 'speed-test', '77')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('provider'),
  })
  expect((await svc('admin', 'provider', 'speed-test', 'one')).code).toBe(2)
})

test.skipIf(isTerminalMissing)('on a terminal speed-test --wait shows its progress on one line, and then the result', async () => {
  await place({ kind: 'delay', delayMs: 2000, routes: ['upload_create'] })
  const { code, shown } = await runOnTerminal(['admin', 'provider', 'speed-test', '3', '--wait', '--config', dev.ready.config])
  await clearFaults()
  expect(code).toBe(0)
  expect(shown).toMatch(/Uploading 32 MiB to provider 3: \d+ s/)
  expect(shown).toMatch(/Result: +succeeded\nSpeed: +[\d.]+ \w+\/s\n/)
})

test('data-set refresh and list show the state on chain, with filters', async () => {
  const refreshed = await svc('admin', 'data-set', 'refresh')
  expect(refreshed).toMatchObject({ code: 0, stderr: 'Reading the data sets on chain\n' })
  expect(refreshed.stdout).toMatch(
    /^ID +BUCKET +COPY +PROVIDER +ON CHAIN +HEALTH +REASONS +PIECES +LAST PROOF +NEXT DUE +MISSED +COUNTS\n1 +proofs +0\.1 /,
  )
  expect(refreshed.stdout).toMatch(/\nLast check: \d+ data sets with \d+ requests in \d+ ms\n$/)
  const { value } = await asJson('admin', 'data-set', 'list', '--bucket', bucket, '--limit', '1')
  expect(value).toMatchObject({
    items: [
      { facts: { bucket_name: bucket, chain_state: 'live', recorded_piece_count: 1, standing: { state: 'kept', denied_copies: 0 } } },
    ],
    limit: 1,
  })
  expect(value.total).toBeGreaterThan(1)
  const { value: again } = await asJson('admin', 'data-set', 'refresh', '--bucket', bucket)
  expect(Date.parse(again.last_refresh.finished_at)).toBeGreaterThanOrEqual(Date.parse(value.last_refresh.finished_at))
  expect(await svc('admin', 'data-set', 'list', '--bucket', 'nothing')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('bucket'),
  })
})

test('object proof names each copy with the calls that verify it, and keeps the whole proof with --json', async () => {
  const shown = await svc('admin', 'object', 'proof', bucket, key)
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^Version: +\S+\nSize: +2000 bytes\nNetwork: +devnet \(chain 31415926\)\nPayer: +0x\w{40}\nIssued: /)
  expect(shown.stdout).toMatch(
    /\nCopy: +0: committed\nProvider: +\d+ \(.+\)\nData set: +\d+\nPiece: +\d+\nPiece CID: +\w+\nTransaction: +0x\w{64}\n/,
  )
  expect(shown.stdout).toMatch(/\n {4}cast call 0x\w{40} '\w+\(.*\)' /)
  const { value } = await asJson('admin', 'object', 'proof', bucket, key)
  expect(value.copies.length).toBeGreaterThan(1)
  for (const copy of value.copies) expect(copy).toMatchObject({ counts: true, status: 'committed', verify: expect.arrayContaining([]) })
  const one = await asJson('admin', 'object', 'proof', bucket, key, '--version-id', value.version_id)
  expect(one.value.version_id).toBe(value.version_id)
  expect(await svc('admin', 'object', 'proof', bucket, 'dog.jpg')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/not|no /),
  })
})

test('verify --wait finds the copy that its provider denies, and exits with 1', async () => {
  const intact = await svc('admin', 'verify', '--sample', '100%', '--wait')
  expect(intact).toMatchObject({ code: 0, stdout: expect.stringMatching(/intact, 0 missing, 0 with other bytes, 0 unreachable\n$/) })
  await place({ kind: 'answer', status: 404, routes: ['retrieve'] })
  const { code, value } = await asJson('admin', 'verify', '--sample', '100%', '--wait')
  await clearFaults()
  expect({ code, value }).toMatchObject({ code: 1, value: { state: 'completed', missing: 1, wrong_bytes: 0 } })
  const listed = await svc('admin', 'data-set', 'list', '--provider', '1')
  expect(listed.stdout).toMatch(/ degraded +copies_missing_at_provider .* all but 1\n/)
})
