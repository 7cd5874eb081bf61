import { expect, onTestFinished, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { type ProviderServer, startProvider } from '../testing/provider-server.ts'
import { type TestObservability, testObservability } from '../testing/test-observability.ts'
import { observabilityCommands } from './commands.ts'

async function open(): Promise<{ readonly svc: TestObservability; readonly server: ProviderServer }> {
  const server = await startProvider()
  const svc = await testObservability({ records: [{ serviceUrl: server.url }, { serviceUrl: 'http://127.0.0.1:9' }] })
  onTestFinished(async () => {
    await svc.stop()
    await server[Symbol.asyncDispose]()
  })
  return { svc, server }
}

const run = (svc: TestObservability, name: string, words: CommandWords = {}) =>
  runCommand(
    observabilityCommands.find((command) => command.name === `admin provider ${name}`),
    svc,
    words,
  )

test('providers are refreshed and listed with health, filters and the next page', async () => {
  const { svc } = await open()
  expect((await run(svc, 'list')).stdout).toContain('No providers found.')
  const { stdout, code } = await run(svc, 'refresh')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ID +NAME +HEALTH +REASONS +PING +UPLOAD +READ +SUCCESS +SPEED TEST\n1 +provider 0 +available +— +\d+ ms/)
  expect(stdout).toMatch(/\n2 +provider 1 +unavailable +provider_http_unreachable/)
  expect(stdout).toContain('Total: 2 providers (1 available, 0 degraded, 1 unavailable, 0 unknown)')
  expect((await run(svc, 'list', { flags: { limit: 1 } })).stdout).toContain('More: --offset 1')
  const json = JSON.parse((await run(svc, 'list', { flags: { json: true, status: 'unavailable', provider: '2' } })).stdout)
  expect(json).toMatchObject({ total: 1, items: [{ facts: { provider_id: '2' } }] })
})

test('a speed test is started, or awaited with its result; a failed one exits with 1', async () => {
  const { svc, server } = await open()
  await run(svc, 'refresh')
  const words = (flags: object) => ({ parameters: { id: '1' }, flags: { ...flags } })
  const waited = await run(svc, 'speed-test', words({ wait: true }))
  expect(waited.code).toBe(0)
  expect(waited.stdout).toMatch(/Result: +succeeded\nSpeed: +[\d.]+ \w+\/s\n/)
  server.mode = 'refuses'
  const failed = await run(svc, 'speed-test', words({ wait: true, json: true }))
  expect(failed.code).toBe(1)
  expect(JSON.parse(failed.stdout)).toMatchObject({
    task_id: expect.any(Number),
    state: 'failed',
    upload_speed_test: { failure_code: 'server_error' },
  })
  server.mode = 'ok'
  expect((await run(svc, 'speed-test', words({}))).stdout).toMatch(/^Task \d+ tests provider 1; svc admin provider list --provider 1 shows/)
  await expect(run(svc, 'speed-test', { parameters: { id: 'x' } })).rejects.toMatchObject({ exitCode: 2 })
})
