import { CommandError } from '#kernel'

/** A task id as it was typed. Throws CommandError with exit code 2. */
export function readTaskId(text: string): number {
  const id = Number(text)
  if (!/^\d+$/.test(text) || id < 1 || !Number.isSafeInteger(id)) throw new CommandError(`"${text}" is not a task id`, { exitCode: 2 })
  return id
}
