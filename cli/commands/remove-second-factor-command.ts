import { rmSync } from 'node:fs'
import { type CommandCall, CommandError } from '#kernel'
import { factorPath } from '#kernel/host'
import { findPlace } from '../command-settings.ts'
import { readIfExists } from '../read-if-exists.ts'

/** Changes only files. A running service keeps the second factor until its restart. */
export async function run(call: CommandCall): Promise<undefined> {
  const path = factorPath(findPlace(call).configPath)
  if (readIfExists(path) === undefined) throw new CommandError(`the second factor is off: there is no ${path}`)
  rmSync(path)
  call.out.result({ removed: path }, `${path} is removed. Restart the service; the password alone signs in then.`)
}
