/** The steps of README.md's "Run it for real", taken from the page and run in a shell from a directory outside the clone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { needsSources } from '../fixtures/needs-sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const steps = { timeout: 180_000, ...needsSources('the chapter installs and links a clone') }

/** The commands of each code block of the chapter, without their comments. */
function readBlocks(): readonly (readonly string[])[] {
  const chapter = readFileSync(join(root, 'README.md'), 'utf8').split('\n## Run it for real\n')[1]?.split('\n## ')[0] ?? ''
  return [...chapter.matchAll(/^```\n(.*?)^```$/gms)].map(([, block = '']) =>
    block
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +#.*$/, '')),
  )
}

/** Steps that this test does not run, and why. */
const notRun: Readonly<Record<string, string>> = {
  'npm ci': 'these tests run on what it installed',
  'svc wallet fund-testnet 0x…': 'the faucets are on the Internet; the wallet is one that the local chain has funded',
}

interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const startLine = (line: string, { env, cwd }: Shell): ChildProcess =>
  spawn('sh', ['-c', `exec ${line}`.replace(/^exec (mkdir|ln|export) /, '$1 ')], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })

async function runLine(line: string, shell: Shell): Promise<string> {
  const child = startLine(line, shell)
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name]?.setEncoding('utf8').on('data', (chunk: string) => (text[name] += chunk))
  const [code] = await once(child, 'close')
  expect({ line, code, stderr: code === 0 ? '' : text.stderr }).toEqual({ line, code: 0, stderr: '' })
  return text.stdout
}

test('the steps of README.md work from a directory outside the clone, up to keys for an S3 tool', steps, async () => {
  using home = svcHome()
  await using network = await startFundedDevnet({ isFunded: false, providers: 1 })
  const [inClone = [], anywhere = []] = readBlocks()
  const env: Record<string, string | undefined> = {
    HOME: home.dir,
    PATH: [join(home.dir, '.local', 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    // A local chain and free ports instead of calibration and the usual ones.
    SVC_CHAIN_NETWORK: 'devnet',
    SVC_CHAIN_DEVNET_INFO: network.devnet.infoPath,
    SVC_CHAIN_ALLOW_PRIVATE_NETWORKS: 'true',
    SVC_SERVER_PORT: '127.0.0.1:0',
    SVC_ADMIN_ADDR: `127.0.0.1:${await freePort()}`,
  }
  for (const line of inClone) if (!notRun[line]) await runLine(line, { env, cwd: root })

  const cwd = join(home.dir, 'elsewhere')
  mkdirSync(cwd)
  const shell = { env, cwd }
  const serve = async (line: string) => {
    const child = startLine(line, shell)
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGTERM')
      await ended
    })
    if (!child.stderr) throw new Error('svc serve has no standard error')
    for await (const text of createInterface({ input: child.stderr })) if (text.includes('is running')) return text
    throw new Error('svc serve ended before it was running')
  }
  const steps: Readonly<Record<string, () => unknown>> = {
    'svc init': async () => expect(await runLine('svc init', shell)).toContain('\nNext: svc serve\n'),
    'svc wallet generate': async () => expect(await runLine('svc wallet generate', shell)).toMatch(/^Private key: 0x[0-9a-f]{64}$/m),
    'export SVC_CHAIN_PRIVATE_KEY=0x…': () => {
      env.SVC_CHAIN_PRIVATE_KEY = network.privateKey
    },
    'svc wallet deposit 5': async () => expect(await runLine('svc wallet deposit 5', shell)).toContain('Status: confirmed'),
    'svc config validate': async () => expect(await runLine('svc config validate', shell)).toContain('are valid'),
    'svc serve': async () => expect(await serve('svc serve')).toContain('mode=full'),
    'svc admin s3-user create': async () =>
      expect(await runLine('svc admin s3-user create', shell)).toMatch(/^S3 user created\nAccess key: \S+\nSecret key: \S+\n/),
  }
  // A step that the page adds, changes or drops must be added, changed or dropped here.
  expect(anywhere.filter((line) => !notRun[line])).toEqual(Object.keys(steps))
  expect([...inClone, ...anywhere]).toEqual(expect.arrayContaining(Object.keys(notRun)))
  for (const line of anywhere) await steps[line]?.()
})
