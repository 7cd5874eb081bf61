/** The gate of a release: the package, the archive and the Debian package work without the clone, for another user, without a network. */

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basicAuth } from '#kernel/testing'
import { packPackage } from '../../tools/pack/pack-package.ts'
import { packageName } from '../../tools/pack/package-shape.ts'
import { assembleTree, readTemplate } from '../../tools/pack/portable/assemble-tree.ts'
import { makeDebianPackage } from '../../tools/pack/portable/debian-package.ts'
import { createAdminCalls } from '../fixtures/admin-calls.ts'
import { connectS3 } from '../fixtures/s3-client.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { compileFiles } from './compile-files.ts'
import { installPackage } from './install-package.ts'
import { nextMigration, nextVersion, packNextRelease } from './next-package.ts'
import { createService, migrationsOf } from './served-package.ts'
import { createStranger, type Stranger } from './stranger.ts'
import { writePages, writePlugin } from './typed-plugins.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Two busy processors need minutes. */
const packMs = 400_000
const devMs = 180_000
const packedMbMax = 6
const installedMbMax = 60
/** The kernel without its parts, the tables of contents of all plugins, and the parser of the command line. */
const helpBytesMax = 400_000

interface Ready {
  readonly base_url: string
  readonly s3_url: string
  readonly admin: { readonly username: string; readonly password: string }
  readonly s3: { readonly access_key: string; readonly secret_key: string }
  readonly config: string
}

const hasDebianTools = spawnSync('dpkg-deb', ['--version']).status === 0
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

const home = temporaryDirectory()
let packed: Awaited<ReturnType<typeof packPackage>>
let user: Stranger
let svc: string
let installed: string
/** The unpacked archive. */
let tree: string

beforeAll(async () => {
  user = createStranger(home.path)
  packed = await packPackage(join(home.path, 'made'))
  tree = join(home.path, 'tree')
  assembleTree(packed.folder, tree)
  installed = await installPackage(packed.path, user, join(home.path, 'registry'))
  svc = join(user.dir, 'node_modules/.bin/svc')
}, packMs)
afterAll(() => home[Symbol.dispose]())

test('the package and its installation are small, and contain neither sources of the program nor tools', async () => {
  expect(packed.packedBytes).toBeLessThan(packedMbMax * 1_000_000)
  expect(sizeOf(join(user.dir, 'node_modules'), (path) => !path.startsWith('@foundry-rs'))).toBeLessThan(installedMbMax * 1_000_000)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['better-sqlite3', '@chainsafe/hashtree'])
  expect(existsSync(join(installed, 'kernel/index.ts'))).toBe(false)
})

function sizeOf(folder: string, isCounted: (path: string) => boolean): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isCounted)
  return paths.map((path) => lstatSync(join(folder, path))).reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
}

