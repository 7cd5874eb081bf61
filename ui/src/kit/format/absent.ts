/** Shown for a value that the API did not give. */
export const absent = '—'

/** Numbers of the API: JSON numbers, or decimal digits where they may exceed 2^53. */
export type Numeric = number | bigint | string

/** @returns undefined for an absent value and for text that is no integer */
export function toInteger(value: Numeric | null | undefined): bigint | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  return /^-?\d{1,80}$/.test(value) ? BigInt(value) : undefined
}
