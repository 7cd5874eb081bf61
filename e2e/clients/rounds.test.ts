import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import type { Client } from './client.ts'
import { hostNameSettings, jsSdkHostNames } from './host-names.ts'
import { jsSdk } from './languages/js-sdk.ts'
import { renewRecipes } from './recipes.ts'
import { type GatewayUnderTest, runRound } from './run-round.ts'

const roundMs = 600_000
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const nodeDir = dirname(process.execPath)
let gateway: GatewayUnderTest

beforeAll(async () => {
  const service = await sharedServe()
  gateway = { s3Url: service.s3Url, user: await service.createUser(), isAnySize: false }
})

test('the JavaScript SDK performs its whole round with the default sizes', { timeout: roundMs }, async () => {
  expect(await runRound(jsSdk, nodeDir, gateway)).toEqual({ passed: jsSdk.steps.map(({ name }) => name) })
  expect(jsSdk.notOffered).toEqual({})
})

test('the JavaScript SDK puts the bucket in the host name', { timeout: roundMs }, async () => {
  await using service = await startServeHere({ settings: hostNameSettings })
  const names = ['make a bucket', 'upload a small file', 'link for a download', 'remove the bucket']
  const client: Client = { ...jsSdkHostNames, steps: jsSdkHostNames.steps.filter(({ name }) => names.includes(name)) }
  const own = { s3Url: service.s3Url, user: await service.createUser(), isAnySize: false }
  expect(await runRound(client, nodeDir, own)).toEqual({ passed: names })
})

test('a round ends at the first step whose result differs from what another client sees, and the next one starts without its bucket', {
  timeout: roundMs,
}, async () => {
  const wrong = [
    "await s3.send(new aws.CreateMultipartUploadCommand({ Bucket, Key: 'unfinished.bin' }))",
    "await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'small.bin', Body: 'other bytes '.repeat(20) }))",
  ].join('\n')
  const client: Client = {
    ...jsSdk,
    steps: jsSdk.steps.map((step) => (step.name === 'upload a small file' ? { ...step, commands: wrong } : step)),
  }
  expect(await runRound(client, nodeDir, gateway)).toEqual({
    passed: ['make a bucket'],
    failure: expect.stringMatching(/^upload a small file: SHA-256 of small\.bin is /),
  })
  expect(await runRound({ ...jsSdk, steps: jsSdk.steps.slice(0, 1) }, nodeDir, gateway)).toEqual({ passed: ['make a bucket'] })
})

test('a client that is not installed is reported as skipped, and fails the run when it was named', { timeout: roundMs }, () => {
  const { status, stdout } = spawnSync(process.execPath, [main, 's5cmd'], { env: { PATH: '' }, encoding: 'utf8', timeout: roundMs })
  expect(stdout).toBe('skipped  s5cmd: not installed\n0 clients tested, 1 skipped, 0 rounds failed\n')
  expect(status).toBe(1)
})

test('a client whose download is unreachable is reported as skipped', { timeout: roundMs }, () => {
  using temporary = temporaryDirectory()
  const program =
    "#!/bin/sh\n[ $1 = version ] && echo 'Terraform v1.11.4' && exit\necho 'Error: Failed to query available provider packages' >&2\nexit 1\n"
  writeFileSync(join(temporary.path, 'terraform'), program, { mode: 0o755 })
  const env = { PATH: [temporary.path, process.env.PATH].join(delimiter) }
  const { status, stdout } = spawnSync(process.execPath, [main, 'terraform'], { env, encoding: 'utf8', timeout: roundMs })
  expect(stdout).toBe(
    'skipped  terraform: the provider hashicorp/aws cannot be downloaded here\n0 clients tested, 1 skipped, 0 rounds failed\n',
  )
  expect(status).toBe(1)
})

test('a page without a place for a recipe is refused', () => {
  expect(() => renewRecipes('# A page\n')).toThrow('has no place for the recipe of aws-cli-1')
})
