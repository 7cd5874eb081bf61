/** Runs the local chain and its simulated storage providers as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CommandError } from '#kernel'

export interface DevnetReady {
  /** Path of its devnet-info.json. */
  readonly info: string
  readonly control_url: string
  readonly rpc_url: string
  readonly providers: readonly { readonly provider_id: number | string; readonly service_url: string }[]
}

interface DevnetProcess extends AsyncDisposable {
  readonly ready: DevnetReady
  /** Resolves with the exit code or signal and the last lines when the process ends. */
  readonly ended: Promise<string>
}

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>
}

interface DevnetRequest {
  readonly dir: string
  readonly providers: number
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

/** The first start deploys the contracts; two busy processors need up to a minute. */
const startMs = 120_000
/** Includes the time to write the state of the chain. */
const stopMs = 20_000
/** Keeps the garbage of the requests at each block from taking 15 MB more before V8 collects it. */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size']
const chainPackage = '@foundry-rs/anvil'
/** Lines of standard error quoted when it ends unexpectedly. */
const lastLinesMax = 5

/** Resolves when the providers answer. A failed start leaves no process behind. */
export async function startDevnet({ dir, providers, log, signal }: DevnetRequest): Promise<DevnetProcess> {
  requireChain()
  // Is a source or built, as this file is.
  const program = fileURLToPath(new URL(`../../devnet/main${extname(import.meta.url)}`, import.meta.url))
  // Runs in a separate process group, because Ctrl-C must stop the gateway first, while its chain still answers.
  const child = spawn(process.execPath, [...smallHeap, program, '--dir', dir, '--providers', String(providers)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const lastLines = keepLastLines(child, log)
  // `close` rather than `exit`, so that all of its standard error is read.
  const ended = once(child, 'close').then(
    ([code, name]) => [`the devnet ended (${name ?? code})`, lastLines.join('; ')].filter(Boolean).join(': '),
    (error: Error) => `the devnet could not be started: ${error.message}`,
  )
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    child.stdin.end()
    await ended
    clearTimeout(timer)
  }
  try {
    return { ready: await waitUntilReady(child, ended, signal), ended, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    signal.throwIfAborted()
    throw new CommandError(`${(error as Error).message}; svc dev --fresh deletes the data and starts a new chain`, { cause: error })
  }
}

/** A package is installed without the chain, which only `svc dev` needs. */
function requireChain(): void {
  try {
    import.meta.resolve(`${chainPackage}/package.json`)
  } catch (cause) {
    const { peerDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest
    const step = peerDependencies ? `npm install ${chainPackage}@${peerDependencies[chainPackage]}, with -g if svc is global` : 'npm ci'
    throw new CommandError(`svc dev needs a local chain, which is not installed; install it where svc is: ${step}`, { cause })
  }
}

function keepLastLines(child: ChildProcess, log: (line: string) => void): readonly string[] {
  const lastLines: string[] = []
  if (!child.stderr) return lastLines
  createInterface({ input: child.stderr }).on('line', (line) => {
    log(line)
    if (line.trim() !== '') lastLines.push(line.trim())
    if (lastLines.length > lastLinesMax) lastLines.shift()
  })
  return lastLines
}

/** The devnet prints one JSON line when the chain and the providers answer. */
async function waitUntilReady(child: ChildProcess, ended: Promise<string>, signal: AbortSignal): Promise<DevnetReady> {
  if (!child.stdout) throw new Error('the devnet was started without output')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)])
  const lines = createInterface({ input: child.stdout })
  const failed = ended.then((why) => {
    throw new Error(why)
  })
  // The loser of the race has no handler.
  failed.catch(() => {})
  const [line] = (await Promise.race([once(lines, 'line', { signal: limit }), failed]).catch((error: unknown) => {
    signal.throwIfAborted()
    throw limit.aborted ? new Error(`the devnet was not ready within ${startMs / 1000} s`, { cause: error }) : error
  })) as [string]
  child.stdout.resume()
  return JSON.parse(line) as DevnetReady
}
