// Finds the installed anvil.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const name = '@foundry-rs/anvil'

export const anvilVersion = (): string => (JSON.parse(readFileSync(findManifest(), 'utf8')) as { readonly version: string }).version

/** The platform's own binary: the package's `anvil` command is a Node wrapper, and killing that orphans the real process. */
export function findAnvil(): string {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const specifier = `${name}-${platform}/bin/${process.platform === 'win32' ? 'anvil.exe' : 'anvil'}`
  try {
    // A global installation has it in the folder of the package that needs it.
    return createRequire(findManifest()).resolve(specifier)
  } catch (cause) {
    throw new Error(`no anvil for ${platform}: ${specifier} is not installed; run npm ci, or install ${name} again`, { cause })
  }
}

const findManifest = (): string => createRequire(import.meta.url).resolve(`${name}/package.json`)
