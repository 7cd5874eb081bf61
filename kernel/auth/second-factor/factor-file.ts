import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type } from '../../schema.ts'

const storedType = type({
  /** Base32. */
  secret: /^[A-Z2-7]{16,128}$/,
  /** SHA-256 of the recovery codes that were not used. */
  recovery: 'string[]',
  /** SHA-256 of the password of scripts. */
  script: 'string > 0',
  /** Time step of the latest code that was used. */
  lastStep: 'number.integer >= 0',
})

export type StoredFactor = typeof storedType.infer

export const factorPath = (configPath: string): string => join(dirname(configPath), 'admin-second-factor.json')

/** Returns undefined without a file: the factor is off. Throws when the file is not one of ours. */
export function readFactorFile(path: string): StoredFactor | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
  const stored = storedType(parse(text))
  if (stored instanceof type.errors) {
    // I-10: the parser's messages quote the file.
    throw new Error(`${path} is damaged: restore it, or turn the second factor off with svc admin-auth remove-second-factor`)
  }
  return stored
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
