/** Finds exports without a user. Tests are users of `testing/` folders and of doors only: an export that serves its own test is dead code. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['kernel', 'plugins', 'cli', 'devnet', 'e2e', 'bench', 'tools', 'examples', 'ui']
/** Their names are for other folders, so any importer counts. */
const door =
  /^(kernel\/(index|schema|server|system|host)|cli\/index|plugins\/[^/]+\/contract(\/[^/]+)?|ui\/src\/kit)\.ts$|\/testing\/index\.ts$/
/** The most names that the door of a kind of author may have. */
const doorNamesMax: Readonly<Record<string, number>> = { 'kernel/index.ts': 80, 'ui/src/kit.ts': 120 }
/** Tests import them, and no product code may. */
const testSupport = /(^|\/)(testing|e2e|bench|devnet|tools)\//
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file)

/** Exports that only tests use today, and why they stay. */
const kept: Readonly<Record<string, string>> = {
  billedBytes: 'part of the cost model that the tests compare with the contract',
  bytesBody: 'tests upload bytes from memory',
  findCopy: 'tests read one row by its ID',
  findProvider: 'reading one provider is tested against the registry',
  joinBodies: 'a body of several parts is tested with the client',
  planTermination: 'calls of the wallet are tested together on the devnet',
  planWithdrawal: 'calls of the wallet are tested together on the devnet',
  recordedColumns: 'a test finds columns of times that are neither due times nor records',
}

/**
 * Plugins, which a configuration names, a reporter, which vitest loads by its path, what Vite reads, and what Qwik calls for a name that
 * ends with `$`.
 */
const isNeeded = (file: string, name: string): boolean =>
  name === 'plugin' ||
  name.endsWith('Qrl') ||
  name in kept ||
  file === 'tools/closing-reporter.ts' ||
  /^ui\/src\/virtual|\.config\.ts$/.test(file)

interface Module {
  readonly exports: Set<string>
  /** How often each identifier appears. */
  readonly words: Map<string, number>
  readonly uses: { readonly specifier: string; readonly names: readonly string[] | 'all' }[]
  /** Modules whose exports are all exported again. */
  readonly stars: string[]
}

type Sources = ReadonlyMap<string, string>

export async function checkExports(): Promise<readonly string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|js|mjs)$/.test(file) && !/(^|\/)(node_modules|dist[^/]*)\//.test(file))
      .map((file) => join(folder, file)),
  )
  files.push('vitest.config.ts')
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Readonly<Record<string, string>> }
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  return [...findDeadExports(sources, { ...imports, '@svc/ui-kit': './ui/src/kit.ts' }), ...findWideDoors(sources)]
}

/** Doors with more names than a reader can survey. */
export function findWideDoors(sources: Sources, namesMax = doorNamesMax): readonly string[] {
  return Object.entries(namesMax).flatMap(([door, max]) => {
    const { size } = readModule(door, sources.get(door) ?? '').exports
    return size > max ? [`${door} has ${size} names; at most ${max}: a name that one plugin needs belongs to it, or to another door`] : []
  })
}

/** @param imports the `imports` of package.json; `svc/…` means the same as `#…` */
export function findDeadExports(sources: Sources, imports: Readonly<Record<string, string>>): readonly string[] {
  const modules = new Map([...sources].map(([file, text]) => [file, readModule(file, text)]))
  const users = new Map([...modules.keys()].map((file) => [file, { byProduct: new Set<string>(), byTests: new Set<string>() }]))
  for (const [file, { uses }] of modules) {
    for (const { specifier, names } of uses) {
      const target = resolve(specifier, file, imports) ?? ''
      const isByTest = isTest(file) && !testSupport.test(target) && !door.test(target)
      const by = isByTest ? 'byTests' : 'byProduct'
      for (const name of namesOf(names, modules.get(target))) users.get(ownerOf(name, target, modules))?.[by].add(name)
    }
  }
  return [...modules].flatMap(([file, { exports, words }]) => {
    const { byProduct, byTests } = users.get(file) ?? { byProduct: new Set(), byTests: new Set() }
    // A name that only tests import may serve its own file.
    const isLive = (name: string) => isNeeded(file, name) || byProduct.has(name) || (byTests.has(name) && (words.get(name) ?? 0) > 1)
    return [...exports].filter((name) => !isLive(name)).map((name) => `${file}: ${name} is exported and ${fate(byTests.has(name))}`)
  })
}

