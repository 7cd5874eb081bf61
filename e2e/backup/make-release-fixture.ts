/**
 * `node tools/run.mjs e2e/backup/make-release-fixture.ts --from <checkout> --name 0010`: runs an earlier release, stores objects, and keeps
 * its database and cached files in `releases/<name>`, which `releases.test.ts` opens.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { CreateBucketCommand, DeleteObjectCommand } from '@aws-sdk/client-s3'
import { freePort } from '../fixtures/free-port.ts'
import { createGatewayCalls, writeConfig } from '../fixtures/gateways/gateway.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'
import { put } from './load.ts'

const { values } = parseArgs({ options: { from: { type: 'string' }, name: { type: 'string' } } })
if (values.from === undefined || values.name === undefined) throw new Error('name a checkout with --from and the fixture with --name')
const target = fileURLToPath(new URL(`./releases/${values.name}`, import.meta.url))
using place = temporaryDirectory()
const [s3Port, adminPort] = [await freePort(), await freePort()]
// An earlier release may not have the setting.
const settings = { 'packs.default': undefined, 'server.port': `127.0.0.1:${s3Port}`, 'admin.addr': `127.0.0.1:${adminPort}` }
const configPath = await writeConfig(place.path, { dir: place.path, settings })
const calls = createGatewayCalls({ admin: `http://127.0.0.1:${adminPort}`, s3: `http://127.0.0.1:${s3Port}` })
const child = spawn(process.execPath, [join(resolve(values.from), 'cli', 'svc.js'), 'serve', '--config', configPath], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
const user = await until('the release', () => calls.createUser().catch(() => undefined))
const s3 = calls.connect(user)
const bucket = 'kept'
await s3.send(new CreateBucketCommand({ Bucket: bucket }))
const kept = [
  await put(s3, bucket, 'overwritten', randomBytes(300)),
  await put(s3, bucket, 'overwritten', randomBytes(400)),
  await put(s3, bucket, 'folder/large', randomBytes(20_000)),
  await put(s3, bucket, 'hidden', randomBytes(500)),
]
await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'hidden' }))
child.kill('SIGTERM')
await once(child, 'exit')
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const file = join(place.path, 'db', 'svc.db')
{
  using database = new DatabaseSync(file)
  database.exec('pragma journal_mode = delete; vacuum')
}
writeFileSync(join(target, 'svc.db.gz'), gzipSync(readFileSync(file), { level: 9 }))
cpSync(join(place.path, 'cache'), join(target, 'cache'), { recursive: true, filter: (path) => !/svc\.lock/.test(path) })
const objects = kept.map(({ key, versionId, bytes }) => ({ key, versionId, bytes: bytes.toString('base64') }))
writeFileSync(join(target, 'objects.json'), `${JSON.stringify({ user, objects }, null, 1)}\n`)
