/**
 * Writes the pages whose text stands in the code: docs/reference/walks.md from `@walk <name> <step>: <text>`, docs/reference/recipes.md
 * from `@recipe <title>` with its lines, and docs/reference/invariants.md from the ids of ARCHITECTURE.md in the code and in tests.
 */
import { type Named, namedInvariants } from './checks/check-invariants.ts'
import { readSources, type SourceFile } from './source-files.ts'

const walkTitles = {
  put: 'A PUT',
  parts: 'An upload in parts',
  copies: 'A commit of copies',
  read: 'A read, cached or cold',
  removal: 'A removal',
  ending: 'The deletion of a bucket',
  replacement: 'The replacement of a provider',
} as const

interface Step {
  readonly walk: string
  readonly number: number
  readonly text: string
  readonly path: string
}

const walkPattern = /^ *(?:\/\*\*|\*) @walk (\w+) (\d+): (.+?)(?: \*\/)?$/gm
const recipePattern = /^ *(?:\/\*\*)?\n? ?\* @recipe (.+)\n((?: \*(?!\/).*\n)+)/gm

/** @throws Error when a walk is unknown or its steps are not numbered 1 to n */
export function writeWalksPage(sources: readonly SourceFile[] = readSources()): string {
  const steps = sources.flatMap(({ path, text }) =>
    [...text.matchAll(walkPattern)].map(([, walk = '', number, says = '']): Step => ({ walk, number: Number(number), text: says, path })),
  )
  const unknown = steps.find(({ walk }) => !(walk in walkTitles))
  if (unknown) throw new Error(`${unknown.path}: there is no walk ${unknown.walk}`)
  const walks = Object.entries(walkTitles).map(([walk, title]) => {
    const own = steps.filter((step) => step.walk === walk).sort((a, b) => a.number - b.number)
    const wrong = own.find(({ number }, index) => number !== index + 1)
    if (wrong) throw new Error(`${wrong.path}: step ${wrong.number} of the walk ${walk} has another number than its place`)
    return [`## ${title}`, '', ...own.map(({ number, path, text }) => `${number}. [${path}](../../${path}) ${text}.`), ''].join('\n')
  })
  const head =
    '# How an object travels\n\nEach walk names the files in the order in which a request or a task enters them. The texts are the `@walk` comments of these files; `npm run docs` collects them.\n'
  return [head, ...walks].join('\n')
}

export function writeRecipesPage(sources: readonly SourceFile[] = readSources()): string {
  const recipes = sources
    .flatMap(({ path, text }) =>
      [...text.matchAll(recipePattern)].map(([, title = '', body = '']) => ({
        path,
        title,
        body: body
          .replaceAll(/^ \* ?/gm, '')
          .replaceAll('*\\/', '*/')
          .trim(),
      })),
    )
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ path, title, body }) => `## ${title}\n\n${body}\n\nIn [${path}](../../${path}).\n`)
  const head =
    '# How to add …\n\nEach recipe is an `@recipe` comment in the file that it explains. `npm run docs` copies them to this page.\n'
  return [head, ...recipes].join('\n')
}

export function writeInvariantsPage(named: readonly Named[] = namedInvariants()): string {
  const link = (path: string) => `[${path}](../../${path})`
  const rows = named.map(
    ({ id, says, guards, tests }) => `| ${id} | ${says} | ${guards.map(link).join('<br>')} | ${tests.map(link).join('<br>')} |`,
  )
  const head =
    '# Invariants\n\nThe invariants of [ARCHITECTURE.md](../../ARCHITECTURE.md), the code that names each one, which holds its guard, and the tests. Written by `npm run docs`.\n'
  return [head, '| Id | Invariant | Named in | Tests |', '|---|---|---|---|', ...rows, ''].join('\n')
}
