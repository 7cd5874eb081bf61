import { usageError } from '#cli'

export interface QuotaFlags {
  readonly objects: string | undefined
  readonly bytes: string | undefined
}

interface QuotaChange {
  readonly objects?: number | null
  readonly bytes?: number | null
}

/** Null: no limit. Absent flags change nothing. Throws CommandError with exit code 2. */
export function readQuota({ objects, bytes }: Partial<QuotaFlags>): QuotaChange {
  return {
    ...(objects !== undefined && { objects: readLimit(objects, toCount, '--objects must be a whole number from 1, or none') }),
    ...(bytes !== undefined && { bytes: readLimit(bytes, toBytes, '--bytes must be a size such as 500GiB, 2TB or 1000000, or none') }),
  }
}

function readLimit(text: string, read: (text: string) => number, expected: string): number | null {
  if (text === 'none') return null
  const value = read(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw usageError(`${expected}; not "${text}"`)
}

const toCount = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN)

const powers = ['', 'k', 'm', 'g', 't', 'p']

/** Units of 1000, as GB, or of 1024, as GiB. */
function toBytes(text: string): number {
  const [, number, power = '', binary] = /^(\d{1,16}(?:\.\d{1,3})?) ?(?:([kmgtp]?)(i?)b)?$/i.exec(text) ?? []
  if (number === undefined || (power === '' && (binary || number.includes('.')))) return Number.NaN
  return Math.round(Number(number) * (binary ? 1024 : 1000) ** powers.indexOf(power.toLowerCase()))
}
