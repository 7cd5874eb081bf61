/** The process that starts svc on the pinned Node, and npm in front of it: signals and the end of one process reach all others. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { oldNodeFlags } from '../../cli/testing/old-node.ts'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { writeConfig } from '../fixtures/gateways/gateway.ts'
import { needsSources } from '../fixtures/needs-sources.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: { readonly start: string } }
const withPinnedNode = needsSources('a package brings no Node of its own')
const withNpm = needsSources('npm start belongs to the clone')
const environment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

const stack = new DisposableStack()
afterAll(() => stack.dispose())
const newDirectory = () => stack.use(temporaryDirectory()).path

interface Tree {
  readonly outermost: ChildProcess
  readonly adminUrl: string
  /** Resolves with the text of standard error when every process that inherited it has ended. */
  readonly allEnded: Promise<string>
}

/** Starts a session of processes. */
function startSession(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, { cwd, env: { ...environment, HOME: cwd }, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  // Ends what a failed test leaves.
  stack.defer(() => void (child.pid !== undefined && endGroup(child.pid)))
  return child
}

/** Starts processes of which the last one is a gateway, and waits until it serves. */
async function startTree(command: string, args: readonly string[], cwd: string): Promise<Tree> {
  const child = startSession(command, args, cwd)
  const lines: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    if (line.includes('"admin":"')) resolve(JSON.parse(line).admin)
  })
  const allEnded = new Promise<string>((ended) => reader.once('close', () => ended(lines.join('\n'))))
  void allEnded.then((output) => reject(new Error(`ended before it served:\n${output}`)))
  return { outermost: child, adminUrl: await promise, allEnded }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function startSupervised(): Promise<Tree> {
  const dir = newDirectory()
  return startTree(process.execPath, [...oldNodeFlags, svcProgram, 'serve', '--config', await writeConfig(dir, {})], dir)
}

/** `npm start`, except that it starts `svc serve` in place of `svc dev`, which needs a chain. */
async function startWithNpm(): Promise<Tree> {
  const dir = newDirectory()
  const start = scripts.start.replace('tools/run.mjs', join(root, 'tools/run.mjs')).replace(/ dev$/, ' serve')
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'npm-start', version: '1.0.0', scripts: { start } }))
  return startTree('npm', ['start', '--', '--config', await writeConfig(dir, {})], dir)
}

const isServing = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s to the supervisor alone stops the gateway in order',
  withPinnedNode,
  async (name) => {
    const { outermost, adminUrl, allEnded } = await startSupervised()
    const exit = once(outermost, 'exit')
    outermost.kill(name)
    expect(await allEnded).toContain(`"signal":"${name}"`)
    expect([await exit, await isServing(adminUrl)]).toEqual([[0, null], false])
  },
)

test.concurrent('the gateway stops in order when its supervisor is killed', withPinnedNode, async () => {
  const { outermost, adminUrl, allEnded } = await startSupervised()
  outermost.kill('SIGKILL')
  expect(await allEnded).toContain('"signal":"SIGTERM"')
  expect(await isServing(adminUrl)).toBe(false)
})

test.concurrent('without a parent, a terminal or an input the gateway continues', withPinnedNode, async () => {
  const dir = newDirectory()
  const supervised = [process.execPath, ...oldNodeFlags, svcProgram, 'serve', '--config', await writeConfig(dir, {})]
  const command = `${supervised.map((word) => `'${word}'`).join(' ')} < /dev/null & echo "$!" > supervisor`
  const { outermost, adminUrl, allEnded } = await startTree('sh', ['-c', command], dir)
  await until('the end of the shell', async () => outermost.exitCode ?? undefined, { everyMs: 20 })
  expect(await isServing(adminUrl)).toBe(true)
  process.kill(Number(readFileSync(join(dir, 'supervisor'), 'utf8')), 'SIGTERM')
  expect(await allEnded).toContain('"signal":"SIGTERM"')
})

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s to npm alone stops what npm start runs', withNpm, async (name) => {
  const { outermost, adminUrl, allEnded } = await startWithNpm()
  outermost.kill(name)
  expect(await allEnded).toContain(`"signal":"${name === 'SIGKILL' ? 'SIGTERM' : name}"`)
  expect(await isServing(adminUrl)).toBe(false)
})

test.concurrent('SIGINT to npm alone stops the gateway, the providers and the chain of npm start', {
  timeout: 240_000,
  ...withNpm,
}, async () => {
  const dir = newDirectory()
  const flags = ['--dir', join(dir, 'dev'), '--s3-port', '0', '--admin-port', '0', '--providers', '1']
  const npm = startSession('npm', ['--prefix', root, 'start', '--', ...flags], dir)
  const output = text(npm.stderr)
  const readyPath = join(dir, 'dev', 'ready.json')
  await until('npm start', async () => existsSync(readyPath) || undefined, { withinMs: 200_000 })
  const ready = JSON.parse(readFileSync(readyPath, 'utf8'))
  const [{ service_url: provider }] = ready.providers
  const chain = JSON.parse(readFileSync(ready.devnet_info, 'utf8')).info.lotus.host_rpc_url
  const urls: readonly string[] = [ready.base_url, ready.s3_url, ready.control_url, provider, chain]
  expect(await Promise.all(urls.map(isServing))).not.toContain(false)
  npm.kill('SIGINT')
  expect(await output).toMatch(/Stopping\nStopped\.\n$/)
  expect(await Promise.all(urls.map(isServing))).not.toContain(true)
})
