// Runs one anvil process that ends with its owner.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithOwner } from '../end-with-owner.ts'
import { findAnvil } from './anvil-package.ts'
import { LOOPBACK, PortTakenError, requireFreePort } from './port.ts'
import { CHAIN_ID, createAnvilCall } from './rpc.ts'

/** Filecoin's block limit; large view calls need more than anvil's default. */
const GAS_LIMIT = 10_000_000_000
/** States kept in memory for reads at older blocks and for reorganisations, which go back 64 blocks. */
const HISTORY_BLOCKS = 80
/** Only a power failure loses more: at any other end of its owner anvil writes its state. */
const STATE_INTERVAL_SECONDS = 30
const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 10_000
const STOP_POLL_MS = 20

/** The state file in anvil's directory; anvil reads it at its start when it exists. */
export const STATE_FILE = 'state.json'

export interface Anvil {
  readonly rpcUrl: string
  /** Ends the process. Its state is on disk afterwards, unless it is discarded. */
  stop(): Promise<void>
}

interface AnvilOptions {
  /** Contains the state file and the process id. */
  readonly dir: string
  readonly port: number
  /** A directory to delete when the owner ends without `stop`. The state is never written then. */
  readonly discard?: string | undefined
  readonly log: (line: string) => void
}

/** @throws PortTakenError, or Error with the end of anvil's standard error when it does not start */
export async function startAnvil({ dir, port, discard, log }: AnvilOptions): Promise<Anvil> {
  mkdirSync(dir, { recursive: true })
  const statePath = join(dir, STATE_FILE)
  const pidPath = join(dir, 'anvil.pid')
  await endLeftover(pidPath, statePath)
  await requireFreePort(port, 'the devnet chain')

  const stateFlags = discard === undefined ? keepState(statePath) : loadState(statePath)
  const child = spawn(findAnvil(), anvilArguments(port, stateFlags), { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const watchdog = endWithOwner(child.pid, discard)
  try {
    await waitUntilListening(child, port)
    writeFileSync(pidPath, String(child.pid))
  } catch (error) {
    child.kill('SIGKILL')
    watchdog.kill('SIGKILL')
    throw error
  }
  const rpcUrl = `http://${LOOPBACK}:${port}`
  // Logging is off: anvil would write a line for every call.
  await createAnvilCall(rpcUrl)('anvil_setLoggingEnabled', [false])
  child.once('exit', (code, signal) => log(`anvil ended (${signal ?? code})`))
  return {
    rpcUrl,
    async stop() {
      await endChild(child, discard === undefined ? 'SIGTERM' : 'SIGKILL')
      watchdog.kill('SIGKILL')
      rmSync(pidPath, { force: true })
    },
  }
}

const keepState = (path: string) => ({ state: path, 'state-interval': STATE_INTERVAL_SECONDS })
const loadState = (path: string) => (existsSync(path) ? { 'load-state': path } : {})

function anvilArguments(port: number, stateFlags: Readonly<Record<string, string | number>>): string[] {
  const flags = {
    host: LOOPBACK,
    port,
    'chain-id': CHAIN_ID,
    'gas-limit': GAS_LIMIT,
    'prune-history': HISTORY_BLOCKS,
    ...stateFlags,
  }
  // Pages of other sites cannot send JSON without CORS, and anvil accepts only JSON.
  return ['--no-cors', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])]
}

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('anvil was started without output')
  let lastWords = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2000)
  })
  const lines = createInterface({ input: stdout })
  // Wait for its own output: an answer on the port may come from another chain.
  const listening = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('Listening on')) resolve()
    })
  })
  const failed = once(child, 'exit').then(() => {
    if (/address.*in use/i.test(lastWords)) throw new PortTakenError({ port, purpose: 'the devnet chain' }, { cause: new Error(lastWords) })
    throw new Error(`anvil did not start: ${lastWords.trim()}`)
  })
  const timer = new AbortController()
  const late = delay(START_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`anvil did not listen within ${START_TIMEOUT_MS} ms`)
  })
  try {
    await Promise.race([listening, failed, late])
  } finally {
    timer.abort()
    // Only the winner of the race is awaited.
    failed.catch(() => undefined)
    late.catch(() => undefined)
    lines.close()
    stdout.resume()
  }
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(deadline)
}

/** Ends an anvil that still writes its state after its owner was killed; two on one file would lose blocks. */
async function endLeftover(pidPath: string, statePath: string): Promise<void> {
  if (!existsSync(pidPath)) return
  const pid = Number(readFileSync(pidPath, 'utf8'))
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isOurAnvil(pid, statePath)) {
    process.kill(pid, Date.now() < deadline ? 'SIGTERM' : 'SIGKILL')
    await delay(STOP_POLL_MS)
  }
  rmSync(pidPath, { force: true })
}

function isOurAnvil(pid: number, statePath: string): boolean {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(statePath)
  } catch {
    // ps fails when there is no such process.
    return false
  }
}
