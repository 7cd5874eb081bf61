/** The gate of a release: what npm installs from the package works without the clone, for another user, without a network. */

import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basicAuth } from '#kernel/testing'
import { packPackage } from '../../tools/pack/pack-package.ts'
import { packageName } from '../../tools/pack/package-shape.ts'
import { connectS3 } from '../fixtures/s3-client.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { startLocalRegistry } from './local-registry.ts'
import { createStranger, type Stranger } from './stranger.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packMs = 120_000
const devMs = 120_000
const packedMbMax = 6
const installedMbMax = 60
const chain = '@foundry-rs/anvil'

interface Ready {
  readonly base_url: string
  readonly s3_url: string
  readonly admin: { readonly username: string; readonly password: string }
  readonly s3: { readonly access_key: string; readonly secret_key: string }
  readonly config: string
}

const home = temporaryDirectory()
let packed: Awaited<ReturnType<typeof packPackage>>
let user: Stranger
let svc: string
let installed: string

beforeAll(async () => {
  user = createStranger(home.path)
  packed = await packPackage(join(home.path, 'made'))
  svc = join(user.dir, 'node_modules/.bin/svc')
  installed = join(user.dir, 'node_modules', packageName)
  await using registry = await startLocalRegistry(join(home.path, 'registry'))
  const install = ['install', packed.path, chain, '--registry', registry.url, '--cache', join(user.dir, '.npm-cache')]
  // The empty folder that a user starts with; a folder above it could be taken for the project.
  writeFileSync(join(user.dir, 'package.json'), '{}')
  const { code, stderr } = await user.run('npm', [...install, '--ignore-scripts', '--no-audit', '--no-fund'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
}, packMs)
afterAll(() => home[Symbol.dispose]())

test('the package and its installation are small, and contain neither sources nor tools', async () => {
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

test('svc tells version and commit, and its commands load late', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { commit } = JSON.parse(readFileSync(join(installed, 'build.json'), 'utf8'))
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(await user.run(svc, ['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`svc ${version} (commit ${commit}`),
    stderr: '',
  })
  const { stdout } = await user.run(svc, ['--help'], { NODE_DEBUG: 'esm' })
  expect(stdout).toContain('svc serve')
})

test('init, dev, objects, dashboard, a plugin of a folder, doctor and stop', { timeout: 2 * devMs }, async () => {
  const init = await user.run(svc, ['init', '--dir', join(user.dir, 'real')])
  expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('Next: ') })
  const config = join(user.dir, 'real', 'config.toml')
  expect(await user.run(svc, ['config', 'validate', '-c', config])).toMatchObject({ code: 0 })

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
    await s3.send(new PutObjectCommand({ ...object, Body: body }))
    expect(await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
    s3.destroy()
    const page = await (await fetch(ready.base_url)).text()
    const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+\.js)"/.exec(page) ?? []
    const answer = await fetch(new URL(script, ready.base_url))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])
    expect(await gateway.stop()).toMatchObject({ code: 0 })
  }

  cpSync(join(root, 'examples/plugin-hello'), join(user.dir, 'plugins/hello'), { recursive: true })
  const { config: devConfig } = { config: join(user.dir, 'dev/gateway/config.toml') }
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
  const folder = join(user.dir, 'plugins/typed')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'right.ts'),
    `import { definePlugin, type Plugin } from '${packageName}/kernel'\nimport { objects } from '${packageName}/plugins/storage'\nexport const plugin: Plugin = definePlugin({ id: 'typed', contributes: [] })\nexport const named: string = objects.name\n`,
  )
  writeFileSync(
    join(folder, 'wrong.ts'),
    `import { definePlugin } from '${packageName}/kernel'\nexport const plugin = definePlugin({ id: 1, contributes: [] })\n`,
  )
  const problems = compile(['right.ts', 'wrong.ts'].map((name) => join(folder, name)))
  expect(problems).toEqual([expect.stringMatching(/^wrong\.ts: Type 'number' is not assignable to type 'string'/)])
})

function compile(files: readonly string[]): readonly string[] {
  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    types: [],
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
}
