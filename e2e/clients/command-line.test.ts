import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { type ClientFile, clientRange, clientSizes, sha256OfFile, writeClientFiles } from './client-files.ts'

/** Looks on the PATH. The tests of a missing program are skipped, which the report shows. */
const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined
const isAwsMissing = isMissing('aws')
const isRcloneMissing = isMissing('rclone')
const runMs = 300_000
const region = 'us-east-1'

const dir = temporaryDirectory()
let gateway: ServeProcess | undefined
let files: readonly ClientFile[]
let env: Readonly<Record<string, string | undefined>>

beforeAll(async () => {
  if (isAwsMissing && isRcloneMissing) return
  gateway = await startServe()
  files = writeClientFiles(dir.path)
  const { access_key, secret_key } = await gateway.createUser()
  const credentials = { AWS_ACCESS_KEY_ID: access_key, AWS_SECRET_ACCESS_KEY: secret_key }
  const awsConfig = join(dir.path, 'aws-config')
  writeFileSync(awsConfig, '[default]\ns3 =\n  addressing_style = path\n')
  const aws = { ...credentials, AWS_REGION: region, AWS_ENDPOINT_URL: gateway.s3Url, AWS_CONFIG_FILE: awsConfig }
  const remote = { TYPE: 's3', PROVIDER: 'Other', ENDPOINT: gateway.s3Url, REGION: region, ENV_AUTH: 'true' }
  const rclone = Object.fromEntries(Object.entries(remote).map(([name, value]) => [`RCLONE_CONFIG_SVC_${name}`, value]))
  env = { PATH: process.env.PATH, HOME: dir.path, RCLONE_CONFIG: join(dir.path, 'rclone.conf'), ...aws, ...rclone }
  writeFileSync(join(dir.path, 'rclone.conf'), '')
})

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  dir[Symbol.dispose]()
})

async function run(program: string, ...args: readonly string[]): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    env: { ...env },
    timeout: runMs,
    encoding: 'buffer',
    maxBuffer: 1024 * 1024,
  })
  return stdout
}

const listedSizes = (listing: Buffer, pattern: RegExp) =>
  [...listing.toString().matchAll(pattern)].map(([, size]) => Number(size)).toSorted()

test.skipIf(isAwsMissing)('the AWS command line makes a bucket, puts, gets, gets a part and lists', { timeout: runMs }, async () => {
  await run('aws', 's3', 'mb', 's3://by-aws')
  // A start of this program costs seconds of CPU, so one run copies all files.
  await run('aws', 's3', 'cp', '--recursive', '--no-progress', join(dir.path, 'files'), 's3://by-aws/')
  await run('aws', 's3', 'cp', '--recursive', '--no-progress', 's3://by-aws/', join(dir.path, 'back'))
  for (const { path, sha256 } of files) expect(await sha256OfFile(join(dir.path, 'back', basename(path)))).toBe(sha256)
  for (const { path, part } of [files[0], files.at(-1)].filter((file) => file !== undefined)) {
    await run('aws', 's3api', 'get-object', '--bucket', 'by-aws', '--key', basename(path), '--range', clientRange.header, `${path}.part`)
    expect(readFileSync(`${path}.part`).equals(part)).toBe(true)
  }
  expect(listedSizes(await run('aws', 's3', 'ls', 's3://by-aws/'), /\s(\d+) size-/g)).toEqual(clientSizes.toSorted())
})

test.skipIf(isRcloneMissing)('rclone makes a bucket, copies there and back, reads a part and lists', { timeout: runMs }, async () => {
  await run('rclone', 'mkdir', 'svc:by-rclone')
  for (const { path, sha256, part } of files) {
    const key = `svc:by-rclone/${basename(path)}`
    await run('rclone', 'copyto', path, key)
    await run('rclone', 'copyto', key, `${path}.back-again`)
    expect(await sha256OfFile(`${path}.back-again`)).toBe(sha256)
    const count = String(clientRange.end - clientRange.start + 1)
    expect((await run('rclone', 'cat', '--offset', String(clientRange.start), '--count', count, key)).equals(part)).toBe(true)
  }
  expect(listedSizes(await run('rclone', 'ls', 'svc:by-rclone'), /\s*(\d+) size-/g)).toEqual(clientSizes.toSorted())
})
