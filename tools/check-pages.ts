/** Pages that a newcomer reads from beginning to end stay short, and links lead to pages that exist. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './source-files.ts'

const bytesMax = { 'ARCHITECTURE.md': 12_288, 'CONTRIBUTING.md': 8_192 } as const
/** A page of a decision, without its measurements, which are in docs/reference/performance.md. */
const decisionWordsMax = 720

export async function checkPages(): Promise<readonly string[]> {
  const pages = Object.keys(bytesMax)
  const decisions = readdirSync(join(root, 'docs/adr'))
    .filter((name) => /^\d/.test(name))
    .map((name) => `docs/adr/${name}`)
  const read = (paths: readonly string[]) => paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const linking = globSync(['*.md', '{changes,docs,examples}/**/*.md'], { cwd: root })
  return [...findLongPages(read([...pages, ...decisions])), ...findLostLinks(read(linking), (path) => existsSync(join(root, path)))]
}

interface Page {
  /** Relative to the checkout. */
  readonly path: string
  readonly text: string
}

const codePattern = /```[\s\S]*?```|`[^`\n]*`/g

/** Links to files of the checkout that are not there. */
export function findLostLinks(pages: readonly Page[], exists: (path: string) => boolean): readonly string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.replaceAll(codePattern, '').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !exists(join(dirname(path), target)))
      .map((target) => `${path} links to ${target}, which does not exist`),
  )
}

export function findLongPages(pages: readonly Page[]): readonly string[] {
  return pages.flatMap(({ path, text }) => {
    const limit = bytesMax[path as keyof typeof bytesMax] as number | undefined
    const size = limit === undefined ? text.split(/\s+/).length : Buffer.byteLength(text)
    const max = limit ?? decisionWordsMax
    return size <= max ? [] : [`${path} has ${size} ${limit === undefined ? 'words' : 'bytes'}, more than ${max}`]
  })
}
