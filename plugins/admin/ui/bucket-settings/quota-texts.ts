/** The quota of a bucket as a form has it: empty texts are no limit. */

interface QuotaTexts {
  readonly objects: string
  readonly gib: string
}

interface QuotaLimits {
  readonly objects: number | null
  readonly bytes: number | null
}

const gibBytes = 2 ** 30

/** Returns undefined when a text is no limit that can be set. */
export function readQuota({ objects, gib }: QuotaTexts): QuotaLimits | undefined {
  const read = { objects: readLimit(objects, /^\d+$/, 1), bytes: readLimit(gib, /^\d+(\.\d+)?(e-\d+)?$/, gibBytes) }
  return Number.isNaN(read.objects) || Number.isNaN(read.bytes) ? undefined : read
}

/** Reads back as the same limits. */
export const writeQuota = ({ objects, bytes }: QuotaLimits): QuotaTexts => ({
  objects: objects === null ? '' : String(objects),
  gib: bytes === null ? '' : String(bytes / gibBytes),
})

function readLimit(text: string, pattern: RegExp, factor: number): number | null {
  const value = text.trim()
  if (value === '') return null
  const limit = pattern.test(value) ? Math.round(Number(value) * factor) : Number.NaN
  return Number.isSafeInteger(limit) && limit > 0 ? limit : Number.NaN
}
