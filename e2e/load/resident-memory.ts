/** How much memory another process holds, by the kernel's count. Files that the kernel caches for it are not in it. Linux only. */
import { readFileSync, writeFileSync } from 'node:fs'

export const mib = 1024 * 1024

export interface ResidentMemory {
  /** Now. */
  readonly bytes: number
  /** The most since the process began, or since `forgetPeak`: no sample can miss it. */
  readonly peakBytes: number
}

export function readResidentMemory(pid: number): ResidentMemory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
    if (kib === undefined) throw new Error(`the kernel does not tell ${name} of process ${pid}`)
    return Number(kib) * 1024
  }
  return { bytes: read('VmRSS'), peakBytes: read('VmHWM') }
}

/** The peak is counted anew, from what the process holds now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
