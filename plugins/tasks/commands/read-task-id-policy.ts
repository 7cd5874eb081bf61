import { usageError } from '#cli'

/** A task id as typed. Throws CommandError with exit code 2. */
export function readTaskId(text: string): number {
  const id = Number(text)
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) throw usageError(`"${text}" is not a task id`)
  return id
}
