// Resolves the imports between the files of a built package, of which a start has some thousands. Node would look each of them up on the disk,
// with the package.json files above it: that was 40 % of the processor time of a start.
// Plain JavaScript, because it runs before the program is imported.
import { registerHooks } from 'node:module'

/** @param {string} packageUrl ends with a slash */
export function resolveOwnImports(packageUrl) {
  const chunks = `${packageUrl}chunks/`
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (specifier.startsWith('.') && parentURL?.startsWith(packageUrl)) {
        const { href } = new URL(specifier, parentURL)
        // The bundle makes only ES modules there.
        if (href.startsWith(chunks)) return { url: href, format: 'module', shortCircuit: true }
      }
      return next(specifier, context)
    },
  })
}
