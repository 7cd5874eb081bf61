import { readdirSync } from 'node:fs'

/** Names of the files in a folder and its folders. */
export const filesBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
