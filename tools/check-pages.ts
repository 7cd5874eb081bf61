/** Pages that a newcomer reads from beginning to end stay short. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './source-files.ts'

const bytesMax = { 'ARCHITECTURE.md': 12_288, 'CONTRIBUTING.md': 8_192 } as const
/** A page of a decision, without its measurements, which are in docs/reference/performance.md. */
const decisionWordsMax = 720

export async function checkPages(): Promise<readonly string[]> {
  const pages = Object.keys(bytesMax)
  const decisions = readdirSync(join(root, 'docs/adr'))
    .filter((name) => /^\d/.test(name))
    .map((name) => `docs/adr/${name}`)
  return findLongPages([...pages, ...decisions].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
}

export function findLongPages(pages: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  return pages.flatMap(({ path, text }) => {
    const limit = bytesMax[path as keyof typeof bytesMax] as number | undefined
    const size = limit === undefined ? text.split(/\s+/).length : Buffer.byteLength(text)
    const max = limit ?? decisionWordsMax
    return size <= max ? [] : [`${path} has ${size} ${limit === undefined ? 'words' : 'bytes'}, more than ${max}`]
  })
}
