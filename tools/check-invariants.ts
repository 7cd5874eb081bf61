/** Each invariant of ARCHITECTURE.md must be named in the code that guards it and in a test. Unlisted ids are problems. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const idPattern = /\bI-\d{2}\b/g
const folders = ['kernel', 'plugins', 'cli', 'devnet', 'e2e', 'tools', 'examples']

export async function checkInvariants(): Promise<readonly string[]> {
  const listed = new Set(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').match(idPattern))
  const code = new Set<string>()
  const tests = new Set<string>()
  for (const path of sourceFiles()) {
    const isTest = path.endsWith('.test.ts') || path.startsWith(join(root, 'e2e'))
    for (const id of readFileSync(path, 'utf8').match(idPattern) ?? []) (isTest ? tests : code).add(id)
  }
  return [
    ...[...listed].filter((id) => !code.has(id)).map((id) => `${id} is listed in ARCHITECTURE.md, but no code names it`),
    ...[...listed].filter((id) => !tests.has(id)).map((id) => `${id} is listed in ARCHITECTURE.md, but no test names it`),
    ...[...code, ...tests].filter((id) => !listed.has(id)).map((id) => `${id} is used, but ARCHITECTURE.md does not list it`),
  ].filter((problem, index, all) => all.indexOf(problem) === index)
}

function sourceFiles(): readonly string[] {
  return folders.flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
        .map((path) => join(root, folder, path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
}
