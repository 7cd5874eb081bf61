/** Assembles the folder of the npm package: program, dashboard, declarations, licences. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { version } from '../../kernel/system.ts'
import { root } from '../source-files.ts'
import { renderBillOfMaterials } from './bill-of-materials.ts'
import { bundleProgram } from './bundle-program.ts'
import { findBundledPackages, renderLicences } from './bundled-packages.ts'
import { writeDeclarations } from './declarations.ts'
import { createPackageManifest } from './package-manifest.ts'

/** Files that the program reads beside its code, and the sources of the dashboard, with which `svc plugins build` builds it again. */
const copied = [
  ...['LICENSE', 'cli/start-service.sh', 'devnet/contracts/artifacts.json', 'tsconfig.json'],
  ...['plugins/*/ui/**/*.{ts,tsx}', 'ui/{build,public,src}/**/*.*', 'ui/{index.html,package.json,tsconfig.json}'],
]

/** Deletes the folder first. */
export async function assemblePackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const metafile = await bundleProgram(folder)
  buildDashboard(join(folder, 'ui/dist'))
  writeDeclarations(join(folder, 'types'))
  for (const path of globSync(copied, { cwd: root, exclude: (path) => /\.test\.|(^|\/)testing(\/|$)/.test(path) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
  }
  const manifest = createPackageManifest()
  const bundled = findBundledPackages(metafile)
  const texts = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': readFileSync(join(root, 'tools/pack/package-readme.md'), 'utf8'),
    'build.json': `${JSON.stringify({ commit: version.commit, buildDate: new Date().toISOString() })}\n`,
    'THIRD-PARTY-LICENSES.txt': renderLicences(bundled),
    'bom.cdx.json': renderBillOfMaterials(version.version, bundled, manifest.dependencies),
  }
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text)
}

/** The build that `npm start` uses, if its sources have not changed. */
function buildDashboard(folder: string): void {
  execFileSync(process.execPath, [join(root, 'ui/build/main.ts')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: 'pipe',
  })
  cpSync(join(root, 'ui/dist'), folder, { recursive: true })
}
