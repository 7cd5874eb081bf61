import { join } from 'node:path'
import { chainPackage, packageName } from '../../tools/pack/package-shape.ts'
import { startLocalRegistry } from './local-registry.ts'
import type { Stranger } from './stranger.ts'

/**
 * Installs the tarball and the local chain in the empty folder of the user, without a network. Returns the folder of the package.
 * @param registryDir for tarballs of the other packages
 */
export async function installPackage(tarball: string, user: Stranger, registryDir: string): Promise<string> {
  await using registry = await startLocalRegistry(registryDir)
  // A folder above the user's could be taken for the project.
  await user.run('npm', ['init', '--yes'])
  const from = ['--registry', registry.url, '--cache', join(user.dir, '.npm-cache')]
  const run = await user.run('npm', ['install', tarball, chainPackage, ...from, '--ignore-scripts', '--no-audit', '--no-fund'])
  if (run.code !== 0 || run.stderr !== '') throw new Error(`npm did not install ${tarball} as it should: ${JSON.stringify(run)}`)
  return join(user.dir, 'node_modules', packageName)
}
