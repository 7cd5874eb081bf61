import { formatSize } from '#cli'

const barWidth = 24

interface Progress {
  readonly doneBytes: number
  /** Is undefined for an unknown number of bytes, as from standard input. */
  readonly totalBytes: number | undefined
  readonly elapsedMs: number
}

/** `[######------------------]  25.0%  256.00 MiB of 1.00 GiB  12.34 MiB/s`. */
export function progressText({ doneBytes, totalBytes, elapsedMs }: Progress): string {
  const speed = elapsedMs > 0 ? `  ${formatSize(Math.round((doneBytes * 1000) / elapsedMs))}/s` : ''
  if (totalBytes === undefined) return `${formatSize(doneBytes)}${speed}`
  const share = totalBytes === 0 ? 1 : Math.min(doneBytes / totalBytes, 1)
  const filled = Math.floor(share * barWidth)
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`
  return `${bar} ${(share * 100).toFixed(1).padStart(5)}%  ${formatSize(doneBytes)} of ${formatSize(totalBytes)}${speed}`
}
