// Starts one variant in a process of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { VariantName } from './variants.ts'

const startMsMax = 60_000
const kibPerMib = 1024

export interface Variant extends AsyncDisposable {
  readonly name: VariantName
  readonly port: number
  readonly pids: readonly number[]
  /** 99th percentile of the event-loop delay since the call before, of the slowest loop, in milliseconds. */
  takeLoopDelay(): Promise<number>
  /** Resident memory of all processes, MiB. */
  residentMib(): number
}

export async function startVariant(name: VariantName, dir: string): Promise<Variant> {
  await mkdir(dir)
  const child = fork(fileURLToPath(new URL('variant-server.ts', import.meta.url)), [name, dir], {
    execArgv: [],
    // The pool as large as that of the gateway.
    env: { ...process.env, NODE_OPTIONS: '', UV_THREADPOOL_SIZE: '64' },
  })
  const { port, pids } = await nextMessage<{ readonly port: number; readonly pids: readonly number[] }>(child)
  return {
    name,
    port,
    pids,
    async takeLoopDelay() {
      const answer = nextMessage<{ readonly delays: readonly number[] }>(child)
      child.send('delay')
      return Math.max(...(await answer).delays)
    },
    residentMib: () => pids.reduce((mib, pid) => mib + residentKib(pid) / kibPerMib, 0),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const stop = new AbortController()
  const ended = once(child, 'exit', { signal: stop.signal }).then(([code]) => {
    throw new Error(`the process of a variant ended with ${code}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(startMsMax) }), ended])
    return message as T
  } finally {
    stop.abort()
    ended.catch(() => {})
  }
}

const residentKib = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