test('every bundled package is listed with its licence', () => {
  const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const bill = JSON.parse(readFileSync(join(installed, 'bom.cdx.json'), 'utf8'))
  const listed = bill.components.map(({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name))
  for (const name of ['fastify', '@mikro-orm/core', 'viem', 'pg', 'pino', '@builder.io/qwik', 'better-sqlite3'])
    expect(listed).toContain(name)
  expect(listed).not.toContain('vitest')
  for (const name of ['fastify', 'viem', 'pg', '@builder.io/qwik']) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
})

test('svc tells version and commit, and svc --help loads no server', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { commit } = JSON.parse(readFileSync(join(installed, 'build.json'), 'utf8'))
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(await user.run(svc, ['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`svc ${version} (commit ${commit}`),
    stderr: '',
  })
  const hook = join(user.dir, 'loaded.mjs')
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    process.on('exit', () => process.stderr.write(urls.join('\\n')))`,
  )
  const { stdout, stderr } = await user.run('node', ['--import', pathToFileURL(hook).href, svc, '--help'])
  expect(stdout).toContain('svc serve')
  const files = stderr.split('\n').filter((url) => url.startsWith('file:'))
  expect(files.length).toBeGreaterThan(1)
  const code = files.map((url) => readFileSync(new URL(url), 'utf8')).join('')
  expect(code.length).toBeLessThan(helpBytesMax)
  expect(code).not.toContain('FST_ERR_')
})

test('init, dev, objects, dashboard, a plugin of a folder, doctor and stop', { timeout: 2 * devMs }, async () => {
  const init = await user.run(svc, ['init', '--dir', join(user.dir, 'real')])
  expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('Next: ') })
  const config = join(user.dir, 'real', 'config.toml')
  const key = { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) }
  expect(await user.run(svc, ['config', 'validate', '-c', config], key)).toMatchObject({ code: 0 })

  const dev = ['dev', '--dir', 'dev', '--s3-port', '0', '--admin-port', '0', '--providers', '3']
  const readReady = (): Ready => JSON.parse(readFileSync(join(user.dir, 'dev/ready.json'), 'utf8'))
  const object = { Bucket: 'first', Key: 'folder/note.txt' }
  const body = 'from the package '.repeat(100)
  {
    await using gateway = user.start(svc, dev)
    await gateway.line(/svc is ready/)
    const ready = readReady()
    const s3 = connectS3(ready.s3_url, ready.s3)
    await s3.send(new CreateBucketCommand({ Bucket: object.Bucket }))
    const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ ...object, Body: body, ChecksumAlgorithm: 'CRC32C' }))
    expect(await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
    s3.destroy()
    const page = await (await fetch(ready.base_url)).text()
    const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+\.js)"/.exec(page) ?? []
    const answer = await fetch(new URL(script, ready.base_url))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])
    const calls = createAdminCalls(ready.base_url, ready.admin)
    expect(await calls.call('GET', '/metrics')).toMatchObject({ status: 200, text: expect.stringContaining('process_cpu_seconds_total') })
    await waitForCopies(calls, { bucket: object.Bucket, versionId }, { copies: 1 })
    const quiet = expect.not.stringMatching(/Error|cannot be built/)
    expect(await gateway.stop()).toMatchObject({ code: 0, stdout: quiet, stderr: quiet })
  }

  cpSync(join(root, 'examples/plugin-hello'), join(user.dir, 'plugins/hello'), { recursive: true })
  const devConfig = join(user.dir, 'dev/gateway/config.toml')
  writeFileSync(devConfig, withPlugin(readFileSync(devConfig, 'utf8'), join(user.dir, 'plugins/hello')))
  expect(await user.run(svc, ['hello', 'Ada', '-c', devConfig])).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' })
  expect(await user.run(svc, ['plugins', 'pages', '-c', devConfig])).toMatchObject({ code: 0, stdout: expect.stringContaining('/buckets') })
  {
    await using gateway = user.start(svc, dev)
    await gateway.line(/svc is ready/)
    const ready = readReady()
    const s3 = connectS3(ready.s3_url, ready.s3)
    expect(await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
    s3.destroy()
    const authorization = basicAuth(ready.admin.username, ready.admin.password)
    const hello = await fetch(`${ready.base_url}/api/v1/hello?name=Ada`, { headers: { authorization } })
    expect(await hello.json()).toEqual({ message: 'Hello, Ada!' })
    const { stdout } = await user.run(svc, ['doctor', '--online', '--json', '-c', devConfig])
    const checks = (JSON.parse(stdout) as { checks: { name: string; state: string }[] }).checks
    expect(checks.filter(({ state }) => state === 'ok').length).toBeGreaterThan(10)
    expect(checks.filter(({ state }) => state === 'found').map(({ name }) => name)).toEqual([])
    expect(await gateway.stop()).toMatchObject({ code: 0 })
  }
})

/** The generated file documents the key in a comment. */
function withPlugin(toml: string, path: string): string {
  const line = `packages = [${JSON.stringify(path)}]`
  return toml.includes('\n[plugins]\n') ? toml.replace('\n[plugins]\n', `\n[plugins]\n${line}\n`) : `${toml}\n[plugins]\n${line}\n`
}

test('taken ports are named with the flags that choose others', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const run = await user.run(svc, ['dev', '--dir', 'other', '--s3-port', String(port), '--admin-port', '0'])
  server.close()
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining(`in use by another program on 127.0.0.1: --s3-port ${port}`) })
})

test('without the chain svc dev says how to install it', async () => {
  // Above the user's folder there is no chain.
  const bare = join(home.path, 'bare')
  cpSync(installed, join(bare, 'node_modules', packageName), { recursive: true })
  const program = join(bare, 'node_modules', packageName, 'cli/svc.js')
  const run = await user.run('node', [program, 'dev', '--dir', 'third', '--s3-port', '0', '--admin-port', '0'])
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/svc dev needs a local chain.*npm install @foundry-rs\/anvil@\d/) })
})

test('a plugin compiles against the declarations, and a wrong one does not', () => {
  expect(compileFiles(writePlugin(join(user.dir, 'plugins/typed')))).toEqual([
    expect.stringMatching(/^wrong\.ts: Type 'number' is not assignable to type 'string'/),
    expect.stringMatching(/^wrong\.ts: Type 'ServiceRef<Objects>' is not assignable to type 'number'/),
  ])
})

test('pages compile against the declarations of the kit and of all endpoints, and wrong ones do not', () => {
  expect(compileFiles(writePages(join(user.dir, 'plugins/paged'), installed), 'pages')).toEqual([
    expect.stringMatching(/^wrong\.ts: Type 'string' is not assignable to type 'number'/),
    expect.stringMatching(/^wrong\.ts: Type 'number' is not assignable to type 'string'/),
    expect.stringMatching(/^wrong\.ts: Argument of type '"GET \/nothing"' is not assignable/),
    expect.stringMatching(/^wrong\.ts: Type '"no-icon"' is not assignable to type/),
  ])
})

test('without the build tools svc plugins build prints the line that installs them', async () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'ui/package.json'), 'utf8')) as { dependencies: Record<string, string> }
  const tools = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  const run = await user.run(svc, ['plugins', 'build', '--out', 'dashboard'])
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(`: npm install --save-dev --save-exact ${tools.join(' ')}\n$`) })
  expect(existsSync(join(user.dir, 'dashboard'))).toBe(false)
})

test('the archive runs without any other Node, and installs, again and away', { timeout: devMs }, async () => {
  const bare = { PATH: '/usr/bin:/bin' }
  expect(await user.run(join(tree, 'bin/svc'), ['version'], bare)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc \d/) })
  const prefix = join(user.dir, 'a prefix')
  const install = (...args: string[]) => user.run(join(tree, 'install.sh'), ['--user', '--prefix', prefix, ...args], bare)
  for (const _again of [1, 2]) {
    const run = await install()
    expect(run, JSON.stringify(run)).toMatchObject({ code: 0, stdout: expect.stringContaining('Next: ') })
  }
  const linked = { PATH: `${join(prefix, 'bin')}:/usr/bin:/bin` }
  const init = await user.run('svc', ['init', '--dir', join(user.dir, 'portable')], linked)
  expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('\nNext: svc serve --config ') })
  // The database is opened by the native packages of the archive.
  const key = { ...linked, SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) }
  expect(await user.run('svc', ['migrate', '-c', join(user.dir, 'portable/config.toml')], key)).toMatchObject({ code: 0 })
  const licence = readFileSync(join(tree, 'LICENSE'))
  writeFileSync(join(tree, 'LICENSE'), 'another text')
  expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('a file differs from SHA256SUMS') })
  writeFileSync(join(tree, 'LICENSE'), licence)
  expect(await user.run('svc', ['version'], linked)).toMatchObject({ code: 0 })
  expect(await install('--uninstall')).toMatchObject({ code: 0 })
  expect(readdirSync(prefix, { recursive: true })).toEqual(expect.not.arrayContaining(['lib/svc', 'bin/svc']))
  expect(existsSync(join(user.dir, 'portable/config.toml'))).toBe(true)
})

test.runIf(hasDebianTools)('the Debian package installs, upgrades and is purged', { timeout: devMs }, async () => {
  const path = makeDebianPackage(tree, home.path)
  const system = join(home.path, 'system')
  for (const folder of ['info', 'updates']) mkdirSync(join(system, 'var/lib/dpkg', folder), { recursive: true })
  writeFileSync(join(system, 'var/lib/dpkg/status'), '')
  const dpkg = (...args: string[]) =>
    spawnSync(
      'dpkg',
      [`--root=${system}`, '--force-script-chrootless', '--force-depends', '--force-not-root', '--log=/dev/null', ...args],
      {
        encoding: 'utf8',
      },
    )
  for (const _upgrade of [1, 2]) expect(dpkg('-i', path)).toMatchObject({ status: 0 })
  expect(await user.run(join(system, 'usr/bin/svc'), ['version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc \d/) })
  expect(readFileSync(join(system, 'usr/lib/systemd/system/svc.service'), 'utf8')).toContain('ExecStart=/usr/lib/svc/cli/start-service.sh')
  expect(dpkg('--purge', 'svc-gateway')).toMatchObject({ status: 0 })
  expect(existsSync(join(system, 'usr/lib/svc'))).toBe(false)
})

test.runIf(hasSystemd)('systemd accepts the unit, and rates it as hardened', () => {
  const unit = join(home.path, 'svc.service')
  writeFileSync(unit, readTemplate('svc.service').replaceAll('@lib@', packed.folder))
  expect(spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const { status } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
  expect(status).toBe(0)
})

// The last test, because it replaces the installed package.
test('a later release that is installed over this one migrates a copied database, which this one then refuses', {
  timeout: 2 * devMs,
}, async () => {
  const later = await packNextRelease(packed.folder, join(home.path, 'later'))
  const service = await createService(user, svc, 'upgraded')
  const object = { Bucket: 'kept', Key: 'note.txt' }
  const body = 'stored before the upgrade '.repeat(20)
  const reader = await service.whileServed(async (gateway) => {
    const s3User = await gateway.createUser()
    const s3 = gateway.connect(s3User)
    await s3.send(new CreateBucketCommand({ Bucket: object.Bucket }))
    await s3.send(new PutObjectCommand({ ...object, Body: body }))
    return s3User
  })
  await installPackage(later, user, join(home.path, 'registry'))
  expect(await service.migrate('--status')).toMatchObject({ pending: [nextMigration], backups: [] })
  await service.whileServed(async (gateway) => {
    expect(await (await gateway.connect(reader).send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
  })
  const { backups, ...state } = await service.migrate('--status')
  expect(state).toMatchObject({ pending: [], readable_by: nextVersion })
  expect(migrationsOf(backups[0].path)).toHaveLength(state.applied - 1)
  expect(migrationsOf(backups[0].path)).not.toContain(nextMigration)
  expect(await service.migrate('--forget-backup')).toMatchObject({ removed: [{ path: backups[0].path }] })
  expect(existsSync(backups[0].path)).toBe(false)
  // The archive has the earlier release.
  expect(await service.fail(join(tree, 'bin/svc'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Start svc ${nextVersion}, which can read it`),
  })
})
