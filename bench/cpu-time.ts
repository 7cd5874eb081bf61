// How long threads of other processes have been on a processor, as Linux tells it; elsewhere nothing is known.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface CpuTime {
  /** Microseconds since the start of the process. */
  readonly mainThread: number
  readonly allThreads: number
}

const idleShareMax = 0.1
const idleLookMs = 50
const idleLooksMax = 20

export function cpuTimeOf(pid: number): CpuTime | undefined {
  try {
    const tasks = `/proc/${pid}/task`
    const micros = (thread: string): number => Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
    return { mainThread: micros(String(pid)), allThreads: readdirSync(tasks).reduce((sum, thread) => sum + micros(thread), 0) }
  } catch {
    // Not Linux, or a thread ended meanwhile: the measurement goes on without this figure.
    return undefined
  }
}

/** Resolves when the process has done what it put off, at the latest after a second. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let before = cpuTimeOf(pid)?.allThreads ?? 0
  for (let look = 0; look < idleLooksMax; look++) {
    await pause(idleLookMs)
    const now = cpuTimeOf(pid)?.allThreads ?? 0
    if (now - before < idleLookMs * 1000 * idleShareMax) return
    before = now
  }
}
