import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Where the disk of a folder is mounted. Undefined on the disk of the system, and when it is not known. */
export async function mountPointOf(folder: string): Promise<string | undefined> {
  try {
    const { dev } = await stat(folder)
    let path = folder
    while (dirname(path) !== path && (await stat(dirname(path))).dev === dev) path = dirname(path)
    return dirname(path) === path ? undefined : path
  } catch {
    // It only adds advice to a finding.
    return undefined
  }
}
