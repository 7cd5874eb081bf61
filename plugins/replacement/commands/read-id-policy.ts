import { usageError } from '#cli'

/** An id of this service as typed. Throws CommandError with exit code 2. */
export function readId(text: string, what: 'a replacement id' | 'a data set id'): string {
  const id = Number(text)
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) throw usageError(`"${text}" is not ${what}`)
  return String(id)
}
