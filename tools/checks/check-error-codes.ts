/** Every error code of the Admin API is listed in docs/reference/error-codes.md; a listed code is never removed or changed (I-16). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const listPath = 'docs/reference/error-codes.md'
const tableRow = /^\| `([a-z0-9_]+)` \| (\d{3}) \|/gm
const definition = /^\s+([a-z0-9_]+): \{\s*status: (\d{3})/gm

type ErrorCodes = ReadonlyMap<string, string>

export async function checkErrorCodes(): Promise<readonly string[]> {
  return compareErrorCodes(readListed(readFileSync(join(root, listPath), 'utf8')), readDefined())
}

export function compareErrorCodes(listed: ErrorCodes, defined: ErrorCodes): readonly string[] {
  return [
    ...[...listed]
      .filter(([code]) => !defined.has(code))
      .map(([code]) => `error code ${code} is published and no longer defined: clients depend on it`),
    ...[...listed]
      .filter(([code, status]) => defined.has(code) && defined.get(code) !== status)
      .map(([code, status]) => `error code ${code} was published with status ${status} and now has ${defined.get(code)}`),
    ...[...defined].filter(([code]) => !listed.has(code)).map(([code, status]) => `add to ${listPath}: | \`${code}\` | ${status} |`),
  ]
}

export function readListed(text: string): ErrorCodes {
  return new Map([...text.matchAll(tableRow)].map(([, code, status]) => [code as string, status as string]))
}

export function readDefinitions(source: string): readonly (readonly [code: string, status: string])[] {
  return [...source.matchAll(definition)].map(([, code, status]) => [code as string, status as string])
}

function readDefined(): ErrorCodes {
  const sources = ['kernel', 'plugins'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  )
  return new Map(sources.filter((source) => source.includes('defineErrors(')).flatMap(readDefinitions))
}
