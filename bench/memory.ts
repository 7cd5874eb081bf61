// Rows that say how much memory each server of a run used.
import { mib, readResidentMemory, resetPeak } from '../e2e/load/resident-memory.ts'
import type { BenchServer } from './bench-server.ts'
import type { BenchRow } from './bench-table.ts'

/** Peaks count from here. A process of another user keeps its own peak. */
export function resetPeaks(servers: readonly BenchServer[]): void {
  for (const { pid } of servers) if (pid !== undefined) resetPeak(pid)
}

export function memoryRows(label: string, servers: readonly BenchServer[]): BenchRow[] {
  return servers.flatMap((server) => {
    if (server.pid === undefined) return []
    const { bytes, peakBytes } = readResidentMemory(server.pid)
    return [
      { label: `${label}: ${server.label}`, value: peakBytes / mib, unit: 'MiB', note: `highest; ${(bytes / mib).toFixed(0)} at the end` },
    ]
  })
}
