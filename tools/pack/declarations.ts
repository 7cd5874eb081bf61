/** Type declarations of the doors, for authors of plugins. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../source-files.ts'
import { findDoors, toBuilt } from './package-shape.ts'

/** Writes the declarations of the doors, and of the files that these name, under the paths of their sources. */
export function writeDeclarations(folder: string): void {
  const program = openProgram()
  const waiting = findDoors().map((path) => join(root, path))
  const known = new Set(waiting)
  for (const path of waiting) {
    const text = declare(program, path)
    const target = join(folder, toBuilt(relative(root, path), '.d.ts'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, toInstalled(text))
    for (const named of findNamed(text, path)) {
      if (known.has(named)) continue
      known.add(named)
      waiting.push(named)
    }
  }
}

let options: ts.CompilerOptions = {}

function openProgram(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { tsBuildInfoFile: _ofChecks, ...checked } = ts.parseJsonConfigFileContent(
    config,
    { ...ts.sys, readDirectory: () => [] },
    root,
  ).options
  options = { ...checked, noEmit: false, incremental: false, declaration: true, emitDeclarationOnly: true }
  const host = ts.createCompilerHost(options)
  return ts.createProgram(
    findDoors().map((path) => join(root, path)),
    options,
    { ...host, getSourceFile: (path, version) => readSource(path, version) },
  )
}

/** A declaration can name only exported types. Those of the sources that no other file needs are not. */
function readSource(path: string, version: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
  const text = ts.sys.readFile(path)
  if (text === undefined) return undefined
  const isOwn = path.startsWith(root) && !path.includes('/node_modules/') && path.endsWith('.ts')
  return ts.createSourceFile(path, isOwn ? text.replace(/^(interface|type) (?=\w+)/gm, 'export $1 ') : text, version)
}

function declare(program: ts.Program, path: string): string {
  let declaration = ''
  const { diagnostics } = program.emit(program.getSourceFile(path), (_path, text) => (declaration = text), undefined, true)
  const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  if (problems.length > 0) throw new Error(`no declarations of ${relative(root, path)}: ${problems.join('; ')}`)
  return declaration
}

/** Sources of the project that a declaration imports. */
const findNamed = (declaration: string, path: string): readonly string[] =>
  ts.preProcessFile(declaration).importedFiles.flatMap(({ fileName }) => {
    const found = ts.resolveModuleName(fileName, path, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext).resolvedModule
    return found && !found.resolvedFileName.includes('/node_modules/') ? [found.resolvedFileName] : []
  })

/** Other files are named by their built names. */
const toInstalled = (text: string): string =>
  text.replace(
    /(from |import\()(['"])(\.[^'"]+)\2/g,
    (_all, before: string, quote: string, path: string) => `${before}${quote}${toBuilt(path)}${quote}`,
  )