/** The module that declares the name: the target, or one of the modules that it exports again. */
function ownerOf(name: string, target: string, modules: ReadonlyMap<string, Module>): string {
  if (modules.get(target)?.exports.has(name)) return target
  for (const star of modules.get(target)?.stars ?? []) {
    const owner = ownerOf(name, relative('/', join('/', dirname(target), star)), modules)
    if (modules.get(owner)?.exports.has(name)) return owner
  }
  return target
}

const namesOf = (names: readonly string[] | 'all', target: Module | undefined): Iterable<string> =>
  names === 'all' ? (target?.exports ?? []) : names

const fate = (isTested: boolean): string =>
  isTested ? 'used by tests only: remove it' : 'imported by no file: remove it or the word export'

function resolve(specifier: string, from: string, imports: Readonly<Record<string, string>>): string | undefined {
  if (specifier.startsWith('.')) return relative('/', join('/', dirname(from), specifier))
  const name = specifier.replace(/^svc\//, '#')
  const plugin = /^#plugins\/(.+)$/.exec(name)?.[1]
  const path = imports[name] ?? (plugin === undefined ? undefined : imports['#plugins/*']?.replace('*', plugin))
  return path?.replace(/^\.\//, '')
}

function readModule(file: string, text: string): Module {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const module: Module = { exports: new Set(), words: new Map(), uses: [], stars: [] }
  for (const statement of source.statements) readStatement(statement, module)
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) module.words.set(node.text, (module.words.get(node.text) ?? 0) + 1)
    const imported = importedBy(node)
    if (imported) module.uses.push(imported)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return module
}

function readStatement(statement: ts.Statement, { exports, uses, stars }: Module): void {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings
    if (bindings) uses.push({ specifier: textOf(statement), names: ts.isNamespaceImport(bindings) ? 'all' : namesIn(bindings) })
  } else if (ts.isExportDeclaration(statement)) readExports(statement, { exports, uses, stars })
  else if (ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name) && statement.body && ts.isModuleBlock(statement.body))
    // `declare module '…' { interface … }` adds to an exported interface.
    uses.push({
      specifier: statement.name.text,
      names: statement.body.statements.flatMap((added) => (ts.isInterfaceDeclaration(added) ? [added.name.text] : [])),
    })
  else for (const name of declaredBy(statement)) exports.add(name)
}

function readExports(statement: ts.ExportDeclaration, { exports, uses, stars }: Pick<Module, 'exports' | 'uses' | 'stars'>): void {
  const clause = statement.exportClause
  if (!clause) stars.push(textOf(statement))
  if (!clause || !ts.isNamedExports(clause)) return
  for (const { name } of clause.elements) exports.add(name.text)
  if (statement.moduleSpecifier) uses.push({ specifier: textOf(statement), names: namesIn(clause) })
}

const textOf = ({ moduleSpecifier }: ts.ImportDeclaration | ts.ExportDeclaration): string =>
  moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''

/** The names in the other module. */
const namesIn = ({ elements }: ts.NamedImports | ts.NamedExports): readonly string[] =>
  elements.map(({ name, propertyName }) => (propertyName ?? name).text)

function declaredBy(statement: ts.Statement): readonly string[] {
  const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  if (!isExported) return []
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
  return 'name' in statement && statement.name ? [(statement.name as ts.Identifier).text] : []
}

/** A dynamic import: the names that its expression takes from the module, or all. */
function importedBy(node: ts.Node): Module['uses'][number] | undefined {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: (node.argument.literal as ts.StringLiteral).text, names: 'all' }
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined
  const [given] = node.arguments
  // `as string` hides a file without types from the compiler.
  const argument = given && ts.isAsExpression(given) ? given.expression : given
  if (!argument || !ts.isStringLiteral(argument)) return undefined
  let outer: ts.Node = node.parent
  while (ts.isAwaitExpression(outer) || ts.isParenthesizedExpression(outer)) outer = outer.parent
  if (ts.isPropertyAccessExpression(outer) && outer.name.text !== 'then') return { specifier: argument.text, names: [outer.name.text] }
  if (ts.isVariableDeclaration(outer) && ts.isObjectBindingPattern(outer.name)) {
    const names = outer.name.elements.map(({ name, propertyName }) => (propertyName ?? name) as ts.Identifier)
    return { specifier: argument.text, names: names.map(({ text }) => text) }
  }
  return { specifier: argument.text, names: 'all' }
}

const boundNames = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name) ? [name.text] : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []))
