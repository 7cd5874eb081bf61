/** Regular expressions of the product must take linear time on any input, because providers, nodes and S3 clients control much of it. */
import ts from 'typescript'
import { readSources, type SourceFile } from '../source-files.ts'

/** Timeout per expression (at most 2 s on an idle machine); a timeout counts as a problem. */
const analysisMs = 120_000

/** `source` is undefined when the expression is built at run time. */
interface FoundExpression {
  readonly source: string | undefined
  readonly flags: string
  readonly line: number
}

/** Problems, one per line: each expression whose matching takes more than linear time. */
export async function checkExpressions(): Promise<readonly string[]> {
  const verdicts = new Map<string, string | undefined>()
  const problems: string[] = []
  for (const { path, text } of productFiles()) {
    for (const { source, flags, line } of findExpressions(text)) {
      const place = `${path}:${line}`
      if (source === undefined) {
        problems.push(`${place} builds a regular expression at run time, which cannot be checked: use a literal`)
        continue
      }
      const expression = `/${source}/${flags}`
      if (!verdicts.has(expression)) verdicts.set(expression, await analyseExpression(source, flags))
      const verdict = verdicts.get(expression)
      if (verdict !== undefined)
        problems.push(`${place} ${expression} ${verdict} on some input: limit the input length and scan it without a regular expression`)
    }
  }
  return problems
}

/** The problem of an expression; undefined when it takes linear time on every input. */
export async function analyseExpression(source: string, flags: string): Promise<string | undefined> {
  // The other backends start a JVM or a native program.
  process.env.RECHECK_BACKEND = 'pure'
  const { checkSync } = await import('recheck')
  // The shorter limits of its phases would call a slow machine a slow expression.
  const analyse = () => checkSync(source, flags, { timeout: analysisMs, attackTimeout: analysisMs, incubationTimeout: analysisMs })
  const verdict = runTwice(analyse)
  if (verdict.status === 'safe') return undefined
  return verdict.status === 'vulnerable' ? `takes ${verdict.complexity.summary} time` : `could not be analysed (${verdict.error.kind})`
}

/** The worker thread of the library has failed once on a busy machine; a second failure is thrown. */
function runTwice<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    process.stderr.write(`the analysis failed and runs again: ${error}\n`)
    return run()
  }
}

/** Finds literals and calls of `RegExp`. */
export function findExpressions(code: string): readonly FoundExpression[] {
  const file = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest)
  const found: FoundExpression[] = []
  const lineOf = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), line: lineOf(node) })
    }
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node)
    if (isCall && node.expression.getText(file) === 'RegExp') {
      const [source, flags] = (node.arguments ?? []).map((argument) => (ts.isStringLiteralLike(argument) ? argument.text : undefined))
      const isKnown = node.arguments?.length === 1 || flags !== undefined
      found.push({ source: isKnown ? source : undefined, flags: flags ?? '', line: lineOf(node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const productFiles = (): readonly SourceFile[] =>
  readSources().filter(
    ({ path }) => /^(kernel|plugins|cli)\/.+\.ts$/.test(path) && !path.endsWith('.test.ts') && !path.includes('testing/'),
  )
