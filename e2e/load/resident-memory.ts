/** Resident memory of another process as the Linux kernel counts it, without its page cache. Linux only. */
import { readFileSync, writeFileSync } from 'node:fs'

export const mib = 1024 * 1024

interface ResidentMemory {
  /** Current resident memory. */
  readonly bytes: number
  /** Peak since process start or `resetPeak`; the kernel tracks it, so sampling cannot miss it. */
  readonly peakBytes: number
}

export function readResidentMemory(pid: number): ResidentMemory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
    if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${name}`)
    return Number(kib) * 1024
  }
  return { bytes: read('VmRSS'), peakBytes: read('VmHWM') }
}

/** Resets the peak to the current resident memory. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
