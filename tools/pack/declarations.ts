/** Type declarations of the doors, for authors of plugins. */
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../source-files.ts'
import { findDoors, isPageDoor, toBuilt } from './package-shape.ts'

/** Writes the declarations of the doors, and of the files that these name, under the paths of their sources. */
export function writeDeclarations(folder: string): void {
  const program = openProgram()
  const waiting = findRoots()
  const known = new Set(waiting)
  for (const path of waiting) {
    const text = declare(program, path)
    const target = join(folder, toBuilt(path, '.d.ts'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, toInstalled(text, path))
    for (const named of findNamed(text, path)) {
      if (known.has(named)) continue
      known.add(named)
      waiting.push(named)
    }
  }
}

/** The doors, and what adds the endpoints of the plugins to the types of the pages. All paths here are relative to the project. */
const findRoots = (): string[] => [...findDoors(), ...findEndpointTypes()]
const findEndpointTypes = (): readonly string[] => globSync('plugins/*/ui/endpoints.ts', { cwd: root }).sort()

let options: ts.CompilerOptions = {}

/** One program for all, because a second one for the pages would read the kernel again. */
function openProgram(): ts.Program {
  const { tsBuildInfoFile: _none, ...ofPages } = readOptions('ui/tsconfig.json')
  const exact = { exactOptionalPropertyTypes: true, declaration: true, emitDeclarationOnly: true }
  options = { ...ofPages, ...exact, noEmit: false, incremental: false }
  const host = ts.createCompilerHost(options)
  return ts.createProgram(
    findRoots().map((path) => join(root, path)),
    options,
    { ...host, getSourceFile: (path, version) => readSource(path, version) },
  )
}

function readOptions(file: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, file), ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, dirname(join(root, file))).options
}

/** A declaration can name only exported types. Those of the sources that no other file needs are not. */
function readSource(path: string, version: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
  const text = ts.sys.readFile(path)
  if (text === undefined) return undefined
  const isOwn = path.startsWith(root) && !path.includes('/node_modules/') && /\.tsx?$/.test(path)
  return ts.createSourceFile(path, isOwn ? text.replace(/^(interface|type) (?=\w+)/gm, 'export $1 ') : text, version)
}

function declare(program: ts.Program, path: string): string {
  let declaration = ''
  const write = (_path: string, text: string) => (declaration = text)
  // Forced, the emit computes only the types that it writes: `npm run check` has checked the rest, which takes half a minute.
  const { diagnostics } = forceEmit(program, program.getSourceFile(join(root, path)), write)
  const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  if (problems.length > 0) throw new Error(`no declarations of ${path}: ${problems.join('; ')}`)
  return declaration
}

type ForcedEmit = (...args: [...Parameters<ts.Program['emit']>, isForced: boolean]) => ts.EmitResult

/** The last argument is not in the types of TypeScript. */
const forceEmit = (program: ts.Program, source: ts.SourceFile | undefined, write: ts.WriteFileCallback): ts.EmitResult =>
  (program.emit as ForcedEmit)(source, write, undefined, true, undefined, true)

/** Sources of the project that a declaration imports. */
const findNamed = (declaration: string, path: string): readonly string[] =>
  ts.preProcessFile(declaration).importedFiles.flatMap(({ fileName }) => {
    const from = join(root, path)
    const found = ts.resolveModuleName(fileName, from, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext).resolvedModule
    return found && !found.resolvedFileName.includes('/node_modules/') ? [relative(root, found.resolvedFileName)] : []
  })

/** Other files are named by their built names, and the door for pages, which has another name in a package, by its place. */
function toInstalled(text: string, path: string): string {
  const built = text.replace(
    /(from |import\()(['"])(\.[^'"]+)\2/g,
    (_all, before: string, quote: string, named: string) => `${before}${quote}${toBuilt(named)}${quote}`,
  )
  const toPlace = (named: string): string => {
    const place = toBuilt(relative(dirname(path), named))
    return place.startsWith('.') ? place : `./${place}`
  }
  if (findDoors().includes(path) && isPageDoor(path))
    return (
      built +
      findEndpointTypes()
        .map((named) => `import '${toPlace(named)}'\n`)
        .join('')
    )
  return built.replaceAll(/(['"])@svc\/ui-kit\1/g, `'${toPlace('ui/src/kit.ts')}'`)
}
