// Rows that say how much memory each server of a run used.
import { mib, readResidentMemory, resetPeak } from '../e2e/load/resident-memory.ts'
import type { BenchServer } from './bench-server.ts'
import type { BenchRow } from './bench-table.ts'

/** Peaks of the earlier turns, by process: a turn starts with a new peak. */
const highest = new Map<number, number>()

/** Peaks count from here. */
export function resetPeaks(servers: readonly BenchServer[]): void {
  for (const { pid } of servers) {
    if (pid === undefined) continue
    takePeak(pid)
    highest.delete(pid)
  }
}

/** Bytes, since the last call; undefined on systems other than Linux and for a process of another user. */
export function takePeak(pid: number): number | undefined {
  try {
    const { peakBytes } = readResidentMemory(pid)
    resetPeak(pid)
    highest.set(pid, Math.max(highest.get(pid) ?? 0, peakBytes))
    return peakBytes
  } catch {
    // No /proc, or its file cannot be written.
    return undefined
  }
}

export function memoryRows(label: string, servers: readonly BenchServer[]): BenchRow[] {
  return servers.flatMap((server) => {
    if (server.pid === undefined) return []
    const { bytes, peakBytes } = readResidentMemory(server.pid)
    const value = Math.max(highest.get(server.pid) ?? 0, peakBytes) / mib
    return [{ label: `${label}: ${server.label}`, value, unit: 'MiB', note: `highest; ${(bytes / mib).toFixed(0)} at the end` }]
  })
}
