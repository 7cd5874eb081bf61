/** Functions name the dependencies that they need: none takes all dependencies of its plugin, except where these are wired. */
import ts from 'typescript'
import { readSources } from '../source-files.ts'

/** Interfaces that hold all dependencies of a plugin. */
const bags: ReadonlySet<string> = new Set(['Pipeline'])

/** Problems, one per line: parameters and types that are a whole bag. */
export async function checkBags(): Promise<readonly string[]> {
  const checked = readSources().filter(({ path }) => /^plugins\//.test(path) && !/\.test\.tsx?$|\btesting\/|wiring\.ts$/.test(path))
  return checked.flatMap(({ path, text }) =>
    findBags(text).map(({ bag, line }) => `${path}:${line} takes all of ${bag}: name the members with Pick<${bag}, …> or a type …Deps`),
  )
}

export function findBags(code: string): readonly { readonly bag: string; readonly line: number }[] {
  const file = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true)
  const found: { bag: string; line: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && bags.has(node.text) && isWhole(node.parent))
      found.push({ bag: node.text, line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Whether the type at `node` makes a parameter, another type or an ancestor of an interface. */
function isWhole(node: ts.Node): boolean {
  if (ts.isParameter(node) || ts.isTypeAliasDeclaration(node) || ts.isHeritageClause(node)) return true
  const isPart = ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Pick'
  return (
    !isPart && (ts.isTypeNode(node) || ts.isExpressionWithTypeArguments(node)) && !ts.isIndexedAccessTypeNode(node) && isWhole(node.parent)
  )
}
