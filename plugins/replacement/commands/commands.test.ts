import { expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { fakeCosts } from '../testing/fake-costs.ts'
import { progress, replacement, type TestSurface, testSurface } from '../testing/test-surface.ts'
import { replacementCommands } from './commands.ts'

const run = (svc: TestSurface, name: string, words: CommandWords = {}) =>
  runCommand(
    replacementCommands.find((command) => command.name === `admin replacement ${name}`),
    svc,
    words,
  )
const place = { bucket: 'photos', 'data set': '1' }

test('the providers are listed with what speaks against them', async () => {
  await using svc = await testSurface()
  expect((await run(svc, 'providers', { parameters: place })).stdout).toBe('No provider is available.\n')
  const provider = (providerId: string) => ({ providerId, name: `n${providerId}`, serviceUrl: `https://p${providerId}.example` }) as never
  svc.candidates = [
    { provider: provider('8'), isEligible: true, ineligibleReason: undefined, wasUsed: true },
    { provider: provider('9'), isEligible: false, ineligibleReason: 'already_serves_bucket', wasUsed: false },
  ]
  const { stdout, code } = await run(svc, 'providers', { parameters: place })
  expect(code).toBe(0)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'NAME', 'ELIGIBLE', 'REASON', 'USED BEFORE', 'UPLOAD', 'NOTE'],
    ['8', 'n8', 'yes', 'yes, retired', '1.91 MiB/s'],
    ['9', 'n9', 'no', 'serves this bucket already', 'recent calls failed'],
    [''],
  ])
})

test('a start shows the price, and is confirmed at that price once: a repeat with its id finds the same replacement', async () => {
  const { lists, plugin } = fakeCosts()
  await using svc = await testSurface({ plugins: [plugin] })
  const first = await run(svc, 'start', { parameters: place, flags: { json: true } })
  expect(first.stderr.split('\n').slice(0, 3)).toEqual([
    'New service: 0.042 USDFC of fees, 0.62 USDFC locked, 0.12 USDFC per month.',
    'Old service: 0.125 USDFC per month until its end, and paid for 30 days after it from its locked advance.',
    'Runway: 90 days now, 70 days while both are paid, 91 days after the end of the old service.',
  ])
  const id = /--request-id (\S+)/.exec(first.stderr)?.[1]
  expect(JSON.parse(first.stdout)).toMatchObject({ id: 1, status: 'preparing_target', client_request_id: id })
  const again = await run(svc, 'start', { parameters: place, flags: { requestId: id, provider: '8' } })
  expect([again.code, again.stdout.split('\n')[0]]).toEqual([0, 'Replacement: 1'])
  expect(again.stderr).not.toContain('--request-id')
  expect(svc.commands.map(({ mode, providerId }) => [mode, providerId])).toEqual([
    ['automatic', undefined],
    ['manual', '8'],
  ])
  expect(lists).toEqual(Array(2).fill('a'.repeat(16)))
})

test('with the plugin costs disabled a start has no price', async () => {
  const { plugin } = fakeCosts()
  await using svc = await testSurface({ plugins: [plugin], config: { 'plugins.disabled': ['costs'] } })
  const { code, stderr } = await run(svc, 'start', { parameters: place })
  expect([code, stderr.split('\n')[0]]).toEqual([0, expect.stringMatching(/^Request cli-/)])
})

test('a replacement is shown with its progress, its wait and the next step', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'waiting', phase: 'migrate', waitReason: 'source', waitMessage: '3 contents have no source' }))
  svc.progresses.set(1, progress({ phase: 'migrate', isSeeded: true, percent: 25, byState: { copied: 1, waiting_source: 3 } }))
  const shown = (await run(svc, 'show', { parameters: { id: '1' } })).stdout
  expect(shown).toContain('Status: waiting (migrate)\nWaits for: source: 3 contents have no source\n')
  expect(shown).toContain('From: provider 7 (Old One), data set 1, on chain 41: ready\nTo: provider 8 (New One), data set 2: creating\n')
  expect(shown).toContain('Progress: 1 of 4 (25 %)\nOutstanding: 3 without a source\n')
  expect(shown).not.toContain('Next step')
  svc.records.set(1, replacement({ status: 'failed', phase: 'migrate', lastError: 'no answer' }))
  expect((await run(svc, 'show', { parameters: { id: '1' } })).stdout).toContain('Next step: svc admin replacement retry 1\n')
  svc.records.set(1, replacement({ status: 'failed', lastError: 'in use', failureReason: 'target_in_use' }))
  expect((await run(svc, 'show', { parameters: { id: '1' } })).stdout).toContain(
    'Next step: svc admin replacement start photos 1 --provider <id>',
  )
})

test('--watch ends with the replacement, and exits with 1 when it needs an operator', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'completed', phase: 'none' }))
  expect((await run(svc, 'show', { parameters: { id: '1' }, flags: { watch: true } })).stdout).toContain('Status: completed')
  svc.records.set(2, replacement({ id: 2, status: 'failed', phase: 'migrate', lastError: 'no answer' }))
  const retried = run(svc, 'retry', { parameters: { id: '2' }, flags: { watch: true } })
  await expect.poll(() => svc.records.get(2)?.status).toBe('migrating')
  svc.records.set(2, replacement({ id: 2, status: 'failed', phase: 'migrate', lastError: 'no answer again' }))
  const { code, stdout } = await retried
  expect([code, stdout.includes('Status: migrating'), stdout.includes('Last error: no answer again')]).toEqual([1, true, true])
})

test('a retry prints the replacement that continues as JSON', async () => {
  await using svc = await testSurface()
  svc.records.set(1, replacement({ status: 'failed', phase: 'migrate', lastError: 'no answer' }))
  const { code, stdout } = await run(svc, 'retry', { parameters: { id: '1' }, flags: { json: true } })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 1, status: 'migrating', last_error: null }])
})

test('each flag of the list works alone', async () => {
  await using svc = await testSurface()
  for (const id of [1, 2, 3]) svc.records.set(id, replacement({ id, status: id === 2 ? 'failed' : 'completed' }))
  const ids = async (flags: Readonly<Record<string, unknown>>) =>
    JSON.parse((await run(svc, 'list', { flags: { ...flags, json: true } })).stdout).replacements.map(({ id }: { id: number }) => id)
  expect(await ids({})).toEqual([3, 2, 1])
  expect(await ids({ status: 'failed' })).toEqual([2])
  expect(await ids({ bucket: 'photos', limit: 2 })).toEqual([3, 2])
  expect(await ids({ cursor: 3 })).toEqual([2, 1])
  const { stdout } = await run(svc, 'list', { flags: { limit: 1 } })
  expect(stdout).toMatch(
    /^ID +BUCKET +REPLICA +STATUS +FROM +TO +PROGRESS +UPDATED +DETAILS\n3 +photos +0 +completed +7 +8 +0 of 0 found so far/,
  )
  expect(stdout).toContain('More: --cursor 3')
  expect((await run(svc, 'list', { flags: { status: 'migrating' } })).stdout).toBe('No replacements found.\n')
})

test.each([
  ['show', { id: 'x' }, {}],
  ['retry', { id: '0' }, {}],
  ['providers', { bucket: 'photos', 'data set': '1.5' }, {}],
  ['start', place, { provider: 'New One' }],
])('svc admin replacement %s refuses %j %j before it asks the service', async (name, parameters, flags) => {
  await using svc = await testSurface()
  await expect(run(svc, name, { parameters, flags })).rejects.toMatchObject({ exitCode: 2 })
  expect(svc.commands).toEqual([])
})
