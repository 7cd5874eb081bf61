import ts from 'typescript'

/** Options of an author of pages, whose imports Vite resolves. */
const pageOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: '@builder.io/qwik',
}

/** The problems that TypeScript finds, one per text. */
export function compileFiles(files: readonly string[], kind: 'plugin' | 'pages' = 'plugin'): readonly string[] {
  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    types: [],
    ...(kind === 'pages' && pageOptions),
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
}
