// CPU time of the threads of another process. Linux only; undefined on other systems.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

interface CpuTime {
  /** Microseconds since the start of the process. */
  readonly mainThread: number
  readonly allThreads: number
}

const idleShareMax = 0.1
const idlePollMs = 50
const idlePollsMax = 20

export function cpuTimeOf(pid: number): CpuTime | undefined {
  try {
    const tasks = `/proc/${pid}/task`
    const micros = (thread: string): number => Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
    return { mainThread: micros(String(pid)), allThreads: readdirSync(tasks).reduce((sum, thread) => sum + micros(thread), 0) }
  } catch {
    // Not Linux, or a thread has ended: no value.
    return undefined
  }
}

/** Resolves when the process is idle (under 10 % of a CPU), at the latest after a second. */
export async function waitUntilIdle(pid: number): Promise<void> {
  let before = cpuTimeOf(pid)?.allThreads ?? 0
  for (let poll = 0; poll < idlePollsMax; poll++) {
    await pause(idlePollMs)
    const now = cpuTimeOf(pid)?.allThreads ?? 0
    if (now - before < idlePollMs * 1000 * idleShareMax) return
    before = now
  }
}
