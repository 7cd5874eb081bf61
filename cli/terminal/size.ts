const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `1.50 GiB`; whole bytes below one KiB. */
export function formatSize(bytes: number, digits = 2): string {
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return step === 0 ? `${bytes} B` : `${(bytes / 1024 ** step).toFixed(digits)} ${units[step]}`
}

/** `12.5%`; `n/a` without a limit. */
export const formatShare = (part: number, whole: number): string => (whole > 0 ? `${((part * 100) / whole).toFixed(1)}%` : 'n/a')
