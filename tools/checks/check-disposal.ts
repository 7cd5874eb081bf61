/** Finds promises that outlive what their function holds: `return step()` after `using` frees the resource at the first `await` of `step`. */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Problems, one per line. */
export async function checkDisposal(): Promise<readonly string[]> {
  const config = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.json`, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} })
  if (!config) return ['tsconfig.json cannot be read']
  return findEarlyDisposals(ts.createProgram(config.fileNames, config.options))
}

export function findEarlyDisposals(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker()
  const found: string[] = []
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || !/\busing\b/.test(file.text)) continue
    const visit = (node: ts.Node): void => {
      if (ts.isReturnStatement(node) && node.expression && holdsAt(node) && isPromise(checker, node.expression)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
        found.push(`${file.fileName.replace(root, '')}:${line + 1} returns a promise after \`using\`: write \`return await\``)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return found
}

const isPromise = (checker: ts.TypeChecker, expression: ts.Expression): boolean => {
  const type = checker.getTypeAtLocation(expression)
  return (type.isUnion() ? type.types : [type]).some((part) => part.getProperty('then') !== undefined)
}

/** Whether a `using` of the same function is in effect at the statement. */
function holdsAt(statement: ts.Node): boolean {
  for (let node = statement; !ts.isFunctionLike(node.parent) && !ts.isSourceFile(node.parent); node = node.parent) {
    if (ts.isBlock(node.parent) && node.parent.statements.some((other) => other.pos < node.pos && isUsing(other))) return true
  }
  return false
}

const isUsing = (statement: ts.Statement): boolean =>
  ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Using) !== 0
