import { isBuiltin } from 'node:module'
import type { Plugin } from 'esbuild'

/** CommonJS code requires modules of Node, which a bundle of ES modules has no `require` for. */
export const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}
